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

// ---- what a task says beside its tensors

// x = 2 (x + 1), `scalar` times: tasks of a MANUAL scope in the order of their ids.
extern "C" void manual_chain(const OrchestrationArgs& args) {
  const Tensor& x = args.tensor(0);
  TASKMILL_SCOPE(ScopeMode::kManual) {
    uint64_t last = submit_order_task(TaskArgs()).task_id();
    for (uint32_t i = 0; i < args.scalar<uint32_t>(0); ++i) {
      last = submit_aiv_task(kAddScalar, TaskArgs().add_input(x).add_output(x).add_scalar(1.0f).set_dependencies(&last, 1)).task_id();
      last = submit_aiv_task(kAdd, TaskArgs().add_input(x, x).add_output(x).set_dependencies(&last, 1)).task_id();
    }
  }
}

// out = 1 + the rows of `in` (at most 64) from the last to the first. Each task of the second half follows one that runs nothing,
// which follows each task of the first half.
extern "C" void two_halves(const OrchestrationArgs& args) {
  const Tensor& in = args.tensor(0);
  const Tensor& out = args.tensor(1);
  const uint32_t rows = in.shapes[0];
  TASKMILL_SCOPE(ScopeMode::kManual) {
    const Outputs shifted = alloc_tensors(like(in));
    uint64_t first_half[64];
    for (uint32_t i = 0; i < rows; ++i) {
      const Tensor from = in.rows(i), to = shifted[0].rows(i);
      first_half[i] = submit_aiv_task(kAddScalar, TaskArgs().add_input(from).add_output(to).add_scalar(1.0f)).task_id();
    }
    const uint64_t between = submit_order_task(TaskArgs().set_dependencies(first_half, rows)).task_id();
    for (uint32_t i = 0; i < rows; ++i) {
      const Tensor from = shifted[0].rows(rows - 1 - i), to = out.rows(i);
      submit_aiv_task(kAddScalar, TaskArgs().add_input(from).add_output(to).add_scalar(0.0f).set_dependencies(&between, 1));
    }
  }
}

// out = 7 + in + in
extern "C" void from_seven(const OrchestrationArgs& args) {
  const Tensor& in = args.tensor(0);
  TensorSpec sevens = like(in);
  sevens.set_initial_value(7.0f);
  const Outputs sum = alloc_tensors(sevens);
  for (int i = 0; i < 2; ++i) submit_aiv_task(kAccumulate, TaskArgs().add_inout(sum[0]).add_input(in));
  submit_aiv_task(kAddScalar, TaskArgs().add_input(sum[0]).add_output(args.tensor(1)).add_scalar(0.0f));
}

// shifted = in + 1, by a kernel; out = in + shifted, by another. Between them the orchestration writes what the first kernel made
// of element 0, times 10, over the last element of shifted, and 100 over element 0 of in, which the first kernel reads.
extern "C" void elements(const OrchestrationArgs& args) {
  const Tensor& in = args.tensor(0);
  const uint32_t first[] = {0}, last[] = {in.shapes[0] - 1};
  const Outputs shifted = add_scalar(in, 1.0f);
  set_tensor_data(in, 1, first, 100.0f);
  const auto made = get_tensor_data<float>(shifted[0], 1, first);
  set_tensor_data(shifted[0], 1, last, 10 * made);
  submit_aiv_task(kAdd, TaskArgs().add_input(in, shifted[0]).add_output(args.tensor(1)));
}

// out = 2 + the second half of in. Both tensors that the second task reads and writes are given by address.
extern "C" void by_address(const OrchestrationArgs& args) {
  const Tensor& in = args.tensor(0);
  const uint32_t half[] = {in.shapes[0] / 2};
  const Outputs shifted = add_scalar(in, 1.0f);
  const Tensor from = make_tensor(shifted[0].buffer.addr + half[0] * sizeof(float), half, 1);
  const Tensor to = make_tensor(args.tensor(1).buffer.addr, half, 1);
  submit_aiv_task(kAddScalar, TaskArgs().add_input(from).add_output(to).add_scalar(1.0f));
}

// out = in + 2. The second task names a buffer of the scope that was closed before it, which the ecosystem's rules allow.
extern "C" void after_scope(const OrchestrationArgs& args) {
  Tensor shifted = {};
  TASKMILL_SCOPE() {
    const Outputs made = add_scalar(args.tensor(0), 1.0f);
    shifted = made[0];
  }
  submit_aiv_task(kAddScalar, TaskArgs().add_input(shifted).add_output(args.tensor(1)).add_scalar(1.0f));
}

// ---- mistakes

extern "C" void unknown_address(const OrchestrationArgs& args) {
  submit_aiv_task(kAddScalar,
                  TaskArgs().add_input(make_tensor(0x1000, args.tensor(0).shapes, 1)).add_output(args.tensor(0)).add_scalar(1.0f));
}

// Buffers of 1,024 bytes each lie side by side.
extern "C" void bridge(const OrchestrationArgs& args) {
  const uint32_t one[] = {256}, both[] = {512};
  const Outputs first = alloc_tensors(TensorSpec(one, 1)), second = alloc_tensors(TensorSpec(one, 1));
  const uint64_t begin = first[0].buffer.addr < second[0].buffer.addr ? first[0].buffer.addr : second[0].buffer.addr;
  submit_aiv_task(kAddScalar, TaskArgs().add_input(args.tensor(0)).add_output(make_tensor(begin, both, 1)).add_scalar(1.0f));
}

extern "C" void auto_in_manual(const OrchestrationArgs&) {
  TASKMILL_SCOPE(ScopeMode::kManual) {
    TASKMILL_SCOPE() {}
  }
}

// The id of the next task of the same scope depth is not given out yet.
extern "C" void unknown_task(const OrchestrationArgs& args) {
  const uint64_t later = add_scalar(args.tensor(0), 1.0f).task_id() + 1;
  submit_order_task(TaskArgs().set_dependencies(&later, 1));
}

extern "C" void allocates_what_exists(const OrchestrationArgs& args) { alloc_tensors(args.tensor(0)); }

extern "C" void allocates_nothing(const OrchestrationArgs&) { alloc_tensors(); }

// An index of scalar 0 numbers, each scalar 1.
extern "C" void index_of(const OrchestrationArgs& args) {
  const auto number = args.scalar<uint32_t>(1);
  const uint32_t index[] = {number, number, number};
  get_tensor_data<float>(args.tensor(0), args.scalar<uint32_t>(0), index);
}

extern "C" void element_of_a_closed_scope(const OrchestrationArgs& args) {
  Tensor shifted = {};
  TASKMILL_SCOPE() {
    const Outputs made = add_scalar(args.tensor(0), 1.0f);
    shifted = made[0];
  }
  set_tensor_data(shifted, 0, nullptr, 1.0f);
}
