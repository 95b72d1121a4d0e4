// Builds the graph: each submit is checked, given room in the rings, ordered behind the tasks whose bytes it touches, and
// handed over once nothing is left to wait for.
//
// Use: init, then submit / scope_begin / scope_end in any order, then finish. All calls come from one thread, the
// orchestrator. The builder's memory may hold anything before init.
//
// Room is reserved as a whole before a task is linked anywhere; nothing is retired between the two, so what was resolved
// stays valid. Retiring is lazy: every kReclaimInterval submits, and whenever a task finds no room; then it is resolved again.
#pragma once

#include <algorithm>
#include <cstdint>

#include "graph/access_index.h"
#include "graph/edge_linker.h"
#include "graph/edge_pool.h"
#include "graph/element_access.h"
#include "graph/entry_roots.h"
#include "graph/environment.h"
#include "graph/hazard_rules.h"
#include "graph/refusal.h"
#include "graph/region.h"
#include "graph/ring_set.h"
#include "graph/root_finder.h"
#include "graph/scope_stack.h"
#include "graph/shortfall.h"
#include "graph/task_check.h"
#include "graph/task_lines.h"
#include "taskmill/orchestration.h"
#include "wire/launch_block.h"
#include "wire/run_error.h"

namespace taskmill::graph {

template <BuilderEnvironment Environment>
class Builder {
 public:
  // Makes the entry tensors and opens the entry scope. `region` is laid out as RegionLayout::make says for this launch, and
  // that layout is valid. `environment` and `launch` must outlive the builder.
  void init(const GraphRegion& region, Environment& environment, const wire::LaunchBlock& launch) {
    init(region, environment, launch, HazardRules::of(launch.rules));
  }
  // With rules of the caller's own, for tests.
  void init(const GraphRegion& region, Environment& environment, const wire::LaunchBlock& launch, const HazardRules& rules) {
    const RegionLayout layout = RegionLayout::make(kCoresPerCluster * launch.clusters, launch.entry_tensor_count, launch.sizes);
    *this = {};
    region_ = region;
    environment_ = &environment;
    launch_ = &launch;
    rules_ = rules;
    rings_.init(region, layout, launch);
    for (uint32_t i = 0; i < wire::kRings; ++i) edges_[i].init(region.edges[i], region.edge_returns + i, layout.rings[i].edge_nodes);
    scopes_.begin("", 0, false);
    roots_ = RootFinder(region_, rings_, make_entries(region, launch, scopes_.at(0).serial));
    check_ = TaskCheck(region_, launch, scopes_, rings_, rules_, roots_);
    accesses_ = AccessIndex(region_, rings_.tasks(), rules_);
    environment.publish(region.lines, uint64_t{launch.entry_tensor_count} * kEntryLines * sizeof(Line));
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
    if (!check_.resolve(spec, &task, &refusal)) return refuse_for(refusal, spec, result);
    if (!rings_.fits(task.room) && !wait_for_room(spec, &task)) return refuse(spec, result);

    if (accesses_.has_crowds() && !form_groups(spec, task)) return refuse(spec, result);
    const Place place = rings_.take(task.room);
    const uint32_t free_line = place_task(spec, task, place, result);
    ++made_;
    if (spec.kind != TaskKind::kAllocation) {
      const uint32_t ring = task.room.ring;
      EdgeLinker<Environment> link(region_, rings_.tasks(), ring, edges_[ring], *environment_, place.task);
      if (!follow_producers(spec, task, link)) return refuse(spec, result);
      record_accesses(spec, task, place, free_line);
      ++submitted_;
      if (region_.slots[place.slot].finish_linking(link.linked())) environment_->ready(place.slot);
    }
    if ((made_ & (kReclaimInterval - 1)) == 0) reclaim_all();
  }

  // `file` must outlive the run.
  void scope_begin(const char* file, uint32_t line, ScopeMode mode = ScopeMode::kAuto) {
    const bool manual = mode == ScopeMode::kManual;
    const bool inside_manual = scopes_.depth() != 0 && scopes_.depth() <= kMaxScopeDepth && scopes_.at(scopes_.innermost()).manual;
    if (!scopes_.begin(file, line, manual)) {
      refuse_scope({.reason = wire::Reason::kScopeDepth, .needed = scopes_.depth(), .available = kMaxScopeDepth});
    } else if (inside_manual && !manual) {
      refuse_scope({.reason = wire::Reason::kAutoInManual});
    }
  }
  void scope_end() {
    if (scopes_.depth() > kEntryScopes) return end_scope();
    refuse_scope({.reason = wire::Reason::kScopeUnderflow});
  }
  // The orchestration has returned, or was left by an exception: ends what scopes are open and says what is still to be
  // said. Call it before anything else is concluded from the run.
  void finish() {
    while (scopes_.depth() != 0) end_scope();
  }

