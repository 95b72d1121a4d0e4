// product = a · b for one pair of tiles. Arguments: a [1, rows, depth] and b [1, depth, columns], views whose rows lie apart;
// product [1, rows, columns], contiguous.
#include <taskmill/kernel.h>

extern "C" void kernel_entry(int64_t* args) {
  const taskmill::TensorDescriptor &a = taskmill::tensor(args, 0), &b = taskmill::tensor(args, 1);
  const uint32_t rows = a.shapes[1], depth = a.shapes[2], columns = b.shapes[2];
  const float* a_row = taskmill::data<float>(args, 0);
  float* sums = taskmill::data<float>(args, 2);
  for (uint32_t row = 0; row < rows; ++row, a_row += a.strides[1], sums += columns) {
    std::memset(sums, 0, columns * sizeof *sums);
    const float* b_row = taskmill::data<float>(args, 1);
    for (uint32_t k = 0; k < depth; ++k, b_row += b.strides[1]) {
      for (uint32_t column = 0; column < columns; ++column) sums[column] += a_row[k] * b_row[column];
    }
  }
}
