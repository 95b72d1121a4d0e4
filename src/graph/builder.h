// Builds the graph: each submit is checked, given room in the rings, ordered behind the tasks whose bytes it touches, and
// handed over once nothing is left to wait for.
//
// Use: init, then submit / scope_begin / scope_end in any order, then finish. All calls come from one thread, the
// orchestrator. The builder's memory may hold anything before init.
//
// Room is reserved as a whole before a task is linked anywhere; nothing is retired between the two, so what was resolved
// stays valid. Retiring is lazy: every kReclaimInterval submits, and whenever a task finds no room.
#pragma once

#include <algorithm>
#include <cstdint>

#include "graph/access_index.h"
#include "graph/edge_linker.h"
#include "graph/edge_pool.h"
#include "graph/entry_roots.h"
#include "graph/environment.h"
#include "graph/hazard_policy.h"
#include "graph/refusal.h"
#include "graph/region.h"
#include "graph/ring_set.h"
#include "graph/scope_stack.h"
#include "graph/shortfall.h"
#include "graph/task_check.h"
#include "graph/task_lines.h"
#include "taskmill/orchestration.h"
#include "wire/launch_block.h"
#include "wire/run_error.h"

namespace taskmill::graph {

template <BuilderEnvironment Environment, class Hazards = NativeHazards, class Storage = RingSet>
class Builder {
 public:
  // Makes the entry tensors and opens the entry scope. `region` is laid out as RegionLayout::make says for this launch, and
  // that layout is valid. `environment` and `launch` must outlive the builder.
  void init(const GraphRegion& region, Environment& environment, const wire::LaunchBlock& launch) {
    const RegionLayout layout = RegionLayout::make(kCoresPerCluster * launch.clusters, launch.entry_tensor_count, launch.sizes);
    *this = {};
    region_ = region;
    environment_ = &environment;
    launch_ = &launch;
    storage_.init(region, layout, launch);
    edges_.init(region.edges, region.edge_returns, layout.edge_nodes);
    scopes_.begin("", 0);
    make_entries(region, launch, scopes_.at(0).serial);
    environment.publish(region.lines, uint64_t{layout.first_argument_line} * sizeof(Line));
  }

  const Tensor& entry_tensor(uint32_t index) const { return region_.entry_tensors[index]; }
  // All, in order: what OrchestrationArgs is made of.
  const Tensor* entry_tensors() const { return region_.entry_tensors; }

  // A task that cannot be made ends the run (fatal()); from then on submits are counted and do nothing, and their outputs
  // are empty tensors.
  void submit(const TaskSpec& spec, SubmitResult& result) {
    if (fatal()) return refuse_late(spec, result);
    ResolvedTask task;
    Refusal refusal;
    if (!TaskCheck(region_, *launch_, scopes_).resolve(spec, &task, &refusal)) return refuse_for(refusal, spec, result);
    if (!storage_.fits(task.room) && !wait_for_room(spec, task.room)) return refuse(spec, result);

    const Place place = storage_.take(task.room);
    const uint32_t free_line = place_task(spec, task, place, result);
    EdgeLinker<Environment> link(region_, storage_.tasks(), edges_, *environment_, place.task);
    if (!follow_producers(spec, task, link)) return refuse(spec, result);
    record_accesses(spec, task, place, free_line);
    ++submitted_;
    if (region_.slots[place.slot].finish_linking(link.linked())) environment_->ready(place.slot);
    if ((submitted_ & (kReclaimInterval - 1)) == 0) reclaim();
  }

  // `file` must outlive the run.
  void scope_begin(const char* file, uint32_t line) {
    if (scopes_.begin(file, line)) return;
    const Refusal refusal = {.reason = wire::Reason::kScopeDepth, .needed = scopes_.depth(), .available = kMaxScopeDepth};
    fail(run_error(refusal, next_task(), kNoKernel));
  }
  void scope_end() {
    if (scopes_.depth() > kEntryScopes) return end_scope();
    fail(run_error({.reason = wire::Reason::kScopeUnderflow}, next_task(), kNoKernel));
  }
  // The orchestration has returned, or was left by an exception: ends what scopes are open and says what is still to be
  // said. Call it before anything else is concluded from the run.
  void finish() {
    while (scopes_.depth() != 0) end_scope();
  }

