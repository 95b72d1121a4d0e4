// Finds, for an access to a root, the earlier tasks that it must follow, and remembers the access. Orchestrator only.
//
// Two steps, so that a task never depends on itself: `conflicts` for all arguments of a task, then `record` for all.
// Every record in the index belongs to a task that was not retired. A task that has completed gives no edge; where one is
// met, its record goes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "graph/access_record.h"
#include "graph/byte_lattice.h"
#include "graph/crowds.h"
#include "graph/hazard_rules.h"
#include "graph/interval_tree.h"
#include "graph/region.h"
#include "graph/root.h"
#include "graph/task_ring.h"

namespace taskmill::graph {

enum class Link : uint8_t {
  kPending,    // the task follows this producer
  kCompleted,  // the producer has completed: nothing to wait for, now or later
  kAbandoned,  // the run failed while room for an edge was waited for
};

// N tasks that each follow the same M would cost N · M edges; with a task of the runtime's own between them, a group, it is
// N + M. A group has no kernel: it is complete as soon as all that it follows are. The first access that follows many forms
// none, for it may be the only one; the next one of its kind does, if enough of them are pending still. Bytes are the same if the
// interval is, of views that are no interval if the descriptor is.
enum class Group : uint8_t {
  kNone,
  kWriters,       // of what an access reads: it and later readers of the same bytes follow the group
  kWholeReaders,  // of a root: this access and others that write parts of it follow the group
  kPartReaders,   // likewise, of the same bytes of a root
};
struct WantedGroup {
  Group kind = Group::kNone;
  uint32_t run = kNoLine;  // of kPartReaders: the record of a member
};

class AccessIndex {
 public:
  AccessIndex() = default;
  // All three must outlive the index and stay where they are.
  AccessIndex(const GraphRegion& region, const TaskRings& tasks, const HazardRules& rules)
      : region_(&region), tasks_(&tasks), rules_(&rules) {}

  // Calls link(TaskRef) → Link for each task that the access must follow. False: abandoned.
  template <class LinkTo>
  bool conflicts(const Access& access, LinkTo&& link) const {
    RootRecord& root = *region_->line_as<RootRecord>(access.root_line);
    if (root.write_groups != kNoLine && only_reads(access)) {
      const uint32_t line = write_group_of(root, access);
      if (line != kNoLine) return link(at(line).task) != Link::kAbandoned;
    }
    const Cover cover = access.whole || root.partials == kNoLine ? Cover() : cover_of(root, access);
    // Whole readers follow the writer, so whoever follows them follows it.
    const bool writer_is_implied = cover.found || (access.follows_readers && rules_->read_after_write && root.has_readers());
    if (access.follows_readers && root.has_readers() && !follow_readers(root, cover, link)) return false;
    if (root.writer_use != 0 && !writer_is_implied && is_followed(root.writer_use, access)) {
      const Link linked = link(root.writer);
      if (linked == Link::kAbandoned) return false;
      if (linked == Link::kCompleted) root.writer_use = 0;
    }
    return root.partials == kNoLine || follow_partials(root, access, cover, link);
  }

