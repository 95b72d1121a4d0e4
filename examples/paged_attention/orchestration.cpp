// One decode step of attention: for each sequence and each query head, out = softmax(q · keysᵀ / √dim) · values over the
// sequence's tokens, which lie in pages that are scattered over a cache.
//
// Tensors:
//   q                 bfloat16 [batch, heads, dim]
//   k_cache, v_cache  bfloat16 [pages, kv heads, tokens of a page, dim]
//   page_table        int32 [batch, most pages of a sequence]: place i is the page of tokens i · page tokens and on
//   lengths           int32 [batch]: tokens of a sequence
//   out               bfloat16 [batch, heads, dim]
// Scalars: pages of a block, KV heads of a task. heads / kv heads query heads in succession read the same KV head.
#include <taskmill/orchestration.h>

#include <algorithm>
#include <cstdio>

using namespace taskmill;

namespace {

enum Kernel : int32_t { kScores, kSoftmax, kValues, kMerge };

uint32_t divide_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

struct Attention {
  const Tensor &q, &k_cache, &v_cache, &page_table, &lengths, &out;
  uint32_t block_pages, task_heads;

  uint32_t kv_heads() const { return k_cache.shapes[1]; }
  uint32_t page_tokens() const { return k_cache.shapes[2]; }
  uint32_t dim() const { return k_cache.shapes[3]; }
  uint32_t group() const { return q.shapes[1] / kv_heads(); }  // query heads per KV head
};

// What the tasks of one group read and write: a sequence and some KV heads in succession.
struct Part {
  uint32_t sequence, length, first_head, heads;
};

// These heads of all pages; the page table says which of them are read.
Tensor heads_of_cache(const Tensor& cache, const Part& part) {
  const uint32_t shape[] = {cache.shapes[0], part.heads, cache.shapes[2], cache.shapes[3]};
  const uint32_t offsets[] = {0, part.first_head, 0, 0};
  return cache.view(shape, offsets);
}

// The query heads of the part in q or out.
Tensor query_heads(const Tensor& tensor, const Attention& attention, const Part& part) {
  const uint32_t shape[] = {1, part.heads * attention.group(), attention.dim()};
  const uint32_t offsets[] = {part.sequence, part.first_head * attention.group(), 0};
  return tensor.view(shape, offsets);
}

// Writes the block's unnormalised result and its largest score and sum of weights into row `block` of partials and statistics.
void attend_block(const Attention& attention, const Part& part, uint32_t block, const Tensor& partials, const Tensor& statistics) {
  const uint32_t first_page = block * attention.block_pages;
  const uint32_t tokens = std::min(attention.block_pages * attention.page_tokens(), part.length - first_page * attention.page_tokens());
  const uint32_t table_shape[] = {1, divide_up(tokens, attention.page_tokens())}, table_offsets[] = {part.sequence, first_page};
  const Tensor pages = attention.page_table.view(table_shape, table_offsets);
  const uint32_t scores_shape[] = {part.heads, attention.group(), tokens};
  TASKMILL_SCOPE() {
    const Outputs scores =
        submit_aic_task(kScores, TaskArgs()
                                     .add_input(query_heads(attention.q, attention, part), heads_of_cache(attention.k_cache, part), pages)
                                     .add_output(TensorSpec(scores_shape, 3)));
    submit_aiv_task(kSoftmax, TaskArgs().add_inout(scores[0]).add_output(statistics.rows(block)));
    submit_aic_task(kValues,
                    TaskArgs().add_input(scores[0], heads_of_cache(attention.v_cache, part), pages).add_output(partials.rows(block)));
  }
}

// Blocks are independent of each other; the merge reads all their rows as one argument and so follows all of them.
void attend(const Attention& attention, const Part& part) {
  const uint32_t blocks = divide_up(part.length, attention.block_pages * attention.page_tokens());
  const uint32_t partials_shape[] = {blocks, part.heads, attention.group(), attention.dim()};
  const uint32_t statistics_shape[] = {blocks, part.heads, attention.group(), 2};
  TASKMILL_SCOPE() {
    const Outputs results = alloc_tensors(TensorSpec(partials_shape, 4), TensorSpec(statistics_shape, 4));
    for (uint32_t block = 0; block < blocks; ++block) attend_block(attention, part, block, results[0], results[1]);
    submit_aiv_task(kMerge, TaskArgs().add_inout(results[0]).add_input(results[1]).add_output(query_heads(attention.out, attention, part)));
  }
}

// Whether the sequence has a length and pages that exist; ends the run if not. A kernel could not say so.
bool legal(const Attention& attention, uint32_t sequence, int32_t length) {
  const uint32_t capacity = attention.page_table.shapes[1] * attention.page_tokens();
  char text[160];
  if (length < 1 || static_cast<uint32_t>(length) > capacity) {
    std::snprintf(text, sizeof text, "lengths[%u] is %d: must be 1 to %u, what the pages of a row of page_table hold", sequence, length,
                  capacity);
    report_fatal(text);
    return false;
  }
  for (uint32_t place = 0; place < divide_up(length, attention.page_tokens()); ++place) {
    const uint32_t index[] = {sequence, place};
    const auto page = get_tensor_data<int32_t>(attention.page_table, 2, index);
    if (page >= 0 && static_cast<uint32_t>(page) < attention.k_cache.shapes[0]) continue;
    std::snprintf(text, sizeof text, "page_table[%u, %u] is %d: the cache has %u pages", sequence, place, page,
                  attention.k_cache.shapes[0]);
    report_fatal(text);
    return false;
  }
  return true;
}

}  // namespace

extern "C" void paged_attention(const OrchestrationArgs& args) {
  const Attention attention = {args.tensor(0), args.tensor(1), args.tensor(2),           args.tensor(3),
                               args.tensor(4), args.tensor(5), args.scalar<uint32_t>(0), args.scalar<uint32_t>(1)};
  for (uint32_t sequence = 0; sequence < attention.q.shapes[0]; ++sequence) {
    const auto length = get_tensor_data<int32_t>(attention.lengths, 1, &sequence);
    if (!legal(attention, sequence, length)) return;
    for (uint32_t head = 0; head < attention.kv_heads(); head += attention.task_heads) {
      attend(attention, {sequence, static_cast<uint32_t>(length), head, std::min(attention.task_heads, attention.kv_heads() - head)});
    }
  }
}
