// Graphs of adds over an array of tiles of 16 floats, 64 or as many as there are tasks; scalar 0 is the number of tasks.
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

// Each task adds to a tile of its own, then one reads them all.
extern "C" void writers(const OrchestrationArgs& args) {
  for (uint64_t i = 0; i < args.scalar(0); ++i) {
    const Tensor tile = args.tensor(0).rows(static_cast<uint32_t>(i));
    submit_aiv_task(0, TaskArgs().add_inout(tile));
  }
  submit_aiv_task(0, TaskArgs().add_input(args.tensor(0)));
}

// Half of the tasks write tiles of their own, half read the whole array, behind a task whose buffer holds the ring.
extern "C" void held(const OrchestrationArgs& args) {
  const TensorSpec tile(args.tensor(0).shapes + 1, 1);
  submit_aiv_task(1, TaskArgs().add_output(tile));
  for (uint64_t i = 0; i < args.scalar(0) / 2; ++i) {
    const Tensor own = args.tensor(0).rows(static_cast<uint32_t>(i));
    submit_aiv_task(1, TaskArgs().add_inout(own));
  }
  for (uint64_t i = 0; i < args.scalar(0) / 2; ++i) submit_aiv_task(1, TaskArgs().add_input(args.tensor(0)));
}

// A third of the tasks write tiles of their own, a third read these tiles as one slice, a third write the tiles again.
extern "C" void slices(const OrchestrationArgs& args) {
  const auto third = static_cast<uint32_t>(args.scalar(0) / 3);
  const Tensor slice = args.tensor(0).rows(0, third);
  for (uint32_t i = 0; i < 3 * third; ++i) {
    const Tensor own = args.tensor(0).rows(i % third);
    i / third == 1 ? submit_aiv_task(1, TaskArgs().add_input(slice)) : submit_aiv_task(1, TaskArgs().add_inout(own));
  }
}

// Each task reads the whole array, then one adds to it.
extern "C" void readers(const OrchestrationArgs& args) {
  for (uint64_t i = 0; i < args.scalar(0); ++i) submit_aiv_task(0, TaskArgs().add_input(args.tensor(0)));
  submit_aiv_task(0, TaskArgs().add_inout(args.tensor(0)));
}

// Each task adds to one of eight views of the array in turn, columns and rows with steps, all of which overlap others.
extern "C" void views(const OrchestrationArgs& args) {
  const Tensor& tiles = args.tensor(0);
  for (uint64_t i = 0; i < args.scalar(0); ++i) {
    const auto k = static_cast<uint32_t>(i / 2 % 4);
    const Tensor view = i % 2 == 0 ? tiles.slice(1, k, 16, 4) : tiles.slice(0, k, tiles.shapes[0], 4);
    submit_aiv_task(1, TaskArgs().add_inout(view));
  }
}
