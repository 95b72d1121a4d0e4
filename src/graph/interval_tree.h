// An interval tree over access records: a treap ordered by `begin`, each node with the largest `end` below it, so that the
// records that overlap an interval are found in O(log n) each. Intrusive and without recursion; links are line numbers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "graph/access_record.h"
#include "graph/region.h"

namespace taskmill::graph {

class IntervalTree {
 public:
  // What to look for: records that overlap [begin, end), those that write or all.
  struct Query {
    uint64_t begin;
    uint64_t end;
    bool writes_only;
  };

  // `*root` is the line of the topmost record, kNoLine for an empty tree.
  IntervalTree(Line* lines, uint32_t* root) : lines_(lines), root_(root) {}

  // REQUIRES: begin, end and use of the record in `line` are set; it is in no tree.
  void insert(uint32_t line) {
    AccessRecord& record = at(line);
    record.left = record.right = record.parent = kNoLine;
    summarise(record);
    uint32_t* link = root_;
    for (uint32_t parent = *root_; parent != kNoLine; parent = *link) {
      AccessRecord& above = at(parent);
      above.max_end = std::max(above.max_end, record.end);
      above.max_write_end = std::max(above.max_write_end, record.write_end());
      record.parent = parent;
      link = record.begin < above.begin ? &above.left : &above.right;
    }
    *link = line;
    while (record.parent != kNoLine && priority(record.parent) < priority(line)) rotate_up(line);
  }

  // REQUIRES: the record in `line` is in this tree.
  void remove(uint32_t line) {
    AccessRecord& record = at(line);
    while (record.left != kNoLine && record.right != kNoLine) {
      rotate_up(priority(record.left) > priority(record.right) ? record.left : record.right);
    }
    const uint32_t child = record.left != kNoLine ? record.left : record.right;
    if (child != kNoLine) at(child).parent = record.parent;
    *link_to(line) = child;
    for (uint32_t above = record.parent; above != kNoLine; above = at(above).parent) summarise(at(above));
  }

  // In the order of `begin`. Removing a record that was given does not disturb `next` from a later one.
  uint32_t first(const Query& query) const { return *root_ == kNoLine ? kNoLine : first_below(*root_, query); }
  uint32_t next(uint32_t line, const Query& query) const {
    const uint32_t right = at(line).right;
    if (right != kNoLine) {
      const uint32_t found = first_below(right, query);
      if (found != kNoLine) return found;
    }
    for (uint32_t child = line, above = at(line).parent; above != kNoLine; child = above, above = at(above).parent) {
      if (at(above).right == child) continue;
      if (at(above).begin >= query.end) return kNoLine;
      if (matches(at(above), query)) return above;
      const uint32_t beyond = at(above).right;
      const uint32_t found = beyond != kNoLine ? first_below(beyond, query) : kNoLine;
      if (found != kNoLine) return found;
    }
    return kNoLine;
  }

 private:
  AccessRecord& at(uint32_t line) const { return *reinterpret_cast<AccessRecord*>(lines_ + line); }

  // Lines follow one another in patterns, priorities must not: the finaliser of MurmurHash3.
  static uint32_t priority(uint32_t line) {
    line = (line ^ (line >> 16)) * 0x85EB'CA6Bu;
    line = (line ^ (line >> 13)) * 0xC2B2'AE35u;
    return line ^ (line >> 16);
  }

  uint64_t reach(uint32_t line, bool writes_only) const {
    if (line == kNoLine) return 0;
    return writes_only ? at(line).max_write_end : at(line).max_end;
  }
  static bool matches(const AccessRecord& record, const Query& query) {
    return record.begin < query.end && (query.writes_only ? record.write_end() : record.end) > query.begin;
  }

  // The first match in the subtree of `line`; kNoLine: none. Going left wherever something reaches far enough is right: if
  // what reaches so far begins at or after query.end, then so does everything to the right of it.
  uint32_t first_below(uint32_t line, const Query& query) const {
    while (line != kNoLine) {
      const AccessRecord& record = at(line);
      if (reach(record.left, query.writes_only) > query.begin) {
        line = record.left;
      } else if (record.begin >= query.end) {
        return kNoLine;
      } else if (matches(record, query)) {
        return line;
      } else {
        line = reach(record.right, query.writes_only) > query.begin ? record.right : kNoLine;
      }
    }
    return kNoLine;
  }

  void summarise(AccessRecord& record) const {
    record.max_end = std::max({record.end, reach(record.left, false), reach(record.right, false)});
    record.max_write_end = std::max({record.write_end(), reach(record.left, true), reach(record.right, true)});
  }

  uint32_t* link_to(uint32_t line) const {
    const uint32_t parent = at(line).parent;
    if (parent == kNoLine) return root_;
    return at(parent).left == line ? &at(parent).left : &at(parent).right;
  }

  // Swaps the record in `line` with its parent, keeping the order.
  void rotate_up(uint32_t line) {
    AccessRecord& record = at(line);
    const uint32_t parent = record.parent;
    AccessRecord& above = at(parent);
    *link_to(parent) = line;
    record.parent = above.parent;
    above.parent = line;
    uint32_t& inner = above.left == line ? record.right : record.left;
    (above.left == line ? above.left : above.right) = inner;
    if (inner != kNoLine) at(inner).parent = parent;
    inner = parent;
    summarise(above);
    summarise(record);
  }

  Line* lines_;
  uint32_t* root_;
};

}  // namespace taskmill::graph
