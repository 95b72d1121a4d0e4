// What the ports do in the pool.
#include <algorithm>
#include <chrono>

#include "driver/sim/pause.h"
#include "driver/sim/pool_run.h"

namespace taskmill::sim {
namespace {

constexpr uint32_t kBlockLooks = 64;  // of the orchestration, before it rests
constexpr uint32_t kWaitLooks = 256;  // of a waiting kernel, before it lets others run
constexpr auto kShortestWait = std::chrono::microseconds(100);
constexpr auto kLongestWait = std::chrono::microseconds(3200);

uint32_t load(const uint32_t* word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

bool changes_soon(const uint32_t* word, uint32_t seen, uint32_t looks) {
  for (uint32_t look = 0; look < looks; ++look) {
    if (load(word) != seen) return true;
    pause();
  }
  return false;
}

}  // namespace

// ---- the orchestration's wait

// A waker changes the word and then looks, by a read-modify-write, whether somebody waits for it; this writes that it waits,
// by a read-modify-write, and then looks at the word. The later of the two sees the other's.
bool PoolRun::block(const uint32_t* word, uint32_t seen) {
  if (changes_soon(word, seen, kBlockLooks)) return !abandoned_.load(std::memory_order_acquire);
  const ParkShield shield;
  std::unique_lock lock(mutex_);
  woken_ = false;
  blocked_on_.exchange(reinterpret_cast<uint64_t>(word), std::memory_order_seq_cst);
  unblocked_.wait(lock, [&] { return woken_ || load(word) != seen || abandoned_.load(std::memory_order_relaxed); });  // set under mutex_
  blocked_on_.exchange(0, std::memory_order_seq_cst);
  return !abandoned_.load(std::memory_order_relaxed);
}

void PoolRun::wake(const uint32_t* word) {
  if (blocked_on_.fetch_or(0, std::memory_order_seq_cst) != reinterpret_cast<uint64_t>(word)) return;
  const ParkShield shield;
  const std::lock_guard lock(mutex_);
  woken_ = true;
  unblocked_.notify_one();
}

// ---- a kernel's wait

// The word may change at any time without a word to us, so the wait is short; a step that ends cuts it shorter.
void PoolRun::let_others_run(const uint32_t* word, uint32_t seen) {
  if (changes_soon(word, seen, kWaitLooks)) return;
  const ParkShield shield;
  pool_->stall(*Worker::current());
  waiting_kernels_.fetch_add(1, std::memory_order_relaxed);  // a step that ends and misses it costs one short wait
  for (auto wait = kShortestWait; load(word) == seen && !abandoned_.load(std::memory_order_acquire);
       wait = std::min(2 * wait, kLongestWait)) {
    std::unique_lock lock(kernels_mutex_);
    kernels_.wait_for(lock, wait);
  }
  waiting_kernels_.fetch_sub(1, std::memory_order_relaxed);
}  // parks here if the run was abandoned

void PoolRun::wake_waiting_kernels() {
  const ParkShield shield;
  const std::lock_guard lock(kernels_mutex_);
  kernels_.notify_all();
}

// ---- timers

void PoolRun::arm_timer(uint32_t thread, uint64_t due_ns) {
  timers_[thread].store(due_ns, std::memory_order_seq_cst);
  if (!manual_clock_) {
    pool_->timer_armed(due_ns);
  } else if (due_ns <= clock_->now_ns()) {
    pool_->kick_monitor();
  }
}

uint64_t PoolRun::fire_timers() {
  const uint64_t now = clock_->now_ns();
  uint64_t next = kNoTimer;
  for (uint32_t thread = 0; thread < machine_.scheduler_threads(); ++thread) {
    uint64_t due = timers_[thread].load(std::memory_order_seq_cst);
    if (due > now) {
      if (!manual_clock_) next = std::min(next, due);
      continue;
    }
    if (timers_[thread].compare_exchange_strong(due, kNoTimer, std::memory_order_seq_cst)) queue(scheduler_unit(thread));
  }
  return next;
}

// ---- the tables

struct PoolRun::Ports {
  static PoolRun& run(void* context) { return *static_cast<PoolRun*>(context); }
  static PoolRun& run_of(void* seat) { return run(static_cast<CoreSeat*>(seat)->run); }
  static uint32_t viewer_of(void* seat) { return Views::core_viewer(static_cast<CoreSeat*>(seat)->core); }

  static void dispatch(void* context, uint32_t core, uint32_t token) {
    PoolRun& r = run(context);
    r.machine_.registers(core).send(token);
    r.queue(core);
  }

  static uint32_t poll(void* context, uint32_t core) { return run(context).machine_.registers(core).answer(); }

  static void news(void* context, CoreMask* cores) {
    PoolRun& r = run(context);
    for (uint32_t i = 0; i < 2; ++i) {
      const uint64_t wanted = cores->word(i);
      // A look without a change is enough if there is none: who sets news queues this scheduler afterwards.
      uint64_t news = r.news_[i].load(std::memory_order_acquire) & wanted;
      if (news != 0) news = r.news_[i].fetch_and(~wanted, std::memory_order_seq_cst) & wanted;
      cores->set_word(i, news);
    }
  }

  static void publish(void* context, const void* address, uint64_t bytes) {
    if (Views* views = run(context).machine_.views()) views->write_back(Views::kAicpu, address, bytes);
  }
  static void invalidate(void* context, const void* address, uint64_t bytes) {
    if (Views* views = run(context).machine_.views()) views->fetch(Views::kAicpu, address, bytes);
  }
  static void core_invalidate(void* seat, const void* address, uint64_t bytes) {
    if (Views* views = run_of(seat).machine_.views()) views->fetch(viewer_of(seat), address, bytes);
  }
  static void clean(void* seat, const void* address, uint64_t bytes) {
    if (Views* views = run_of(seat).machine_.views()) views->write_back(viewer_of(seat), address, bytes);
  }

  static uint64_t now_ns(void* context) { return run(context).clock_->now_ns(); }
  static uint64_t core_now_ns(void* seat) { return run_of(seat).clock_->now_ns(); }
  static void arm_timer(void* context, uint32_t thread, uint64_t due_ns) { run(context).arm_timer(thread, due_ns); }
  static bool block(void* context, const uint32_t* word, uint32_t seen) { return run(context).block(word, seen); }
  static void wake(void* context, const uint32_t* word) { run(context).wake(word); }
  static void notify(void* context, uint32_t thread) { run(context).queue(scheduler_unit(thread)); }
  static void wait_step(void* seat, const uint32_t* word, uint32_t seen) { run_of(seat).let_others_run(word, seen); }
};

const PortTable& PoolRun::ports() {
  static constexpr PortTable kTable = {
      .aicpu_side = {nullptr, &Ports::dispatch, &Ports::poll, &Ports::news, &Ports::publish, &Ports::invalidate, nullptr, &Ports::now_ns},
      .core_side = {nullptr, nullptr, nullptr, nullptr, nullptr, &Ports::core_invalidate, &Ports::clean, &Ports::core_now_ns},
      .aicpu = {nullptr, &Ports::now_ns, &Ports::arm_timer, &Ports::block, &Ports::wake, &Ports::notify},
      .wait_step = &Ports::wait_step,
  };
  return kTable;
}

}  // namespace taskmill::sim
