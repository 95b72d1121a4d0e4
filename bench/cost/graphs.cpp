// Graphs of adds over an array of 64 tiles of 16 floats; scalar 0 is the number of tasks.
#include <taskmill/orchestration.h>

using namespace taskmill;

// Each task adds to the whole array: one after the other.
extern "C" void chain(const OrchestrationArgs& args) {
  for (uint64_t i = 0; i < args.scalar(0); ++i) submit_aiv_task(0, TaskArgs().add_inout(args.tensor(0)));
}

// Each task makes a tile of its own out of the first: nothing but the buffers orders them.
extern "C" void fan(const OrchestrationArgs& args) {
  const Tensor& tiles = args.tensor(0);
  const TensorSpec tile(tiles.shapes + 1, 1);
  for (uint64_t i = 0; i < args.scalar(0); ++i) {
    TASKMILL_SCOPE() { submit_aiv_task(0, TaskArgs().add_output(tile)); }
  }
}

// Each task adds to one tile: 64 chains side by side.
extern "C" void tiles(const OrchestrationArgs& args) {
  for (uint64_t i = 0; i < args.scalar(0); ++i) {
    const Tensor tile = args.tensor(0).rows(static_cast<uint32_t>(i % 64));
    submit_aiv_task(0, TaskArgs().add_inout(tile));
  }
}
