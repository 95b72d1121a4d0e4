// The tokens of a sequence in a paged cache.
#pragma once

#include <taskmill/kernel.h>

#include <algorithm>

namespace paged {

// Arguments of a kernel: a cache, bfloat16 [pages, heads, tokens of a page, dim], which may be a view of some heads, and
// places of a page table, int32 [1, n], each the number of a page.
class PagedRows {
 public:
  PagedRows(const int64_t* args, uint32_t cache, uint32_t pages)
      : cache_(taskmill::tensor(args, cache)),
        first_(taskmill::data<uint16_t>(args, cache)),
        pages_(taskmill::data<int32_t>(args, pages)) {}

  // Elements from one token's row to the next one's.
  uint32_t stride() const { return cache_.strides[2]; }

  // Calls visit(rows, next, token, count) page by page: `rows` is the row of `token`, and count - 1 more follow, stride() apart.
  // Rows beyond `tokens` are never touched. `next` is where the row of the page after this one lies, to prefetch from: pages are
  // scattered, so no CPU finds out by itself.
  template <class Visit>
  void for_each_page(uint32_t head, uint32_t tokens, Visit visit) const {
    const uint32_t page_tokens = cache_.shapes[2];
    const uint16_t* rows = page(head, 0);
    for (uint32_t token = 0; token < tokens; token += page_tokens) {
      const bool last = tokens - token <= page_tokens;
      const uint16_t* next = last ? page(head + 1, 0) : page(head, token / page_tokens + 1);
      visit(rows, next, token, std::min(page_tokens, tokens - token));
      rows = next;
    }
  }

 private:
  const uint16_t* page(uint32_t head, uint32_t place) const {
    return first_ + uint64_t{head} * cache_.strides[1] + static_cast<uint64_t>(pages_[place]) * cache_.strides[0];
  }

  const taskmill::TensorDescriptor& cache_;
  const uint16_t* first_;
  const int32_t* pages_;
};

}  // namespace paged
