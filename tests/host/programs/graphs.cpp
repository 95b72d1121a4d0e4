// Orchestrations of the host tests. Kernel ids: tests/host/worker_fixture.h.
#include <taskmill/orchestration.h>

#include <stdexcept>

using namespace taskmill;

namespace {

enum Kernel : int32_t { kAdd, kAddScalar, kMultiply, kAccumulate, kSpinUntilSet, kSetWord };

TensorSpec like(const Tensor& tensor) { return TensorSpec(tensor.shapes, tensor.ndims, tensor.dtype); }

Outputs add_scalar(const Tensor& in, float addend) {
  return submit_aiv_task(kAddScalar, TaskArgs().add_input(in).add_output(like(in)).add_scalar(addend));
}

}  // namespace

// out = in + 1
extern "C" void hello(const OrchestrationArgs& args) {
  submit_aiv_task(kAddScalar, TaskArgs().add_input(args.tensor(0)).add_output(args.tensor(1)).add_scalar(1.0f));
}

// out = in + scalar, on a cube core
extern "C" void hello_cube(const OrchestrationArgs& args) {
  submit_aic_task(kAddScalar, TaskArgs().add_input(args.tensor(0)).add_output(args.tensor(1)).add_scalar(args.scalar<float>(0)));
}

// f = (a + b + 1)(a + b + 2) + (a + b)
extern "C" void vector_f(const OrchestrationArgs& args) {
  const Tensor& a = args.tensor(0);
  const Outputs sum = submit_aiv_task(kAdd, TaskArgs().add_input(a, args.tensor(1)).add_output(like(a)));
  TASKMILL_SCOPE() {
    const Outputs left = add_scalar(sum[0], 1.0f);
    TASKMILL_SCOPE() {
      const Outputs right = add_scalar(sum[0], 2.0f);
      const Outputs product = submit_aiv_task(kMultiply, TaskArgs().add_input(left[0], right[0]).add_output(like(a)));
      submit_aiv_task(kAdd, TaskArgs().add_input(product[0], sum[0]).add_output(args.tensor(2)));
    }
  }
}

// sum += (in + 0) + (in + 1) + ... for `scalar` pairs of tasks, each pair in a scope of its own
extern "C" void pairs(const OrchestrationArgs& args) {
  for (uint32_t i = 0; i < args.scalar<uint32_t>(0); ++i) {
    TASKMILL_SCOPE() {
      const Outputs shifted = add_scalar(args.tensor(0), static_cast<float>(i));
      submit_aiv_task(kAccumulate, TaskArgs().add_inout(args.tensor(1)).add_input(shifted[0]));
    }
  }
}

// One task of the kernel in its scalar, with the one tensor as INOUT.
extern "C" void run_one(const OrchestrationArgs& args) { submit_aiv_task(args.scalar<int32_t>(0), TaskArgs().add_inout(args.tensor(0))); }

// Row i of `seen` is a task that spins on the word; the last task sets it. Nothing orders them: the word travels as an address.
extern "C" void waiters(const OrchestrationArgs& args) {
  const Tensor& seen = args.tensor(0);
  const uint64_t word = args.tensor(1).buffer.addr;
  for (uint32_t i = 0; i < seen.shapes[0]; ++i) submit_aiv_task(kSpinUntilSet, TaskArgs().add_output(seen.rows(i)).add_scalar(word));
  submit_aiv_task(kSetWord, TaskArgs().add_scalar(word));
}

extern "C" void reports(const OrchestrationArgs&) { report_fatal("the batch is empty"); }

extern "C" void throws(const OrchestrationArgs&) { throw std::runtime_error("no such layer"); }

// 40 outputs that all live to the end of one scope.
extern "C" void long_scope(const OrchestrationArgs& args) {
  TASKMILL_SCOPE() {  // the line that the report names
    for (int i = 0; i < 40; ++i) add_scalar(args.tensor(0), 1.0f);
  }
}
