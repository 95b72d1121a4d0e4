#include <taskmill/orchestration.h>

using namespace taskmill;

// y = x + the number of rounds, one task per round; a round's result is a buffer that the runtime makes.
extern "C" void add_rounds(const OrchestrationArgs& args) {
  const Tensor& x = args.tensor(0);
  const TensorSpec like_x(x.shapes, x.ndims, x.dtype);
  const auto rounds = args.scalar<uint64_t>(0);
  Tensor sum = x;
  for (uint64_t round = 1; round < rounds; ++round) {
    const Outputs next = submit_aiv_task(0, TaskArgs().add_input(sum).add_output(like_x));
    sum = next[0];
  }
  submit_aiv_task(0, TaskArgs().add_input(sum).add_output(args.tensor(1)));
}