  // The access, of `task`, has made so many edges.
  void note_edges(const Access& access, TaskRef task, uint32_t edges) {
    if (edges >= rules_->group_from) crowds_.note(access, task);
  }
  // A quick look before wanted_group.
  bool has_crowds() const { return crowds_.any(); }
  // Would a group save edges, now that this access comes?
  WantedGroup wanted_group(const Access& access) {
    const Crowd* crowd = crowds_.find(access);
    if (crowd == nullptr) return {};
    // Whoever followed them all is done, and so are they.
    if (!is_pending(crowd->task)) {
      crowds_.forget(access);
      return {};
    }
    RootRecord& root = *region_->line_as<RootRecord>(access.root_line);
    const uint32_t followed_by = order_of(crowd->task);
    if (only_reads(access)) {
      const bool wanted = write_group_of(root, access) == kNoLine && has_many_writers(root, access, followed_by);
      return {wanted ? Group::kWriters : Group::kNone};
    }
    const Cover cover = cover_of(root, access);
    if (has_many_readers(root, cover, followed_by)) return {Group::kWholeReaders};
    const uint32_t run = run_of_readers(root, access, cover, followed_by);
    return {run != kNoLine ? Group::kPartReaders : Group::kNone, run};
  }
  // Makes `group`, a new task that `link` links, follow its members and stand for them. The two lines from `lines` on are free:
  // for a record and the view that it is about. Nothing was retired since wanted_group. False: abandoned.
  template <class LinkTo>
  bool form_group(const WantedGroup& wanted, const Access& access, TaskRef group, uint32_t lines, LinkTo&& link) const {
    RootRecord& root = *region_->line_as<RootRecord>(access.root_line);
    at(lines).kind = RecordKind::kRemoved;
    if (wanted.kind == Group::kWholeReaders) {
      if (!follow_readers(root, Cover(), link)) return false;
      while (root.more_readers != kNoLine) unlink(root, root.more_readers);
      root.reader_count = 1;
      root.readers[0] = group;
      return true;
    }
    if (wanted.kind == Group::kPartReaders) return gather_run(root, at(wanted.run), access, group, lines, link);
    if (!conflicts(access, link)) return false;
    Access read = access;
    keep_view(&read, lines + 1);
    start(root, read, group, lines, RecordKind::kWriteGroup);
    push_front(&root.write_groups, lines);
    return true;
  }

  // The access of `task` takes part in what comes later. May use the free line `line` for it; true: it did.
  bool record(const Access& access, TaskRef task, uint32_t line) const {
    RootRecord& root = *region_->line_as<RootRecord>(access.root_line);
    if (!access.whole || !access.ordered) return record_interval(root, access, task, line);
    if ((access.use & kWrites) != 0) {
      record_whole_write(root, task, access.use);
      return false;
    }
    return record_whole_read(root, access, task, line);
  }

  // The task that made the record in `line` is about to be retired.
  void forget(uint32_t line) const {
    const AccessRecord& record = at(line);
    if (record.kind == RecordKind::kRemoved) return;
    // A buffer's record goes with the task that made it.
    if (!record.root_is_entry && !tasks_->live(record.root_owner)) return;
    RootRecord& root = *region_->line_as<RootRecord>(record.root_line);
    if (record.epoch == root.epoch) unlink(root, line);
  }

 private:
  AccessRecord& at(uint32_t line) const { return *region_->line_as<AccessRecord>(line); }

  bool is_pending(TaskRef task) const { return tasks_->live(task) && !region_->slots[tasks_->slot(task)].done(); }

  // The newest pending write that covers an access and follows all that conflicts with it: whatever is older is implied by it.
  struct Cover {
    bool found = false;
    uint32_t task = 0;  // place in the order of submits
  };
  Cover cover_of(const RootRecord& root, const Access& access) const {
    Cover cover;
    uint32_t partials = root.partials;
    const IntervalTree tree(region_->lines, &partials);
    const IntervalTree::Query query = {access.footprint.begin, access.footprint.end, true};
    for (uint32_t line = tree.first(query); line != kNoLine; line = tree.next(line, query)) {
      const AccessRecord& record = at(line);
      if ((record.use & kOrdered) == 0 || record.begin > access.footprint.begin || record.end < access.footprint.end) continue;
      if (!is_newer(record.task, cover) || region_->slots[tasks_->slot(record.task)].done()) continue;
      if (record.view == 0 || surely_covers(lattice_of(root, record), lattice_of(root, access))) cover = {true, order_of(record.task)};
    }
    return cover;
  }
  // Places wrap after 2³² submits. Those of pending tasks are less than half of that apart; whoever has completed may be put on
  // either side, and gives no edge.
  bool is_newer(TaskRef task, const Cover& cover) const { return !cover.found || static_cast<int32_t>(order_of(task) - cover.task) > 0; }
  uint32_t order_of(TaskRef task) const { return region_->slots[tasks_->slot(task)].description().task; }

