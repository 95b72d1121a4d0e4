// Five query heads of one sequence over the pages of their KV head: softmax(q · kᵀ / √128) · v in one pass, the running maximum
// and sum carried from page to page (Milakov and Gimelshein, 2018). Tokens beyond the length are never used.
//
// Arguments: q bfloat16 [5][128], key and value cache of the head (sizes.h), the sequence's row of the page table int32 [pages],
// its length int32 [1]; out: float32 [5][128], and rounded to bfloat16.
#include <taskmill/kernel.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

#include "../../common/bfloat16.h"
#include "../../common/lanes.h"
#include "sizes.h"

namespace {

using namespace examples;
using namespace qwen3;

constexpr uint32_t kBlock = 4;                  // vectors side by side: with five heads, 20 sums stay in registers
constexpr float kScale = 0.08838834764831845F;  // 1 / √128
constexpr float kNone = -std::numeric_limits<float>::infinity();

Floats load(const float* from) {
  Floats floats;
  std::memcpy(&floats, from, sizeof floats);
  return floats;
}
void store(const Floats& floats, float* to) { std::memcpy(to, &floats, sizeof floats); }
Floats widen_all(const uint16_t* elements) {
  using Halves = uint16_t __attribute__((vector_size(2 * kLanes)));
  Halves halves;
  std::memcpy(&halves, elements, sizeof halves);
  return (Floats)(__builtin_convertvector(halves, Pairs) << 16);
}

struct Softmax {
  const uint16_t* q;
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
        const Pairs two = load_pairs(keys + 2 * (pair * kPageTokens + first + block * kLanes));
        for (uint32_t head = 0; head < kGroupHeads; ++head) {
          sums[head][block] = add_products(sums[head][block], two, repeat_pair(state.q + head * kHeadDim + 2 * pair));
        }
      }
    }
    for (uint32_t head = 0; head < kGroupHeads; ++head) {
      for (uint32_t block = 0; block < kBlock; ++block) store(sums[head][block] * kScale, &state.scores[head][first + block * kLanes]);
    }
  }
}

// The first `count` scores become weights relative to the highest score so far; what was summed before is scaled to it.
void weigh_page(uint32_t count, Softmax& state) {
  for (uint32_t head = 0; head < kGroupHeads; ++head) {
    float* scores = state.scores[head];
    const float highest = reduce(scores, count, state.highest[head], [](float a, float b) { return std::max(a, b); });
    const float scale = std::exp(state.highest[head] - highest);
    state.highest[head] = highest;
    for (uint32_t i = 0; i < count; ++i) scores[i] = exp_in_range(scores[i] - highest);
    state.sum[head] = state.sum[head] * scale + reduce(scores, count, 0, std::plus<float>());
    for (float& value : state.out[head]) value *= scale;
  }
}

void add_values(const uint16_t* values, uint32_t count, Softmax& state) {
  for (uint32_t first = 0; first < kHeadDim; first += kBlock * kLanes) {
    Floats sums[kGroupHeads][kBlock];
    for (uint32_t head = 0; head < kGroupHeads; ++head) {
      for (uint32_t block = 0; block < kBlock; ++block) sums[head][block] = load(&state.out[head][first + block * kLanes]);
    }
    for (uint32_t token = 0; token < count; ++token) {
      for (uint32_t block = 0; block < kBlock; ++block) {
        const Floats value = widen_all(values + token * kHeadDim + first + block * kLanes);
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
  const int32_t* pages = taskmill::data<int32_t>(args, 3);
  const auto length = static_cast<uint32_t>(*taskmill::data<int32_t>(args, 4));
  Softmax state = {};
  state.q = taskmill::data<uint16_t>(args, 0);
  std::fill(std::begin(state.highest), std::end(state.highest), kNone);
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
