// What the CPUs of this process can do at once: read memory, and multiply bfloat16 pairs with the instruction that the layer's
// matrix products use. Called from decode_layer.py.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "../../examples/qwen3_mlp/kernels/tile_matmul.h"

namespace {

constexpr int kRepeats = 5;

// Seconds that the threads need together, the shortest of some tries.
double shortest(unsigned threads, const std::function<void(unsigned)>& work) {
  double best = 1e9;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> all;
    for (unsigned i = 0; i < threads; ++i) all.emplace_back(work, i);
    for (std::thread& thread : all) thread.join();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

// Bytes per second that `threads` threads read of `bytes` bytes at `data`, each its own part.
extern "C" double read_bandwidth(unsigned threads, const uint64_t* data, uint64_t bytes) {
  const uint64_t words = bytes / sizeof *data / threads;
  std::vector<uint64_t> sums(threads);
  const double seconds = shortest(threads, [&](unsigned thread) {
    const uint64_t* part = data + thread * words;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < words; ++i) sum += part[i];
    sums[thread] = sum;
  });
  const volatile uint64_t keep = sums[0];
  (void)keep;
  return static_cast<double>(words * threads * sizeof *data) / seconds;
}

// Operations per second (a product and a sum are two) of the inner loop of tile_matmul.h on operands that stay in the first cache.
extern "C" double dot_product_peak(unsigned threads) {
  constexpr uint32_t kDepth = 256, kCalls = 4000;
  const double seconds = shortest(threads, [](unsigned) {
    std::vector<uint16_t> x(kDepth * qwen3::kRows, 0x3f80), weights(kDepth * qwen3::kGroupColumns + 32 * 1024, 0x3f80);
    std::vector<float> out(qwen3::kRows * qwen3::kGroupColumns);
    for (uint32_t call = 0; call < kCalls; ++call) {
      qwen3::multiply_group(x.data(), weights.data(), kDepth, out.data(), qwen3::kGroupColumns);
      x[0] = static_cast<uint16_t>(0x3f80 + (out[0] > 0));
    }
  });
  return 2.0 * threads * kCalls * kDepth * qwen3::kRows * qwen3::kGroupColumns / seconds;
}
