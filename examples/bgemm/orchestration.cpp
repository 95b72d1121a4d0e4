// c += a · b for every matrix of a batch, one group of tasks per tile of c.
//
// Tensors, all float32: a [batch, m, k], b [batch, k, n], c [batch, m, n]. Scalar: the edge of a tile, at least 1. Tiles are views
// of the arrays; those at an edge may be smaller.
#include <taskmill/orchestration.h>

#include <algorithm>

using namespace taskmill;

namespace {

enum Kernel : int32_t { kMultiply, kAccumulate };

struct Place {
  uint32_t batch, row, column;  // of a tile's first element
};

Tensor tile_at(const Tensor& matrices, const Place& place, uint32_t edge) {
  const uint32_t offsets[] = {place.batch, place.row, place.column};
  const uint32_t shape[] = {1, std::min(edge, matrices.shapes[1] - place.row), std::min(edge, matrices.shapes[2] - place.column)};
  return matrices.view(shape, offsets);
}

// All tasks of one tile of c. Products are independent of each other; the additions follow one another, because each reads
// and writes the tile. The scope gives the products' buffers back group by group.
void accumulate_tile(const Tensor& a, const Tensor& b, const Tensor& c, const Place& place, uint32_t edge) {
  const Tensor c_tile = tile_at(c, place, edge);
  const TensorSpec like_c(c_tile.shapes, c_tile.ndims, c_tile.dtype);
  TASKMILL_SCOPE() {
    for (uint32_t k = 0; k < a.shapes[2]; k += edge) {
      const Tensor a_tile = tile_at(a, {place.batch, place.row, k}, edge);
      const Tensor b_tile = tile_at(b, {place.batch, k, place.column}, edge);
      const Outputs product = submit_aic_task(kMultiply, TaskArgs().add_input(a_tile, b_tile).add_output(like_c));
      submit_aiv_task(kAccumulate, TaskArgs().add_input(product[0]).add_inout(c_tile));
    }
  }
}

}  // namespace

extern "C" void bgemm(const OrchestrationArgs& args) {
  const Tensor &a = args.tensor(0), &b = args.tensor(1), &c = args.tensor(2);
  const auto edge = args.scalar<uint32_t>(0);
  for (uint32_t batch = 0; batch < c.shapes[0]; ++batch) {
    for (uint32_t row = 0; row < c.shapes[1]; row += edge) {
      for (uint32_t column = 0; column < c.shapes[2]; column += edge) accumulate_tile(a, b, c, {batch, row, column}, edge);
    }
  }
}
