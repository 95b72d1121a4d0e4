// The MLP block of Qwen3: y = (silu(x · w_gate) * (x · w_up)) · w_down, for 16 rows of x.
//
// Tensors (tiles first, so that a task reads and writes contiguous bytes):
//   x        bfloat16 [16, K]
//   w_gate, w_up  bfloat16 [T, columns / 16, K / 2, 16, 2]
//   w_down   bfloat16 [D, columns / 16, I / 2, 16, 2]
//   hidden   bfloat16 [T, columns / 2, 16, 2]: each SwiGLU task writes a tile, each down task reads all of them
//   y        bfloat16 [D, 16, columns]
// and, if the stages are to be seen, gate, up, hidden_f32 [T, 16, columns] and down_f32 [D, 16, columns].
#include <taskmill/orchestration.h>

#include <optional>

using namespace taskmill;

namespace {

enum Kernel : int32_t { kInterleave, kGate, kUp, kSwiglu, kDown };
constexpr uint32_t kRows = 16;
constexpr uint32_t kGroupColumns = 16;  // columns that lie side by side in packed weights

// Where the float32 results of a stage go: an argument of the run that shows them, or none.
struct Shown {
  const Tensor* gate = nullptr;
  const Tensor* up = nullptr;
  const Tensor* hidden = nullptr;
  const Tensor* down = nullptr;
};

// The float32 result of one task, [16, columns]: the stage's tile if the stage is shown, else a buffer that the runtime makes.
class ResultTile {
 public:
  ResultTile(const Tensor* stage, uint32_t tile, const Tensor& weights) : spec_(spec_for(weights)) {
    if (stage != nullptr) shown_ = stage->rows(tile);
  }
  void add_to(TaskArgs& args) const {
    if (shown_) {
      args.add_output(*shown_);
    } else {
      args.add_output(spec_);
    }
  }
  // REQUIRES: the result is the first output of `outputs`.
  const Tensor& tensor(const Outputs& outputs) const { return shown_ ? *shown_ : outputs[0]; }

 private:
  static TensorSpec spec_for(const Tensor& weights) {
    const uint32_t shape[] = {kRows, kGroupColumns * weights.shapes[1]};
    return TensorSpec(shape, 2, DataType::kFloat32);
  }

  TensorSpec spec_;
  std::optional<Tensor> shown_;
};

Outputs project(Kernel kernel, const Tensor& x, const Tensor& weights, uint32_t tile, const ResultTile& result) {
  const Tensor tile_weights = weights.rows(tile);
  TaskArgs args;
  args.add_input(x, tile_weights);
  result.add_to(args);
  return submit_aic_task(kernel, args);
}

void swiglu(const Tensor& gate, const Tensor& up, const Tensor& hidden, uint32_t tile, const ResultTile& result) {
  const Tensor hidden_tile = hidden.rows(tile);
  TaskArgs args;
  args.add_input(gate, up);
  result.add_to(args);
  args.add_output(hidden_tile);
  submit_aiv_task(kSwiglu, args);
}

void down(const Tensor& hidden, const Tensor& weights, const Tensor& y, uint32_t tile, const ResultTile& result) {
  const Tensor tile_weights = weights.rows(tile);
  const Tensor y_tile = y.rows(tile);
  TaskArgs args;
  args.add_input(hidden, tile_weights);
  result.add_to(args);
  args.add_output(y_tile);
  submit_aic_task(kDown, args);
}

void mlp(const OrchestrationArgs& args, const Shown& shown) {
  const Tensor &x = args.tensor(0), &w_gate = args.tensor(1), &w_up = args.tensor(2), &w_down = args.tensor(3);
  const Tensor &hidden = args.tensor(4), &y = args.tensor(5);

  const uint32_t interleaved_shape[] = {x.shapes[1] / 2, kRows, 2};
  const Outputs interleaved =
      submit_aiv_task(kInterleave, TaskArgs().add_input(x).add_output(TensorSpec(interleaved_shape, 3, DataType::kBfloat16)));
  for (uint32_t tile = 0; tile < w_gate.shapes[0]; ++tile) {
    TASKMILL_SCOPE() {
      const ResultTile gate(shown.gate, tile, w_gate), up(shown.up, tile, w_up), result(shown.hidden, tile, w_gate);
      const Outputs gate_task = project(kGate, interleaved[0], w_gate, tile, gate);
      const Outputs up_task = project(kUp, interleaved[0], w_up, tile, up);
      swiglu(gate.tensor(gate_task), up.tensor(up_task), hidden, tile, result);
    }
  }
  for (uint32_t tile = 0; tile < w_down.shapes[0]; ++tile) {
    TASKMILL_SCOPE() { down(hidden, w_down, y, tile, ResultTile(shown.down, tile, w_down)); }
  }
}

}  // namespace

extern "C" void qwen3_mlp(const OrchestrationArgs& args) { mlp(args, Shown{}); }

extern "C" void qwen3_mlp_stages(const OrchestrationArgs& args) {
  mlp(args, Shown{&args.tensor(6), &args.tensor(7), &args.tensor(8), &args.tensor(9)});
}
