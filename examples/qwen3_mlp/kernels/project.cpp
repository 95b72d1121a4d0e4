// One tile of gate or up: out[16, columns] = x · w in float32.
// Arguments: interleaved x [k / 2][16][2], packed w [1][columns / 16][k / 2][16][2], out.
#include <taskmill/kernel.h>

#include "tile_matmul.h"

extern "C" void kernel_entry(int64_t* args) {
  const taskmill::TensorDescriptor& weights = taskmill::tensor(args, 1);
  qwen3::multiply_tile(taskmill::data<uint16_t>(args, 0), taskmill::data<uint16_t>(args, 1), 2 * weights.shapes[2],
                       qwen3::kGroupColumns * weights.shapes[1], taskmill::data<float>(args, 2));
}