  // The element's bytes, zero-extended; waits for the tasks that write it. 0 after a fatal error.
  uint64_t read_element(const Tensor& tensor, uint32_t ndims, const uint32_t* index) {
    const Element element = reach_element(false, tensor, ndims, index);
    if (element.bytes == 0) return 0;
    environment_->invalidate(reinterpret_cast<const void*>(element.address), element.bytes);
    return element.load();
  }
  // Waits for the tasks that read or write the element, then writes as many low bytes of `value` as it has.
  void write_element(const Tensor& tensor, uint32_t ndims, const uint32_t* index, uint64_t value) {
    const Element element = reach_element(true, tensor, ndims, index);
    if (element.bytes == 0) return;
    element.store(value);
    environment_->publish(reinterpret_cast<const void*>(element.address), element.bytes);
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

  // Tasks that were handed to the schedulers; each completes, unless the run fails.
  uint64_t submitted() const { return submitted_; }
  // Those among them that the builder added (access_index.h).
  uint64_t groups() const { return groups_; }
  // Submits that came with or after the fatal error.
  uint64_t refused() const { return refused_; }
  wire::RingUse use(uint32_t ring) const {
    wire::RingUse use = rings_.use(ring);
    // Edges alone never block a run for good.
    use.edge_nodes = {edges_[ring].peak(), edges_[ring].capacity(), kMinEdgeNodes};
    return use;
  }

 private:
  static constexpr uint32_t kCoresPerCluster = 3;
  static constexpr uint32_t kEntryScopes = 1;
  static constexpr int32_t kNoKernel = -1;
  static constexpr uint64_t kReclaimInterval = 64;  // submits; a power of two

  uint32_t next_task() const { return static_cast<uint32_t>(made_); }
  wire::RunError task_error(const Refusal& refusal, const TaskSpec& spec) const {
    return run_error(refusal, next_task(), spec.kind == TaskKind::kKernel ? spec.kernel_id : kNoKernel);
  }

  [[gnu::noinline]] void refuse(const TaskSpec& spec, SubmitResult& result) {
    ++refused_;
    result.task_id = kNoTask;
    result.output_count = 0;
    for (uint32_t i = 0; i < spec.tensor_count && i < kMaxTaskTensors; ++i) {
      if (spec.tensors[i].mode == ArgumentMode::kOutput) result.outputs[result.output_count++] = Tensor{};
    }
  }

  [[gnu::noinline]] void refuse_for(const Refusal& refusal, const TaskSpec& spec, SubmitResult& result) {
    fail(task_error(refusal, spec));
    refuse(spec, result);
  }
  [[gnu::noinline]] void refuse_late(const TaskSpec& spec, SubmitResult& result) {
    if (shortfall_.active()) shortfall_.count(spec, wire::ring_of_depth(scopes_.innermost()));
    refuse(spec, result);
  }
  [[gnu::noinline]] void refuse_scope(const Refusal& refusal) { fail(run_error(refusal, next_task(), kNoKernel)); }

  // ---- the parts of a submit

  // Where the task would be one of many that follow the same many. False: abandoned.
  [[gnu::noinline]] bool form_groups(const TaskSpec& spec, const ResolvedTask& task) {
    const Room room = {.ring = kGroupRing, .lines = kGroupLines};
    for (uint32_t i = 0; i < spec.tensor_count; ++i) {
      if (!task.arguments[i].access.tracked) continue;
      if (!rings_.fits(room)) reclaim(kGroupRing);
      if (!rings_.fits(room)) return true;
      const WantedGroup wanted = accesses_.wanted_group(task.arguments[i].access);
      if (wanted.kind == Group::kNone) continue;
      if (!form_group(wanted, task.arguments[i].access, rings_.take(room), task.room.ring)) return false;
    }
    return true;
  }
  bool form_group(const WantedGroup& wanted, const Access& access, const Place& place, uint32_t ring) {
    TaskDescription description = {};
    description.task = next_task();
    description.argument_line = place.first_line + 1;  // behind its access record: the view that it is about
    description.kernel_id = kGroupKernelId;
    region_.slots[place.slot].allocate(description);
    EdgeLinker<Environment> link(region_, rings_.tasks(), ring, edges_[ring], *environment_, place.task);
    if (!accesses_.form_group(wanted, access, place.task, place.first_line, link)) return false;
    region_.records[place.slot].first_access = place.first_line;
    region_.records[place.slot].access_count = 1;
    ++submitted_;
    ++groups_;
    if (region_.slots[place.slot].finish_linking(link.linked())) environment_->ready(place.slot);
    return true;
  }

  // Fills slot and lines. Gives the first line that is free for access records.
  uint32_t place_task(const TaskSpec& spec, ResolvedTask& task, const Place& place, SubmitResult& result) {
    const TaskDescription description = {next_task(),
                                         place.first_line,
                                         spec.kind == TaskKind::kKernel ? static_cast<uint16_t>(spec.kernel_id) : kNoKernelId,
                                         spec.core_type,
                                         static_cast<uint8_t>(spec.tensor_count),
                                         static_cast<uint8_t>(spec.scalar_count),
                                         static_cast<uint8_t>(task.own_descriptors),
                                         static_cast<uint16_t>(task.retained)};
    if (spec.kind == TaskKind::kAllocation) {
      region_.slots[place.slot].allocate_completed(description);
    } else {
      region_.slots[place.slot].allocate(description);
    }
    const uint32_t depth = scopes_.innermost();
    Scope& scope = scopes_.at(depth);
    TaskRecord& record = region_.records[place.slot];
    record.scope_depth = static_cast<uint8_t>(depth);
    record.scope_serial = scope.serial;
    result.task_id = place.id;
    result.output_count = 0;
    TaskLines lines(region_, spec, task, place);
    lines.write({launch_->run_serial, place.id, depth, scope.serial}, rings_.tasks(), result);
    if (task.outputs != 0) hold_buffers(spec, task, place, scope, result);
    return lines.end();
  }

  // The task's buffers live until their scope ends; their descriptors are read by other tasks too.
  void hold_buffers(const TaskSpec& spec, const ResolvedTask& task, const Place& place, Scope& scope, const SubmitResult& result) {
    region_.records[place.slot].buffers = static_cast<uint8_t>(task.outputs);
    if (scope.held_tasks++ == 0) {
      scope.first_held = rings_.frontier(task.room.ring);
      scope.first_held.tasks -= 1;
      scope.first_held.lines -= task.room.most_lines;
      scope.first_held.heap_units -= task.room.heap_units;
    }
    const uint32_t descriptors = region_.slots[place.slot].description().descriptor_line();
    environment_->publish(region_.lines + descriptors, uint64_t{task.own_descriptors} * sizeof(Line));
    if (task.fills) fill_buffers(spec, result);
  }

  [[gnu::noinline]] void fill_buffers(const TaskSpec& spec, const SubmitResult& result) {
    uint32_t output = 0;
    for (uint32_t i = 0; i < spec.tensor_count; ++i) {
      if (spec.tensors[i].mode != ArgumentMode::kOutput) continue;
      const Tensor& buffer = result.outputs[output++];
      const TensorSpec& asked = *spec.tensors[i].spec;
      if (!asked.has_initial_value) continue;
      const uint64_t bytes = heap_units(buffer.buffer_bytes) * kBufferAlignment;
      fill_elements(buffer.buffer.addr, bytes, element_bytes(asked.dtype), asked.initial_value);
      environment_->publish(reinterpret_cast<const void*>(buffer.buffer.addr), bytes);
    }
  }

  // False: abandoned.
  bool follow_producers(const TaskSpec& spec, const ResolvedTask& task, EdgeLinker<Environment>& link) {
    for (uint32_t i = 0; i < spec.tensor_count; ++i) {
      const ResolvedArgument& argument = task.arguments[i];
      if (argument.access.follows_maker && link(maker_of(argument)) == Link::kAbandoned) return false;
      if ((argument.access.follows_writers || argument.access.follows_readers) && !argument.access.footprint.empty()) {
        const uint32_t before = link.linked();
        if (!accesses_.conflicts(argument.access, link)) return false;
        accesses_.note_edges(argument.access, link.consumer(), link.linked() - before);
      }
    }
    for (uint32_t i = 0; i < spec.dependency_count; ++i) {
      TaskRef producer = 0;
      if (rings_.tasks().find(spec.dependencies[i], &producer) != TaskRings::Known::kLive) continue;
      if (link(producer) == Link::kAbandoned) return false;
    }
    return true;
  }
  TaskRef maker_of(const ResolvedArgument& argument) const {
    return region_.line_as<const RootRecord>(argument.access.root_line)->owner_task;
  }

  // Comes after the hazards of all arguments, so that a task never waits for itself.
  void record_accesses(const TaskSpec& spec, const ResolvedTask& task, const Place& place, uint32_t free_line) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < spec.tensor_count; ++i) {
      const ResolvedArgument& argument = task.arguments[i];
      if (argument.access.tracked) used += accesses_.record(argument.access, place.task, free_line + used);
    }
    TaskRecord& record = region_.records[place.slot];
    record.first_access = free_line;
    record.access_count = static_cast<uint8_t>(used);
    rings_.trim(place, task.tracked - used);
  }