  // Ends the run with an error of the orchestration's own; adds the innermost scope's place. An earlier error wins.
  void fail(wire::RunError error) {
    if (shortfall_.active()) return;
    if (scopes_.depth() != 0) name_scope(scopes_.at(std::min(scopes_.innermost(), kMaxScopeDepth - 1)), &error);
    environment_->fail(error);
  }
  // True as soon as the run has failed. A deadlock is told to the environment when the scope concerned ends (it counts what
  // the scope would have needed), so the orchestration's is_fatal() must come from here.
  bool fatal() const { return shortfall_.active() || environment_->fatal(); }

  // Tasks that were made; each completes, unless the run fails.
  uint64_t submitted() const { return submitted_; }
  // Submits that came with or after the fatal error.
  uint64_t refused() const { return refused_; }
  wire::PeakUse peak() const {
    wire::PeakUse use = storage_.peak();
    use.edge_nodes = edges_.peak();
    use.edge_nodes_size = edges_.capacity();
    return use;
  }

 private:
  static constexpr uint32_t kCoresPerCluster = 3;
  static constexpr uint32_t kEntryScopes = 1;
  static constexpr int32_t kNoKernel = -1;
  static constexpr uint64_t kReclaimInterval = 64;  // submits; a power of two

  TaskRef next_task() const { return static_cast<TaskRef>(submitted_); }

  [[gnu::noinline]] void refuse(const TaskSpec& spec, SubmitResult& result) {
    ++refused_;
    result.task_id = kNoTask;
    result.output_count = 0;
    for (uint32_t i = 0; i < spec.tensor_count && i < kMaxTaskTensors; ++i) {
      if (spec.tensors[i].mode == ArgumentMode::kOutput) result.outputs[result.output_count++] = Tensor{};
    }
  }

  [[gnu::noinline]] void refuse_for(const Refusal& refusal, const TaskSpec& spec, SubmitResult& result) {
    fail(run_error(refusal, next_task(), spec.kernel_id));
    refuse(spec, result);
  }
  [[gnu::noinline]] void refuse_late(const TaskSpec& spec, SubmitResult& result) {
    if (shortfall_.active()) shortfall_.count(spec);
    refuse(spec, result);
  }

  // ---- the parts of a submit

  // Fills slot and lines. Gives the first line that is free for access records.
  uint32_t place_task(const TaskSpec& spec, ResolvedTask& task, const Place& place, SubmitResult& result) {
    const uint32_t descriptor_line = place.first_line + argument_block_lines(spec.tensor_count, spec.scalar_count);
    region_.slots[place.slot].allocate({place.task,
                                        place.first_line,
                                        static_cast<uint16_t>(spec.kernel_id),
                                        spec.core_type,
                                        static_cast<uint8_t>(spec.tensor_count),
                                        static_cast<uint8_t>(spec.scalar_count),
                                        static_cast<uint8_t>(task.own_descriptors),
                                        {}});
    const uint32_t depth = scopes_.innermost();
    const uint32_t serial = scopes_.at(depth).serial;
    result.task_id = submitted_;
    result.output_count = 0;
    TaskLines lines(region_, spec, task, place);
    lines.write({launch_->run_serial, submitted_, depth, serial}, result);
    if (task.outputs != 0) {
      region_.records[place.slot].hold(depth, serial);
      ++scopes_.at(depth).held_tasks;
      environment_->publish(region_.lines + descriptor_line, uint64_t{task.own_descriptors} * sizeof(Line));
    }
    return lines.end();
  }

