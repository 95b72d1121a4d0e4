// f = (a + b + 1)(a + b + 2) + (a + b). Five tasks; the runtime makes the buffers between them and finds their order.
#include <taskmill/orchestration.h>

using namespace taskmill;

namespace {

enum Kernel : int32_t { kAdd, kAddScalar, kMultiply };

Outputs add_scalar(const Tensor& a, float s, const TensorSpec& like) {
  return submit_aiv_task(kAddScalar, TaskArgs().add_input(a).add_output(like).add_scalar(s));
}

}  // namespace

extern "C" void vector_f(const OrchestrationArgs& args) {
  const Tensor& a = args.tensor(0);
  const Tensor& b = args.tensor(1);
  const Tensor& f = args.tensor(2);
  const TensorSpec like_a(a.shapes, a.ndims, a.dtype);

  const Outputs sum = submit_aiv_task(kAdd, TaskArgs().add_input(a, b).add_output(like_a));
  // A buffer lives as long as the scope in which it is made and the tasks that read it. Inner scopes may use the buffers
  // of outer ones; naming a buffer after its scope ended is an error.
  TASKMILL_SCOPE() {
    const Outputs plus_one = add_scalar(sum[0], args.scalar<float>(0), like_a);
    const Outputs plus_two = add_scalar(sum[0], args.scalar<float>(1), like_a);
    TASKMILL_SCOPE() {
      const Outputs product = submit_aiv_task(kMultiply, TaskArgs().add_input(plus_one[0], plus_two[0]).add_output(like_a));
      submit_aiv_task(kAdd, TaskArgs().add_input(product[0], sum[0]).add_output(f));
    }
  }
}