  // ---- elements

  // Where the element lies, once nothing is in the way of using it. bytes == 0: not at all, the run has failed.
  Element reach_element(bool writes, const Tensor& tensor, uint32_t ndims, const uint32_t* index_of_element) {
    if (fatal()) return {};
    Refusal refusal;
    Tensor view;
    ResolvedArgument argument;
    static_cast<Conduct&>(argument.access) = HazardRules::element_conduct(writes);
    if (!element_view(tensor, ndims, index_of_element, &view, &refusal) || !check_.resolve_existing(view, &argument, &refusal)) {
      fail(run_error(refusal, next_task(), kNoKernel));
      return {};
    }
    const auto wait = [&](TaskRef producer) { return wait_for(producer); };
    if (!accesses_.conflicts(argument.access, wait)) return {};
    return {view.buffer.addr + view.start_offset * element_bytes(view.dtype), element_bytes(view.dtype)};
  }

  Link wait_for(TaskRef producer) {
    if (!rings_.tasks().live(producer)) return Link::kCompleted;
    TaskSlot& task = region_.slots[rings_.tasks().slot(producer)];
    for (;;) {
      const auto seen = environment_->completed();
      if (task.done()) return Link::kCompleted;
      if (environment_->fatal() || !environment_->wait_completed(seen)) return Link::kAbandoned;
    }
  }

