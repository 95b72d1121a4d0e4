// Five query heads of one sequence over the pages of their KV head: softmax(q · kᵀ / √128) · v in one pass, the running maximum
// and sum carried from page to page (Milakov and Gimelshein, 2018). Tokens beyond the length are never used.
//
// Arguments: q bfloat16 [5][128], key and value cache of the head (sizes.h), the sequence's row of the page table int32 [pages],
// its length int32 [1]; out: float32 [5][128], and rounded to bfloat16.
#include <taskmill/kernel.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rms_norm.h"
#include "sizes.h"
#include "vectors.h"

namespace {

using namespace qwen3;

constexpr uint32_t kBlock = 4;  // vectors side by side: with five heads, 20 sums stay in registers
constexpr float kNone = -std::numeric_limits<float>::infinity();

struct Softmax {
  float q[kGroupHeads][kHeadDim];  // times 1 / √128
  float scores[kGroupHeads][kPageTokens];
  float highest[kGroupHeads];
  float sum[kGroupHeads];
  float out[kGroupHeads][kHeadDim];  // not yet over the sum
};

void score_page(const uint16_t* keys, Softmax& state) {
  for (uint32_t first = 0; first < kPageTokens; first += kBlock * kLanes) {
    Floats sums[kGroupHeads][kBlock] = {};
    for (uint32_t pair = 0; pair < kHeadDim / 2; ++pair) {
      for (uint32_t block = 0; block < kBlock; ++block) {
        Words words;
        load(keys + 2 * (pair * kPageTokens + first + block * kLanes), &words);
        const auto even = (Floats)(words << 16), odd = (Floats)(words & 0xffff0000u);
        for (uint32_t head = 0; head < kGroupHeads; ++head) {
          sums[head][block] += state.q[head][2 * pair] * even + state.q[head][2 * pair + 1] * odd;
        }
      }
    }
    for (uint32_t head = 0; head < kGroupHeads; ++head) {
      for (uint32_t block = 0; block < kBlock; ++block) store(sums[head][block], &state.scores[head][first + block * kLanes]);
    }
  }
}

// The first `count` scores become weights relative to the highest score so far; what was summed before is scaled to it.
void weigh_page(uint32_t count, Softmax& state) {
  for (uint32_t head = 0; head < kGroupHeads; ++head) {
    float* scores = state.scores[head];
    std::fill(scores + count, scores + kPageTokens, kNone);
    const float highest = std::max(state.highest[head], *std::max_element(scores, scores + count));
    const float scale = std::exp(state.highest[head] - highest);
    state.highest[head] = highest;
    Floats total = {};
    for (uint32_t i = 0; i < kPageTokens; i += kLanes) {
      Floats weights;
      load(scores + i, &weights);
      exp_of_nonpositive(weights - highest, &weights);
      store(weights, scores + i);
      total += weights;
    }
    state.sum[head] *= scale;
    for (uint32_t lane = 0; lane < kLanes; ++lane) state.sum[head] += total[lane];
    for (float& value : state.out[head]) value *= scale;
  }
}

void add_values(const uint16_t* values, uint32_t count, Softmax& state) {
  for (uint32_t first = 0; first < kHeadDim; first += kBlock * kLanes) {
    Floats sums[kGroupHeads][kBlock];
    for (uint32_t head = 0; head < kGroupHeads; ++head) {
      for (uint32_t block = 0; block < kBlock; ++block) load(&state.out[head][first + block * kLanes], &sums[head][block]);
    }
    for (uint32_t token = 0; token < count; ++token) {
      for (uint32_t block = 0; block < kBlock; ++block) {
        Floats value;
        widen(values + token * kHeadDim + first + block * kLanes, &value);
        for (uint32_t head = 0; head < kGroupHeads; ++head) sums[head][block] += state.scores[head][token] * value;
      }
    }
    for (uint32_t head = 0; head < kGroupHeads; ++head) {
      for (uint32_t block = 0; block < kBlock; ++block) store(sums[head][block], &state.out[head][first + block * kLanes]);
    }
  }
}

}  // namespace

extern "C" void kernel_entry(int64_t* args) {
  const uint16_t* q = taskmill::data<uint16_t>(args, 0);
  const int32_t* pages = taskmill::data<int32_t>(args, 3);
  const auto length = static_cast<uint32_t>(*taskmill::data<int32_t>(args, 4));
  const float scale = 1 / std::sqrt(static_cast<float>(kHeadDim));
  Softmax state = {};
  for (uint32_t head = 0; head < kGroupHeads; ++head) {
    state.highest[head] = kNone;
    for (uint32_t i = 0; i < kHeadDim; ++i) state.q[head][i] = widened(q[head * kHeadDim + i]) * scale;
  }
  for (uint32_t first = 0; first < length; first += kPageTokens) {
    const uint64_t place = static_cast<uint64_t>(pages[first / kPageTokens]) * kPageElements;
    const uint32_t count = std::min(kPageTokens, length - first);
    score_page(taskmill::data<uint16_t>(args, 1) + place, state);
    weigh_page(count, state);
    add_values(taskmill::data<uint16_t>(args, 2) + place, count, state);
  }
  for (uint32_t head = 0; head < kGroupHeads; ++head) {
    for (uint32_t i = 0; i < kHeadDim; ++i) {
      const float value = state.out[head][i] / state.sum[head];
      taskmill::data<float>(args, 5)[head * kHeadDim + i] = value;
      taskmill::data<uint16_t>(args, 6)[head * kHeadDim + i] = round_to_bfloat16(value);
    }
  }
}