  // False: abandoned.
  bool follow_producers(const TaskSpec& spec, const ResolvedTask& task, EdgeLinker<Environment>& link) const {
    const AccessIndex<Hazards> index(region_, storage_.tasks());
    for (uint32_t i = 0; i < spec.tensor_count; ++i) {
      const ResolvedArgument& argument = task.arguments[i];
      if (argument.tracked && !index.conflicts(argument.access, link)) return false;
    }
    return true;
  }

  // Comes after the hazards of all arguments, so that a task never waits for itself.
  void record_accesses(const TaskSpec& spec, const ResolvedTask& task, const Place& place, uint32_t free_line) {
    const AccessIndex<Hazards> index(region_, storage_.tasks());
    uint32_t used = 0;
    for (uint32_t i = 0; i < spec.tensor_count; ++i) {
      const ResolvedArgument& argument = task.arguments[i];
      if (argument.tracked) used += index.record(argument.access, place.task, free_line + used);
    }
    TaskRecord& record = region_.records[place.slot];
    record.first_access = free_line;
    record.access_count = static_cast<uint8_t>(used);
    storage_.trim(place.slot, task.tracked - used);
  }

  // ---- room

  // Retires what can be retired until the task fits. False: it never will, or the run failed meanwhile.
  [[gnu::noinline]] bool wait_for_room(const TaskSpec& spec, const Room& room) {
    Refusal refusal;
    if (storage_.never_fits(room, &refusal)) {
      fail(run_error(refusal, next_task(), spec.kernel_id));
      return false;
    }
    for (;;) {
      // Contract 1: the pass begins after the count was read, so it sees the room of all that the count has seen.
      const auto completed = environment_->completed();
      reclaim();
      if (storage_.fits(room)) return true;
      if (environment_->fatal()) return false;
      if (static_cast<uint32_t>(completed) == static_cast<uint32_t>(submitted_)) {
        start_shortfall(spec, room);
        return false;
      }
      if (!environment_->wait_completed(completed)) return false;
    }
  }

  [[gnu::noinline]] void reclaim() {
    const AccessIndex<Hazards> index(region_, storage_.tasks());
    const auto can_retire = [this](uint32_t slot) { return is_retirable(slot); };
    storage_.reclaim(can_retire, [&](uint32_t slot) {
      const TaskRecord& record = region_.records[slot];
      for (uint32_t i = 0; i < record.access_count; ++i) index.forget(record.first_access + i);
    });
  }

  // Completed, not held by its scope, and nobody uses its buffers.
  bool is_retirable(uint32_t slot) const {
    const TaskRecord& record = region_.records[slot];
    if (record.has_buffers && scopes_.is_open(record.scope_depth, record.scope_serial)) return false;
    TaskSlot& task = region_.slots[slot];
    return task.done() && task.pins_released() == record.pins_taken;
  }

  // A deadlock is proven. All tasks have completed, so the oldest one is kept by its open scope, and all behind it by order.
  void start_shortfall(const TaskSpec& spec, const Room& room) {
    const TaskRing& tasks = storage_.tasks();
    const uint32_t scope = region_.records[tasks.slot(tasks.oldest())].scope_depth;
    Refusal refusal = storage_.shortage(room);
    if (refusal.reason == wire::Reason::kRingSlots && scopes_.held_tasks() >= tasks.usable()) refusal.code = ErrorCode::kScopeDeadlock;
    wire::RunError error = run_error(refusal, next_task(), spec.kernel_id);
    name_scope(scopes_.at(scope), &error);
    shortfall_.start(error, scope);
  }

  void end_scope() {
    scopes_.end();
    if (shortfall_.active() && scopes_.depth() <= shortfall_.scope()) environment_->fail(shortfall_.take());
  }

  GraphRegion region_;
  Environment* environment_ = nullptr;
  const wire::LaunchBlock* launch_ = nullptr;
  Storage storage_;
  EdgePool edges_;
  ScopeStack scopes_;
  Shortfall shortfall_;
  uint64_t submitted_ = 0;
  uint64_t refused_ = 0;
};

}  // namespace taskmill::graph
