// c += product for one tile. Arguments: product [1, rows, columns], contiguous; c of that shape, a view whose rows lie apart.
#include <taskmill/kernel.h>

extern "C" void kernel_entry(int64_t* args) {
  const taskmill::TensorDescriptor& c = taskmill::tensor(args, 1);
  const float* product = taskmill::data<float>(args, 0);
  float* c_row = taskmill::data<float>(args, 1);
  for (uint32_t row = 0; row < c.shapes[1]; ++row, c_row += c.strides[1], product += c.shapes[2]) {
    for (uint32_t column = 0; column < c.shapes[2]; ++column) c_row[column] += product[column];
  }
}
