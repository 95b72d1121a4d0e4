// Finds, for an access to a root, the earlier tasks that it must follow, and remembers the access. Orchestrator only.
//
// Two steps, so that a task never depends on itself: `conflicts` for all arguments of a task, then `record` for all.
// Every record in the index belongs to a task that was not retired. A task that has completed gives no edge; where one is
// met, it is forgotten early.
#pragma once

#include <cstdint>

#include "graph/access_record.h"
#include "graph/footprint.h"
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

struct Access {
  uint32_t root_line;
  uint8_t use;  // kReads, kWrites
  bool whole;   // every byte of the root
  Footprint footprint;
};

template <class Hazards>
class AccessIndex {
 public:
  AccessIndex(const GraphRegion& region, const TaskRing& tasks) : region_(region), tasks_(tasks) {}

  // Calls link(TaskRef) → Link for each task that the access must follow. False: abandoned.
  template <class LinkTo>
  bool conflicts(const Access& access, LinkTo&& link) const {
    RootRecord& root = *region_.line_as<RootRecord>(access.root_line);
    const bool writes = (access.use & kWrites) != 0;
    const bool after_readers = writes && Hazards::kWriteAfterRead;
    const bool after_writers = (writes && Hazards::kWriteAfterWrite) || ((access.use & kReads) != 0 && Hazards::kReadAfterWrite);
    // Whole readers follow the writer, so whoever follows them follows it.
    const bool writer_is_implied = after_readers && Hazards::kReadAfterWrite && root.has_readers();
    if (after_readers && root.has_readers() && !follow_readers(root, link)) return false;
    if (root.writer_use != 0 && !writer_is_implied && conflicts_with(root.writer_use, after_writers, after_readers)) {
      const Link linked = link(root.writer);
      if (linked == Link::kAbandoned) return false;
      if (linked == Link::kCompleted) root.writer_use = 0;
    }
    return root.partials == kNoLine || follow_partials(root, access.footprint, after_writers, after_readers, link);
  }

  // The access of `task` takes part in what comes later. May use the free line `line` for it; true: it did.
  bool record(const Access& access, TaskRef task, uint32_t line) const {
    RootRecord& root = *region_.line_as<RootRecord>(access.root_line);
    if (!access.whole) return record_partial(root, access, task, line);
    if ((access.use & kWrites) != 0) {
      record_whole_write(root, task, access.use);
      return false;
    }
    return record_whole_read(root, access, task, line);
  }

  // The task that made the record in `line` is about to be retired.
  void forget(uint32_t line) const {
    const AccessRecord& record = *region_.line_as<AccessRecord>(line);
    if (record.kind == RecordKind::kRemoved) return;
    // A buffer's record goes with the task that made it.
    if (!record.root_is_entry && !tasks_.live(record.root_owner)) return;
    RootRecord& root = *region_.line_as<RootRecord>(record.root_line);
    if (record.epoch == root.epoch) unlink(root, line);
  }

 private:
  AccessRecord& at(uint32_t line) const { return *region_.line_as<AccessRecord>(line); }

  static bool conflicts_with(uint8_t earlier_use, bool after_writers, bool after_readers) {
    return ((earlier_use & kWrites) != 0 && after_writers) || ((earlier_use & kReads) != 0 && after_readers);
  }

  template <class LinkTo>
  bool follow_readers(RootRecord& root, LinkTo& link) const {
    uint8_t kept = 0;
    for (uint8_t i = 0; i < root.reader_count; ++i) {
      const Link linked = link(root.readers[i]);
      if (linked == Link::kAbandoned) return false;
      if (linked == Link::kPending) root.readers[kept++] = root.readers[i];
    }
    root.reader_count = kept;
    for (uint32_t line = root.more_readers; line != kNoLine;) {
      const uint32_t next = at(line).right;
      const Link linked = link(at(line).task);
      if (linked == Link::kAbandoned) return false;
      if (linked == Link::kCompleted) unlink(root, line);
      line = next;
    }
    return true;
  }

  template <class LinkTo>
  bool follow_partials(RootRecord& root, const Footprint& footprint, bool after_writers, bool after_readers, LinkTo& link) const {
    const IntervalTree tree(region_.lines, &root.partials);
    const IntervalTree::Query query = {footprint.begin, footprint.end, !after_readers};
    for (uint32_t line = tree.first(query); line != kNoLine; line = tree.next(line, query)) {
      if (conflicts_with(at(line).use, after_writers, after_readers) && link(at(line).task) == Link::kAbandoned) return false;
    }
    return true;
  }

  // Whoever conflicts with an earlier access conflicts with this one, which follows all of them.
  static void record_whole_write(RootRecord& root, TaskRef task, uint8_t use) {
    ++root.epoch;
    root.partials = kNoLine;
    root.more_readers = kNoLine;
    root.reader_count = 0;
    root.writer = task;
    root.writer_use = use;
  }

  bool record_whole_read(RootRecord& root, const Access& access, TaskRef task, uint32_t line) const {
    if (root.reader_count == kInlineReaders) drop_retired_readers(root);
    if (root.reader_count < kInlineReaders) {
      root.readers[root.reader_count++] = task;
      return false;
    }
    AccessRecord& record = start(root, access, task, line, RecordKind::kReader);
    record.parent = kNoLine;
    record.right = root.more_readers;
    if (root.more_readers != kNoLine) at(root.more_readers).parent = line;
    root.more_readers = line;
    return true;
  }

  // A buffer that is only read has its places in the line for those who read it lately.
  void drop_retired_readers(RootRecord& root) const {
    uint8_t kept = 0;
    for (uint8_t i = 0; i < root.reader_count; ++i) {
      if (tasks_.live(root.readers[i])) root.readers[kept++] = root.readers[i];
    }
    root.reader_count = kept;
  }

  bool record_partial(RootRecord& root, const Access& access, TaskRef task, uint32_t line) const {
    if ((access.use & kWrites) != 0 && access.footprint.exact) remove_covered(root, access.footprint);
    start(root, access, task, line, RecordKind::kInterval);
    IntervalTree(region_.lines, &root.partials).insert(line);
    return true;
  }

  void remove_covered(RootRecord& root, const Footprint& cover) const {
    IntervalTree tree(region_.lines, &root.partials);
    const IntervalTree::Query query = {cover.begin, cover.end, false};
    for (uint32_t line = tree.first(query); line != kNoLine;) {
      const uint32_t next = tree.next(line, query);
      if (cover.begin <= at(line).begin && at(line).end <= cover.end) unlink(root, line);
      line = next;
    }
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
    record.use = access.use;
    return record;
  }

  void unlink(RootRecord& root, uint32_t line) const {
    AccessRecord& record = at(line);
    if (record.kind == RecordKind::kInterval) {
      IntervalTree(region_.lines, &root.partials).remove(line);
    } else {
      (record.parent != kNoLine ? at(record.parent).right : root.more_readers) = record.right;
      if (record.right != kNoLine) at(record.right).parent = record.parent;
    }
    record.kind = RecordKind::kRemoved;
  }

  const GraphRegion& region_;
  const TaskRing& tasks_;
};

}  // namespace taskmill::graph