  // A member worth a group: the task at the place `followed_by` has followed it too.
  bool is_one_of_many(TaskRef task, uint32_t followed_by) const {
    return is_pending(task) && static_cast<int32_t>(order_of(task) - followed_by) < 0;
  }
  bool has_many_readers(const RootRecord& root, const Cover& cover, uint32_t followed_by) const {
    uint32_t pending = 0;
    for (uint32_t line = root.more_readers; line != kNoLine && pending < rules_->group_from; line = at(line).right) {
      if (!is_newer(at(line).task, cover)) break;
      pending += is_one_of_many(at(line).task, followed_by);
    }
    return pending == rules_->group_from;
  }
  // Of what `access` reads, beyond what is implied.
  bool has_many_writers(RootRecord& root, const Access& access, uint32_t followed_by) const {
    const Cover cover = access.whole ? Cover() : cover_of(root, access);
    const IntervalTree tree(region_->lines, &root.partials);
    const IntervalTree::Query query = {access.footprint.begin, access.footprint.end, true};
    uint32_t pending = 0;
    for (uint32_t line = tree.first(query); line != kNoLine && pending < rules_->group_from; line = tree.next(line, query)) {
      pending += is_one_of_many(at(line).task, followed_by) && !is_implied(at(line), cover) && share_bytes(root, access, at(line));
    }
    return pending == rules_->group_from;
  }

  // The first of many pending reads of the same bytes, some of which `access` writes; kNoLine: there are none. Reads of other
  // bytes may stand between them, of so many kinds that all have a place in `runs`.
  uint32_t run_of_readers(RootRecord& root, const Access& access, const Cover& cover, uint32_t followed_by) const {
    struct Run {
      uint32_t first = kNoLine;
      uint32_t pending = 0;
    };
    constexpr uint32_t kRuns = 32;
    Run runs[kRuns];
    uint32_t oldest = 0;
    const IntervalTree tree(region_->lines, &root.partials);
    const IntervalTree::Query query = {access.footprint.begin, access.footprint.end, false};
    for (uint32_t line = tree.first(query); line != kNoLine; line = tree.next(line, query)) {
      if (at(line).use != (kReads | kOrdered) || is_implied(at(line), cover) || !share_bytes(root, access, at(line))) continue;
      Run* run = std::find_if(runs, runs + kRuns, [&](const Run& r) { return r.first != kNoLine && same_bytes(at(line), at(r.first)); });
      if (run == runs + kRuns) {
        run = runs + oldest++ % kRuns;
        *run = {line, 0};
      }
      run->pending += is_one_of_many(at(line).task, followed_by);
      if (run->pending == rules_->group_from) return run->first;
    }
    return kNoLine;
  }
  // The group's record takes the place of those of its members.
  template <class LinkTo>
  bool gather_run(RootRecord& root, const AccessRecord& first, const Access& access, TaskRef group, uint32_t lines, LinkTo& link) const {
    Access read = access;
    read.use = kReads;
    read.footprint = {first.begin, first.end, first.view == 0};
    if (first.view != 0) read.view = &view_of(first);
    keep_view(&read, lines + 1);
    const IntervalTree tree(region_->lines, &root.partials);
    const IntervalTree::Query query = {read.footprint.begin, read.footprint.end, false};
    for (uint32_t member = tree.first(query), next = kNoLine; member != kNoLine; member = next) {
      next = tree.next(member, query);
      if (at(member).use != (kReads | kOrdered) || !same_bytes(at(member), read)) continue;
      if (link(at(member).task) == Link::kAbandoned) return false;
      unlink(root, member);
    }
    return record_interval(root, read, group, lines);
  }
  // A group's second line is where a task's first own descriptor would lie: of the view that the group is about.
  void keep_view(Access* access, uint32_t line) const {
    access->view_index = 0;
    if (!access->footprint.exact) std::memcpy(region_->lines + line, access->view, sizeof(TensorDescriptor));
  }
  // The group that follows all who have written what `access` reads. kNoLine: there is none.
  uint32_t write_group_of(const RootRecord& root, const Access& access) const {
    uint32_t line = root.write_groups;
    while (line != kNoLine && !same_bytes(at(line), access)) line = at(line).right;
    return line;
  }
  bool same_bytes(const AccessRecord& record, const Access& access) const {
    if (record.begin != access.footprint.begin || record.end != access.footprint.end) return false;
    return access.footprint.exact ? record.view == 0 : record.view != 0 && same_descriptor(view_of(record), *access.view);
  }
  bool same_bytes(const AccessRecord& a, const AccessRecord& b) const {
    if (a.begin != b.begin || a.end != b.end || (a.view == 0) != (b.view == 0)) return false;
    return a.view == 0 || same_descriptor(view_of(a), view_of(b));
  }

