// partial = weights · values for a block of tokens. Arguments: weights float32 [heads, group, tokens]; the values' cache and
// the block's pages, see paged_rows.h; partial float32 [1, heads, group, dim]. `group` rows of weights share a KV head.
#include <taskmill/kernel.h>

#include "../../common/bfloat16.h"
#include "paged_rows.h"

namespace {

constexpr uint32_t kMostRows = 8;                    // whose sums stay in registers
constexpr uint32_t kColumns = 2 * examples::kLanes;  // of a vector of pairs

struct Matrix {
  const float* weights;
  uint32_t weights_stride;
  const uint16_t* values;
  const uint16_t* next_values;  // to prefetch, a line per token
  uint32_t values_stride;
  uint32_t tokens;
};

void add_to(float* sums, const examples::Floats& more) {
  examples::Floats all;
  std::memcpy(&all, sums, sizeof all);
  all += more;
  std::memcpy(sums, &all, sizeof all);
}

// sums[kRows][kColumns] += weights[kRows][tokens] · values[tokens][kColumns]. Even and odd columns are summed apart.
template <uint32_t kRows>
void add_columns(const Matrix& m, float* sums, uint32_t sums_stride) {
  examples::Floats even[kRows] = {}, odd[kRows] = {};
  for (uint32_t token = 0; token < m.tokens; ++token) {
    __builtin_prefetch(m.next_values + token * kColumns, 0, 2);
    const examples::Pairs pairs = examples::load_pairs(m.values + token * m.values_stride);
    for (uint32_t row = 0; row < kRows; ++row) {
      const float weight = m.weights[row * m.weights_stride + token];
      even[row] += weight * examples::widen_first(pairs);
      odd[row] += weight * examples::widen_second(pairs);
    }
  }
  for (uint32_t row = 0; row < kRows; ++row) {
    add_to(sums + row * sums_stride, __builtin_shufflevector(even[row], odd[row], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    add_to(sums + row * sums_stride + examples::kLanes,
           __builtin_shufflevector(even[row], odd[row], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
  }
}

// add_columns<rows>. REQUIRES: 1 <= rows <= kRows.
template <uint32_t kRows = kMostRows>
void add_rows(uint32_t rows, const Matrix& m, float* sums, uint32_t sums_stride) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return add_rows<kRows - 1>(rows, m, sums, sums_stride);
  }
  add_columns<kRows>(m, sums, sums_stride);
}

}  // namespace

extern "C" void kernel_entry(int64_t* args) {
  const taskmill::TensorDescriptor &weights = taskmill::tensor(args, 0), &partial = taskmill::tensor(args, 3);
  const uint32_t heads = weights.shapes[0], group = weights.shapes[1], tokens = weights.shapes[2], dim = partial.shapes[3];
  const paged::PagedRows values(args, 1, 2);
  std::memset(taskmill::data<float>(args, 3), 0, partial.nbytes());
  for (uint32_t head = 0; head < heads; ++head) {
    values.for_each_page(head, tokens, [&](const uint16_t* rows, const uint16_t* next, uint32_t token, uint32_t count) {
      for (uint32_t row = 0; row < group; row += kMostRows) {
        const uint32_t first = head * group + row;
        const float* row_weights = taskmill::data<float>(args, 0) + first * tokens + token;
        float* sums = taskmill::data<float>(args, 3) + first * dim;
        for (uint32_t column = 0; column < dim; column += kColumns) {
          add_rows(std::min(kMostRows, group - row), {row_weights, tokens, rows + column, next + column * count, values.stride(), count},
                   sums + column, dim);
        }
      }
    });
  }
}
