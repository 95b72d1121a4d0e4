#include "driver/toy_program.h"

#include "taskmill/error.h"
#include "wire/token.h"

namespace taskmill::toy {
namespace {

using wire::CoreMailbox;
using wire::LaunchBlock;
using wire::Step;

template <class T>
T load(const T& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}
template <class T>
void store(T& word, T value) {
  __atomic_store_n(&word, value, __ATOMIC_RELEASE);
}

uint32_t cores_of(const LaunchBlock& launch) { return 3 * launch.clusters; }
Board& board_of(const LaunchBlock& launch) { return *reinterpret_cast<Board*>(launch.region + wire::line_base_offset(cores_of(launch))); }
const Plan& plan_of(const LaunchBlock& launch) { return *reinterpret_cast<const Plan*>(launch.entry_scalars); }
CoreMailbox& mailbox(uint64_t region, uint32_t core) { return *reinterpret_cast<CoreMailbox*>(region + wire::mailbox_offset(core)); }
uint32_t generation(const LaunchBlock& launch) { return wire::run_generation(launch.run_serial); }

void notify_all(const LaunchBlock& launch) {
  for (uint32_t thread = 0; thread < launch.scheduler_threads; ++thread) launch.aicpu_port->notify(launch.aicpu_port->context, thread);
}

void fail_run(const LaunchBlock& launch, ErrorCode code) {
  int32_t expected = 0;
  __atomic_compare_exchange_n(&board_of(launch).fatal, &expected, static_cast<int32_t>(code), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

// ---- AICPU program

int32_t init(const LaunchBlock* launch) {
  Board& board = board_of(*launch);
  __builtin_memset(static_cast<void*>(&board), 0, sizeof board);
  board.threads_left = launch->scheduler_threads;
  if (plan_of(*launch).refuse != 0) {
    auto& result = *reinterpret_cast<wire::ResultBlock*>(launch->result);
    result.error.code = static_cast<int32_t>(plan_of(*launch).refuse);
    store(result.run_serial, launch->run_serial);
  }
  return static_cast<int32_t>(plan_of(*launch).refuse);
}

void orchestrate(const LaunchBlock* launch) {
  Board& board = board_of(*launch);
  const Plan& plan = plan_of(*launch);
  const wire::AicpuPort& port = *launch->aicpu_port;
  if (launch->orchestration_entry != 0) reinterpret_cast<void (*)(uint64_t)>(launch->orchestration_entry)(plan.user);
  for (uint32_t job = 0; job < plan.jobs && load(board.fatal) == 0; ++job) {
    for (;;) {
      const uint32_t completed = load(board.completed);
      if (plan.window == 0 || job - completed < plan.window || load(board.fatal) != 0) break;
      if (!port.block(port.context, &board.completed, completed)) return;
    }
    store(board.submitted, job + 1);
    notify_all(*launch);
  }
  store(board.orchestrated, 1u);
  notify_all(*launch);
}

// What COND of a core tells.
bool hear(const LaunchBlock& launch, uint32_t core) {
  Board& board = board_of(launch);
  Board::Core& own = board.core[core];
  const uint32_t cond = launch.core_port->poll(launch.core_port->context, core);
  if (own.gone || wire::token_generation(cond) != generation(launch)) return false;
  if (wire::token_sequence(cond) == wire::kExitSequence) {
    own.gone = 1;
    fail_run(launch, ErrorCode::kKernelCrashed);
    __atomic_fetch_or(&board.stuck[core >> 6], uint64_t{1} << (core & 63), __ATOMIC_ACQ_REL);
    return true;
  }
  if (wire::token_sequence(cond) == wire::kHelloSequence) own.ready = 1;
  if (own.token == 0 || cond != (own.token | wire::kFinished)) return false;
  wire::CompletionSlab& slab = mailbox(launch.region, core).slab[wire::payload_slot(own.token)];
  launch.core_port->invalidate(launch.core_port->context, &slab, sizeof slab);
  if (slab.count != core + (own.started - 1) * cores_of(launch) + 1) fail_run(launch, ErrorCode::kDeviceFault);  // not what the core wrote
  own.token = 0;
  __atomic_fetch_add(&board.completed, 1, __ATOMIC_ACQ_REL);
  return true;
}

bool feed(const LaunchBlock& launch, uint32_t core) {
  Board& board = board_of(launch);
  Board::Core& own = board.core[core];
  const Plan& plan = plan_of(launch);
  const uint32_t job = core + own.started * cores_of(launch);
  if (!own.ready || own.gone || own.token != 0 || job >= load(board.submitted) || plan.after[job] > load(board.completed)) return false;
  ++own.started;
  own.sequence = wire::next_sequence(own.sequence);
  own.token = wire::make_token(generation(launch), own.sequence);
  own.since_ns = launch.aicpu_port->now_ns(launch.aicpu_port->context);
  wire::DispatchPayload& payload = mailbox(launch.region, core).payload[wire::payload_slot(own.token)];
  payload = {};
  payload.kernel = reinterpret_cast<const uint64_t*>(launch.functions)[plan.function[job]];
  payload.task = job;
  payload.kernel_id = static_cast<int32_t>(plan.function[job]);
  payload.block_num = 1;
  launch.core_port->publish(launch.core_port->context, &payload, sizeof payload);
  launch.core_port->dispatch(launch.core_port->context, core, own.token);
  return true;
}

// True: the core's job is overdue and the run has failed.
bool check_limit(const LaunchBlock& launch, uint32_t core) {
  Board& board = board_of(launch);
  Board::Core& own = board.core[core];
  if (launch.kernel_limit_ns == 0 || own.token == 0 || own.gone) return false;
  if (launch.aicpu_port->now_ns(launch.aicpu_port->context) - own.since_ns < launch.kernel_limit_ns) return false;
  own.gone = 1;
  fail_run(launch, ErrorCode::kSchedulerTimeout);
  __atomic_fetch_or(&board.stuck[core >> 6], uint64_t{1} << (core & 63), __ATOMIC_ACQ_REL);
  return true;
}

bool thread_is_done(const LaunchBlock& launch, uint32_t thread) {
  Board& board = board_of(launch);
  const bool all_done = load(board.orchestrated) != 0 && load(board.completed) == load(board.submitted);
  const bool failed = load(board.fatal) != 0;
  if (!all_done && !(failed && load(board.orchestrated) != 0)) return false;
  for (uint32_t core = thread; core < cores_of(launch); core += launch.scheduler_threads) {
    if (!board.core[core].gone && (board.core[core].token != 0 || !board.core[core].ready)) return false;
  }
  return true;
}

void leave(const LaunchBlock& launch, uint32_t thread) {
  Board& board = board_of(launch);
  for (uint32_t core = thread; core < cores_of(launch); core += launch.scheduler_threads) {
    if (board.core[core].gone) continue;
    board.core[core].gone = 1;
    launch.core_port->dispatch(launch.core_port->context, core, wire::make_token(generation(launch), wire::kExitSequence));
  }
  if (__atomic_sub_fetch(&board.threads_left, 1, __ATOMIC_ACQ_REL) != 0) return;
  auto& result = *reinterpret_cast<wire::ResultBlock*>(launch.result);
  result.submitted = load(board.submitted);
  result.completed = load(board.completed);
  result.error.code = load(board.fatal);
  result.stuck_cores.set_word(0, load(board.stuck[0]));
  result.stuck_cores.set_word(1, load(board.stuck[1]));
  store(result.run_serial, launch.run_serial);
}

Step scheduler_step(const LaunchBlock* launch, uint32_t thread) {
  CoreMask own;
  for (uint32_t core = thread; core < cores_of(*launch); core += launch->scheduler_threads) own.set(core);
  CoreMask news = own;
  launch->core_port->news(launch->core_port->context, &news);
  bool heard = false;
  while (!news.empty()) heard |= hear(*launch, news.take_first());
  bool fed = false;
  uint64_t earliest = UINT64_MAX;
  for (CoreMask cores = own; !cores.empty();) {
    const uint32_t core = cores.take_first();
    if (load(board_of(*launch).fatal) == 0) fed |= feed(*launch, core);
    heard |= check_limit(*launch, core);
    const Board::Core& state = board_of(*launch).core[core];
    if (state.token != 0 && !state.gone && state.since_ns < earliest) earliest = state.since_ns;
  }
  const wire::AicpuPort& port = *launch->aicpu_port;
  if (heard) {
    port.wake(port.context, &board_of(*launch).completed);
    for (uint32_t other = 0; other < launch->scheduler_threads; ++other) {
      if (other != thread) port.notify(port.context, other);
    }
  }
  if (launch->kernel_limit_ns != 0 && earliest != UINT64_MAX) port.arm_timer(port.context, thread, earliest + launch->kernel_limit_ns);
  const uint64_t busy = plan_of(*launch).busy;
  if (busy != 0 && load(*reinterpret_cast<const uint32_t*>(busy)) == 0) return Step::kProgress;
  if (thread_is_done(*launch, thread)) {
    leave(*launch, thread);
    return Step::kDone;
  }
  return fed ? Step::kProgress : Step::kIdle;
}

// ---- AICore program

enum Phase : uint32_t { kNew, kWaiting, kAcknowledged };

wire::CompletionSlab& slab_of(wire::CoreContext& context) {
  return mailbox(context.region, context.core).slab[wire::payload_slot(context.last_token)];
}

void run_kernel(wire::CoreContext& context) {
  const Plan& plan = plan_of(*context.launch);
  context.local = {0, 1};
  context.global = {};
  context.global.sub_block_id = static_cast<int32_t>(context.lane);
  context.global.services = context.services;
  context.args[0] = context.payload.task;
  context.args[1] = static_cast<int64_t>(plan.user);
  context.args[kLocalContextSlot] = reinterpret_cast<int64_t>(&context.local);
  context.args[kGlobalContextSlot] = reinterpret_cast<int64_t>(&context.global);
  reinterpret_cast<void (*)(int64_t*)>(context.payload.kernel)(context.args);
  wire::CompletionSlab& slab = slab_of(context);
  slab = {};
  slab.count = context.payload.task + 1;
  context.port->clean(context.port->context, &slab, sizeof slab);
}

}  // namespace

Step core_step(wire::CoreContext* context) {
  const uint32_t own_generation = generation(*context->launch);
  if (context->phase == kNew) {
    context->phase = kWaiting;
    context->registers->report(wire::make_token(own_generation, wire::kHelloSequence));
    return Step::kProgress;
  }
  if (context->phase == kAcknowledged) {
    run_kernel(*context);
    context->phase = kWaiting;
    context->registers->report(context->last_token | wire::kFinished);
    return Step::kProgress;
  }
  const uint32_t token = context->registers->received();
  if (token == context->last_token || wire::token_generation(token) != own_generation) return Step::kIdle;
  if (wire::token_sequence(token) == wire::kExitSequence) return Step::kDone;
  wire::DispatchPayload& payload = mailbox(context->region, context->core).payload[wire::payload_slot(token)];
  context->port->invalidate(context->port->context, &payload, sizeof payload);
  context->payload = payload;
  context->last_token = token;
  context->phase = kAcknowledged;
  context->registers->report(token);
  return Step::kProgress;
}

void core_trap(wire::CoreContext* context, uint32_t signal, uint64_t fault_address) {
  wire::CompletionSlab& slab = slab_of(*context);
  slab = {};
  slab.signal = signal;
  slab.fault_address = fault_address;
  context->port->clean(context->port->context, &slab, sizeof slab);
  context->registers->report(wire::make_token(generation(*context->launch), wire::kExitSequence));
}

extern const wire::AicpuEntry kEntries[1] = {{"toy", &init, &scheduler_step, &orchestrate}};

}  // namespace taskmill::toy