  static bool is_followed(uint8_t earlier_use, const Access& access) {
    return ((earlier_use & kWrites) != 0 && access.follows_writers) || ((earlier_use & kReads) != 0 && access.follows_readers);
  }

  // The list holds the newest reader first.
  template <class LinkTo>
  bool follow_readers(RootRecord& root, const Cover& cover, LinkTo& link) const {
    uint8_t kept = 0;
    for (uint8_t i = 0; i < root.reader_count; ++i) {
      const bool implied = cover.found && tasks_->live(root.readers[i]) && !is_newer(root.readers[i], cover);
      const Link linked = implied ? Link::kPending : link(root.readers[i]);
      if (linked == Link::kAbandoned) return false;
      if (linked == Link::kPending) root.readers[kept++] = root.readers[i];
    }
    root.reader_count = kept;
    for (uint32_t line = root.more_readers; line != kNoLine;) {
      const uint32_t next = at(line).right;
      if (!is_newer(at(line).task, cover)) break;
      const Link linked = link(at(line).task);
      if (linked == Link::kAbandoned) return false;
      if (linked == Link::kCompleted) unlink(root, line);
      line = next;
    }
    return true;
  }

  template <class LinkTo>
  bool follow_partials(RootRecord& root, const Access& access, const Cover& cover, LinkTo& link) const {
    const IntervalTree tree(region_->lines, &root.partials);
    const IntervalTree::Query query = {access.footprint.begin, access.footprint.end, !access.follows_readers};
    for (uint32_t line = tree.first(query), next = kNoLine; line != kNoLine; line = next) {
      next = tree.next(line, query);
      const AccessRecord& record = at(line);
      if (!is_followed(record.use, access) || is_implied(record, cover) || !share_bytes(root, access, record)) continue;
      const Link linked = link(record.task);
      if (linked == Link::kAbandoned) return false;
      if (linked == Link::kCompleted) unlink(root, line);
    }
    return true;
  }

  bool is_implied(const AccessRecord& record, const Cover& cover) const {
    return cover.found && static_cast<int32_t>(order_of(record.task) - cover.task) < 0;
  }
  // REQUIRES: their intervals overlap.
  bool share_bytes(const RootRecord& root, const Access& access, const AccessRecord& record) const {
    if (access.footprint.exact && record.view == 0) return true;
    return may_overlap(lattice_of(root, access), lattice_of(root, record));
  }
  static ByteLattice lattice_of(const RootRecord& root, const Access& access) {
    if (access.footprint.exact) return ByteLattice::interval(root.base + access.footprint.begin, root.base + access.footprint.end);
    return ByteLattice::of(*access.view);
  }
  ByteLattice lattice_of(const RootRecord& root, const AccessRecord& record) const {
    if (record.view == 0) return ByteLattice::interval(root.base + record.begin, root.base + record.end);
    return ByteLattice::of(view_of(record));
  }
  // REQUIRES: record.view != 0.
  const TensorDescriptor& view_of(const AccessRecord& record) const {
    const TaskDescription& task = region_->slots[tasks_->slot(record.task)].description();
    return *region_->line_as<const TensorDescriptor>(task.descriptor_line() + record.view - 1);
  }

  // Whoever conflicts with an earlier access conflicts with this one, which follows all of them.
  static void record_whole_write(RootRecord& root, TaskRef task, uint8_t use) {
    ++root.epoch;
    root.partials = kNoLine;
    root.more_readers = kNoLine;
    root.reader_count = 0;
    root.write_groups = kNoLine;
    root.writer = task;
    root.writer_use = use;
  }

