// scores = q · keysᵀ / √dim for a block of tokens. Arguments: q bfloat16 [1, heads · group, dim]; the keys' cache and the
// block's pages, see paged_rows.h; scores float32 [heads, group, tokens]. `group` query heads in succession share a KV head.
#include <taskmill/kernel.h>

#include <cmath>
#include <utility>

#include "../../common/bfloat16.h"
#include "paged_rows.h"

namespace {

using examples::Floats, examples::kLanes;
constexpr uint32_t kLine = 2 * kLanes;  // elements of a cache line
using Lanes = std::make_integer_sequence<int, kLanes>;

// Lanes of a or, where a lane's number has the bit kBit, of b: each the sum of the two lanes that differ in that bit only.
template <int kBit, int... kLane>
Floats fold(const Floats& a, const Floats& b, std::integer_sequence<int, kLane...>) {
  constexpr int kB = kLanes;  // b's lanes are numbered after a's
  return __builtin_shufflevector(a, b, (kLane & kBit ? kLane + kB : kLane)...) +
         __builtin_shufflevector(a, b, (kLane & kBit ? (kLane ^ kBit) + kB : kLane ^ kBit)...);
}

// Lane i of the result is the sum of the lanes of vectors[i].
template <int kBit = kLanes / 2>
Floats sum_each(Floats* vectors) {
#pragma GCC unroll 8
  for (int i = 0; i < kBit; ++i) vectors[i] = fold<kBit>(vectors[i], vectors[i + kBit], Lanes{});
  if constexpr (kBit > 1) return sum_each<kBit / 2>(vectors);
  return vectors[0];
}

// out[count] = scale · q · keys. REQUIRES: 1 <= count <= kLanes. Lanes beyond count repeat the last key, and are dropped.
void score_keys(const uint16_t* q, const uint16_t* keys, uint32_t stride, uint32_t count, uint32_t dim, float scale, float* out) {
  const uint16_t* key[kLanes];
  for (uint32_t lane = 0; lane < kLanes; ++lane) key[lane] = keys + std::min(lane, count - 1) * stride;
  Floats sums[kLanes] = {};
  for (uint32_t i = 0; i < dim; i += 2 * kLanes) {
    const examples::Pairs q_pairs = examples::load_pairs(q + i);
#pragma GCC unroll 16
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] = examples::add_products(sums[lane], q_pairs, examples::load_pairs(key[lane] + i));
    }
  }
  const Floats scores = sum_each(sums) * scale;
  std::memcpy(out, &scores, count * sizeof *out);
}

// Share `part` of `parts`: all lines at once are more than a core can have on their way.
void prefetch_share(const uint16_t* elements, uint32_t count, uint32_t part, uint32_t parts) {
  for (uint32_t i = part * kLine; i < count; i += parts * kLine) __builtin_prefetch(elements + i, 0, 2);
}

}  // namespace

extern "C" void kernel_entry(int64_t* args) {
  const taskmill::TensorDescriptor& scores = taskmill::tensor(args, 3);
  const uint32_t heads = scores.shapes[0], group = scores.shapes[1], tokens = scores.shapes[2];
  const uint32_t dim = taskmill::tensor(args, 0).shapes[2];
  const float scale = 1.0f / std::sqrt(static_cast<float>(dim));
  const paged::PagedRows keys(args, 1, 2);
  for (uint32_t head = 0; head < heads; ++head) {
    const uint16_t* q = taskmill::data<uint16_t>(args, 0) + head * group * dim;
    float* out = taskmill::data<float>(args, 3) + head * group * tokens;
    keys.for_each_page(head, tokens, [&](const uint16_t* rows, const uint16_t* next, uint32_t token, uint32_t count) {
      for (uint32_t i = 0; i < count; i += kLanes) {
        for (uint32_t row = 0; row < group; ++row) {
          prefetch_share(next + i * keys.stride(), kLanes * dim, row, group);
          score_keys(q + row * dim, rows + i * keys.stride(), keys.stride(), std::min(kLanes, count - i), dim, scale,
                     out + row * tokens + token + i);
        }
      }
    });
  }
}
