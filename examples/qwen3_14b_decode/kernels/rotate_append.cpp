// One KV head of 16 sequences: RMSNorm of each query head and of the key, rotary position embedding (Su et al., 2021: element i
// turns with element i + 64), and the new key and value into the page of the cache that holds each sequence's last token.
//
// Arguments: q float32 tiles [1][16][128] of the five query heads (0 to 4), k and v (5, 6); q and k norm weights bfloat16 [128]
// (7, 8); cosines and sines float32 [16][64] (9, 10); page table int32 [16][pages] (11), lengths int32 [16] with the new token
// (12); out: q float32 and bfloat16 [1][16][5][128] (13, 14), k float32 [1][16][128] (15); key and value cache of the head (16, 17).
#include <taskmill/kernel.h>

#include "rms_norm.h"
#include "sizes.h"

namespace {

using namespace qwen3;

// x is normalised and turned into out; both [128].
void normalise_and_rotate(const float* x, const uint16_t* weight, const float* cosines, const float* sines, float* out) {
  float normalised[kHeadDim];
  rms_norm(x, weight, kHeadDim, normalised);
  constexpr uint32_t kHalf = kHeadDim / 2;
  for (uint32_t i = 0; i < kHalf; ++i) {
    out[i] = normalised[i] * cosines[i] - normalised[i + kHalf] * sines[i];
    out[i + kHalf] = normalised[i + kHalf] * cosines[i] + normalised[i] * sines[i];
  }
}

}  // namespace

extern "C" void kernel_entry(int64_t* args) {
  const float* v = taskmill::data<float>(args, 6);
  const int32_t* page_table = taskmill::data<int32_t>(args, 11);
  const uint32_t pages = taskmill::tensor(args, 11).shapes[1];
  for (uint32_t row = 0; row < kRows; ++row) {
    const float* cosines = taskmill::data<float>(args, 9) + row * kHeadDim / 2;
    const float* sines = taskmill::data<float>(args, 10) + row * kHeadDim / 2;
    for (uint32_t head = 0; head < kGroupHeads; ++head) {
      const uint32_t place = (row * kGroupHeads + head) * kHeadDim;
      float* q = taskmill::data<float>(args, 13) + place;
      normalise_and_rotate(taskmill::data<float>(args, head) + row * kHeadDim, taskmill::data<uint16_t>(args, 7), cosines, sines, q);
      for (uint32_t i = 0; i < kHeadDim; ++i) taskmill::data<uint16_t>(args, 14)[place + i] = examples::round_to_bfloat16(q[i]);
    }
    float* k = taskmill::data<float>(args, 15) + row * kHeadDim;
    normalise_and_rotate(taskmill::data<float>(args, 5) + row * kHeadDim, taskmill::data<uint16_t>(args, 8), cosines, sines, k);

    const auto token = static_cast<uint32_t>(taskmill::data<int32_t>(args, 12)[row]) - 1;
    const auto page = static_cast<uint64_t>(page_table[row * pages + token / kPageTokens]);
    uint16_t* keys = taskmill::data<uint16_t>(args, 16) + page * kPageElements;
    uint16_t* values = taskmill::data<uint16_t>(args, 17) + page * kPageElements + token % kPageTokens * kHeadDim;
    for (uint32_t i = 0; i < kHeadDim; ++i) {
      keys[((i / 2) * kPageTokens + token % kPageTokens) * 2 + i % 2] = examples::round_to_bfloat16(k[i]);
      values[i] = examples::round_to_bfloat16(v[row * kHeadDim + i]);
    }
  }
}
