// x[16, k] row-major -> [k / 2][16][2], the operand layout of tile_matmul.h.
#include <taskmill/kernel.h>

#include "tile_matmul.h"

extern "C" void kernel_entry(int64_t* args) {
  const uint16_t* x = taskmill::data<uint16_t>(args, 0);
  uint16_t* interleaved = taskmill::data<uint16_t>(args, 1);
  const uint32_t k = taskmill::tensor(args, 0).shapes[1];
  for (uint32_t pair = 0; pair < k / 2; ++pair) {
    for (uint32_t row = 0; row < qwen3::kRows; ++row) {
      std::memcpy(interleaved + 2 * (pair * qwen3::kRows + row), x + row * k + 2 * pair, 2 * sizeof *x);
    }
  }
}