  // ---- room

  // Retires what can be retired until the task fits, and resolves it anew: a dependency that has retired needs no room. False:
  // it never will, or the run failed meanwhile.
  [[gnu::noinline]] bool wait_for_room(const TaskSpec& spec, ResolvedTask* task) {
    for (;;) {
      // Contract 1: the pass begins after the count was read, so it sees the room of all that the count has seen.
      const auto completed = environment_->completed();
      reclaim_all();
      Refusal refusal;
      if (!check_.resolve(spec, task, &refusal) || rings_.never_fits(task->room, &refusal)) {
        fail(task_error(refusal, spec));
        return false;
      }
      if (rings_.fits(task->room)) return true;
      if (environment_->fatal()) return false;
      if (static_cast<uint32_t>(completed) == static_cast<uint32_t>(submitted_)) {
        if (scopes_.give_up_lingering(task->room.ring)) continue;
        start_shortfall(spec, task->room);
        return false;
      }
      if (!environment_->wait_completed(completed)) return false;
    }
  }

  void reclaim_all() {
    for (uint32_t ring = 0; ring < kTaskRings; ++ring) reclaim(ring);
  }
  [[gnu::noinline]] void reclaim(uint32_t ring) {
    const auto can_retire = [this](uint32_t slot) { return is_retirable(slot); };
    rings_.reclaim(ring, can_retire, [&](uint32_t slot) {
      const TaskRecord& record = region_.records[slot];
      for (uint32_t i = 0; i < record.access_count; ++i) accesses_.forget(record.first_access + i);
    });
  }

  // Completed, not held by its scope, and nobody uses its buffers.
  bool is_retirable(uint32_t slot) const {
    const TaskRecord& record = region_.records[slot];
    if (record.buffers != 0 && scopes_.keeps(record.scope_depth, record.scope_serial)) return false;
    TaskSlot& task = region_.slots[slot];
    return task.done() && task.pins_released() == record.pins_taken;
  }

  // A deadlock is proven. All tasks have completed, so the ring's oldest one is kept by its open scope, and all behind it by
  // order.
  void start_shortfall(const TaskSpec& spec, const Room& room) {
    const TaskRing& tasks = rings_.tasks().at(room.ring);
    const uint32_t scope = region_.records[tasks.slot(tasks.oldest())].scope_depth;
    Refusal refusal = rings_.shortage(room);
    if (refusal.reason == wire::Reason::kRingSlots && scopes_.held_tasks(room.ring) >= tasks.usable()) {
      refusal.code = ErrorCode::kScopeDeadlock;
    }
    wire::RunError error = task_error(refusal, spec);
    name_scope(scopes_.at(scope), &error);
    shortfall_.start(error, scope);
  }

  void end_scope() {
    scopes_.end(rules_.closed_scopes_linger,
                [this](uint32_t depth, const Frontier& first_held) { rings_.note_held(wire::ring_of_depth(depth), first_held); });
    if (shortfall_.active() && scopes_.depth() <= shortfall_.scope()) environment_->fail(shortfall_.take());
  }

  GraphRegion region_;
  Environment* environment_ = nullptr;
  const wire::LaunchBlock* launch_ = nullptr;
  HazardRules rules_;
  RingSet rings_;
  EdgePool edges_[wire::kRings];
  ScopeStack scopes_;
  RootFinder roots_;
  TaskCheck check_;
  AccessIndex accesses_;
  Shortfall shortfall_;
  uint64_t made_ = 0;
  uint64_t submitted_ = 0;
  uint64_t groups_ = 0;
  uint64_t refused_ = 0;
};

}  // namespace taskmill::graph