  bool record_whole_read(RootRecord& root, const Access& access, TaskRef task, uint32_t line) const {
    if (root.reader_count == kInlineReaders) drop_retired_readers(root);
    if (root.reader_count < kInlineReaders) {
      root.readers[root.reader_count++] = task;
      return false;
    }
    start(root, access, task, line, RecordKind::kReader);
    push_front(&root.more_readers, line);
    return true;
  }
  void push_front(uint32_t* list, uint32_t line) const {
    at(line).parent = kNoLine;
    at(line).right = *list;
    if (*list != kNoLine) at(*list).parent = line;
    *list = line;
  }

  // A buffer that is only read has its places in the line for those who read it lately.
  void drop_retired_readers(RootRecord& root) const {
    uint8_t kept = 0;
    for (uint8_t i = 0; i < root.reader_count; ++i) {
      if (tasks_->live(root.readers[i])) root.readers[kept++] = root.readers[i];
    }
    root.reader_count = kept;
  }

  bool record_interval(RootRecord& root, const Access& access, TaskRef task, uint32_t line) const {
    if ((access.use & kWrites) != 0) {
      if (root.write_groups != kNoLine) dissolve_write_groups(root, access);
      if (access.ordered && root.partials != kNoLine) remove_covered(root, access);
    }
    start(root, access, task, line, RecordKind::kInterval);
    IntervalTree(region_->lines, &root.partials).insert(line);
    return true;
  }

  // They no longer stand for all who have written.
  [[gnu::noinline]] void dissolve_write_groups(RootRecord& root, const Access& access) const {
    for (uint32_t line = root.write_groups, next = kNoLine; line != kNoLine; line = next) {
      next = at(line).right;
      const bool overlap = at(line).begin < access.footprint.end && access.footprint.begin < at(line).end;
      if (overlap && share_bytes(root, access, at(line))) unlink(root, line);
    }
  }

  void remove_covered(RootRecord& root, const Access& access) const {
    IntervalTree tree(region_->lines, &root.partials);
    const IntervalTree::Query query = {access.footprint.begin, access.footprint.end, false};
    for (uint32_t line = tree.first(query); line != kNoLine;) {
      const uint32_t next = tree.next(line, query);
      if (covers(root, access, at(line))) unlink(root, line);
      line = next;
    }
  }
  bool covers(const RootRecord& root, const Access& access, const AccessRecord& record) const {
    if (record.begin < access.footprint.begin || record.end > access.footprint.end) return false;
    return access.footprint.exact || surely_covers(lattice_of(root, access), lattice_of(root, record));
  }

  AccessRecord& start(const RootRecord& root, const Access& access, TaskRef task, uint32_t line, RecordKind kind) const {
    AccessRecord& record = at(line);
    record.begin = access.footprint.begin;
    record.end = access.footprint.end;
    record.task = task;
    record.root_line = access.root_line;
    record.root_is_entry = root.owner == 0;
    record.root_owner = root.owner_task;
    record.epoch = root.epoch;
    record.kind = kind;
    record.use = static_cast<uint8_t>(access.use | (access.ordered ? kOrdered : 0));
    record.view = access.footprint.exact ? 0 : static_cast<uint8_t>(access.view_index + 1);
    return record;
  }

  void unlink(RootRecord& root, uint32_t line) const {
    AccessRecord& record = at(line);
    if (record.kind == RecordKind::kInterval) {
      IntervalTree(region_->lines, &root.partials).remove(line);
    } else {
      uint32_t& list = record.kind == RecordKind::kReader ? root.more_readers : root.write_groups;
      (record.parent != kNoLine ? at(record.parent).right : list) = record.right;
      if (record.right != kNoLine) at(record.right).parent = record.parent;
    }
    record.kind = RecordKind::kRemoved;
  }

  const GraphRegion* region_ = nullptr;
  const TaskRings* tasks_ = nullptr;
  const HazardRules* rules_ = nullptr;
  Crowds crowds_;
};

}  // namespace taskmill::graph
