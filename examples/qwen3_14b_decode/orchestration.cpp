// One decoder layer of Qwen3 for one new token of each of 16 sequences. Tensors, in the order of the arguments:
//
//   x                     bfloat16 [16, K]
//   input_norm            bfloat16 [K]
//   w_q, w_k, w_v         bfloat16 [5 H, 8, K / 2, 16, 2], [H, …], [H, …]: a tile of 128 columns per head; H KV heads
//   q_norm, k_norm        bfloat16 [128]
//   cosines, sines        float32 [16, 64], of the new token's position in each sequence
//   page_table            int32 [16, pages of a sequence]; lengths int32 [16], the new token included
//   w_o                   bfloat16 [T, 8, 640 H / 2, 16, 2]
//   attention_norm        bfloat16 [K]
//   w_gate, w_up, w_down  bfloat16 [F, 16, K / 2, 16, 2], likewise, [D, 4, I / 2, 16, 2]
//   key_cache             bfloat16 [H, pages, 64, 128, 2], value_cache bfloat16 [H, pages, 128, 128]: the new token is written in place
//   y                     bfloat16 [16, K]
//
// and, if they are to be seen, the float32 results of the stages, which the runtime makes otherwise (Stages).
#include <taskmill/orchestration.h>

using namespace taskmill;

namespace {

enum Kernel : int32_t {
  kInputNorm,
  kProjectQ,
  kProjectK,
  kProjectV,
  kRotateAppend,
  kAttention,
  kInterleave,
  kProjectO,
  kAttentionNorm,
  kGate,
  kUp,
  kSwiglu,
  kDown
};
constexpr uint32_t kRows = 16;
constexpr uint32_t kGroupHeads = 5;
constexpr uint32_t kHeadDim = 128;

struct Layer {
  explicit Layer(const OrchestrationArgs& args)
      : x(args.tensor(0)),
        input_norm(args.tensor(1)),
        w_q(args.tensor(2)),
        w_k(args.tensor(3)),
        w_v(args.tensor(4)),
        q_norm(args.tensor(5)),
        k_norm(args.tensor(6)),
        cosines(args.tensor(7)),
        sines(args.tensor(8)),
        page_table(args.tensor(9)),
        lengths(args.tensor(10)),
        w_o(args.tensor(11)),
        attention_norm(args.tensor(12)),
        w_gate(args.tensor(13)),
        w_up(args.tensor(14)),
        w_down(args.tensor(15)),
        key_cache(args.tensor(16)),
        value_cache(args.tensor(17)),
        y(args.tensor(18)) {}
  const Tensor &x, &input_norm, &w_q, &w_k, &w_v, &q_norm, &k_norm, &cosines, &sines, &page_table, &lengths, &w_o, &attention_norm;
  const Tensor &w_gate, &w_up, &w_down, &key_cache, &value_cache, &y;
};

// The float32 results of the stages, before anything is rounded.
struct Stages {
  Tensor normalised;        // [16, K]
  Tensor q;                 // [H, 16, 5, 128], rotated
  Tensor k;                 // [H, 16, 128], rotated
  Tensor v;                 // [H, 16, 128]
  Tensor attention;         // [16, H, 5, 128]
  Tensor o;                 // [T, 16, 128]
  Tensor residual;          // [16, K]: x + o
  Tensor mlp_normalised;    // [16, K]
  Tensor gate, up, hidden;  // [F, 16, 256]
  Tensor mlp;               // [D, 16, 64]
};

template <size_t kDims>
TensorSpec spec_of(DataType dtype, const uint32_t (&shape)[kDims]) {
  return TensorSpec(shape, kDims, dtype);
}
// Columns of a tile of packed weights.
uint32_t tile_columns(const Tensor& weights) { return weights.shapes[1] * kRows; }

Stages own_stages(const Layer& layer) {
  const uint32_t k = layer.x.shapes[1], heads = layer.w_k.shapes[0], tiles = layer.w_gate.shapes[0];
  const DataType f32 = DataType::kFloat32;
  const TensorSpec row = spec_of(f32, {kRows, k}), head = spec_of(f32, {heads, kRows, kHeadDim});
  const TensorSpec wide = spec_of(f32, {tiles, kRows, tile_columns(layer.w_gate)});
  const Outputs made = alloc_tensors(row, spec_of(f32, {heads, kRows, kGroupHeads, kHeadDim}), head, head,
                                     spec_of(f32, {kRows, heads, kGroupHeads, kHeadDim}),
                                     spec_of(f32, {layer.w_o.shapes[0], kRows, tile_columns(layer.w_o)}), row, row, wide, wide, wide,
                                     spec_of(f32, {layer.w_down.shapes[0], kRows, tile_columns(layer.w_down)}));
  return {made[0], made[1], made[2], made[3], made[4], made[5], made[6], made[7], made[8], made[9], made[10], made[11]};
}

Stages shown_stages(const OrchestrationArgs& args) {
  const auto shown = [&](uint32_t index) { return args.tensor(19 + index); };
  return {shown(0), shown(1), shown(2), shown(3), shown(4), shown(5), shown(6), shown(7), shown(8), shown(9), shown(10), shown(11)};
}

// One tile of operand · weights, into that tile of `out`.
void project(Kernel kernel, const Tensor& operand, const Tensor& weights, uint32_t tile, const Tensor& out) {
  const Tensor tile_weights = weights.rows(tile), result = out.rows(tile);
  submit_aic_task(kernel, TaskArgs().add_input(operand, tile_weights).add_output(result));
}

// The operand of a matrix product with k rows of weights: pairs of k side by side.
TensorSpec operand_spec(uint32_t k) { return spec_of(DataType::kBfloat16, {k / 2, kRows, 2}); }

// One KV head and its five query heads, up to the output of attention for all sequences.
void attend(const Layer& layer, const Stages& stages, const Tensor& operand, uint32_t head, const Tensor& q, const Tensor& attended) {
  const Outputs projected =
      alloc_tensors(spec_of(DataType::kFloat32, {kGroupHeads, kRows, kHeadDim}), spec_of(DataType::kFloat32, {1, kRows, kHeadDim}));
  const Tensor &heads_q = projected[0], &head_k = projected[1];
  TaskArgs rotate;
  Tensor q_tiles[kGroupHeads];
  for (uint32_t i = 0; i < kGroupHeads; ++i) {
    q_tiles[i] = heads_q.rows(i);
    const Tensor weights = layer.w_q.rows(head * kGroupHeads + i);
    submit_aic_task(kProjectQ, TaskArgs().add_input(operand, weights).add_output(q_tiles[i]));
    rotate.add_input(q_tiles[i]);
  }
  const Tensor k_weights = layer.w_k.rows(head);
  submit_aic_task(kProjectK, TaskArgs().add_input(operand, k_weights).add_output(head_k));
  project(kProjectV, operand, layer.w_v, head, stages.v);

  const Tensor head_v = stages.v.rows(head), q_stage = stages.q.rows(head), k_stage = stages.k.rows(head), head_queries = q.rows(head);
  const Tensor keys = layer.key_cache.rows(head), values = layer.value_cache.rows(head);
  rotate.add_input(head_k, head_v, layer.q_norm, layer.k_norm, layer.cosines, layer.sines, layer.page_table, layer.lengths);
  rotate.add_output(q_stage, head_queries, k_stage).add_inout(keys, values);
  submit_aiv_task(kRotateAppend, rotate);
  for (uint32_t row = 0; row < kRows; ++row) {
    const Tensor row_q = head_queries.slice(1, row, row + 1), pages = layer.page_table.rows(row), length = layer.lengths.rows(row);
    const Tensor stage = stages.attention.rows(row).slice(1, head, head + 1), result = attended.rows(row).slice(1, head, head + 1);
    submit_aic_task(kAttention, TaskArgs().add_input(row_q, keys, values, pages, length).add_output(stage, result));
  }
}

void mlp(const Layer& layer, const Stages& stages, const Tensor& operand) {
  const uint32_t tiles = layer.w_gate.shapes[0], columns = tile_columns(layer.w_gate);
  const Outputs made = alloc_tensors(spec_of(DataType::kBfloat16, {tiles, columns / 2, kRows, 2}));
  const Tensor& hidden = made[0];
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    project(kGate, operand, layer.w_gate, tile, stages.gate);
    project(kUp, operand, layer.w_up, tile, stages.up);
    const Tensor gate = stages.gate.rows(tile), up = stages.up.rows(tile), stage = stages.hidden.rows(tile), rounded = hidden.rows(tile);
    submit_aiv_task(kSwiglu, TaskArgs().add_input(gate, up).add_output(stage, rounded));
  }
  const uint32_t width = tile_columns(layer.w_down);
  for (uint32_t tile = 0; tile < layer.w_down.shapes[0]; ++tile) {
    const Tensor weights = layer.w_down.rows(tile), stage = stages.mlp.rows(tile);
    const Tensor before = stages.residual.slice(1, tile * width, (tile + 1) * width),
                 y = layer.y.slice(1, tile * width, (tile + 1) * width);
    submit_aic_task(kDown, TaskArgs().add_input(hidden, weights, before).add_output(stage, y));
  }
}

void decode(const Layer& layer, const Stages& stages) {
  const uint32_t k = layer.x.shapes[1], heads = layer.w_k.shapes[0], attention_width = heads * kGroupHeads * kHeadDim;
  const DataType bf16 = DataType::kBfloat16;
  const Outputs made = alloc_tensors(operand_spec(k), spec_of(bf16, {heads, kRows, kGroupHeads, kHeadDim}),
                                     spec_of(bf16, {kRows, heads, kGroupHeads, kHeadDim}), operand_spec(attention_width), operand_spec(k));
  const Tensor &operand = made[0], &q = made[1], &attended = made[2], &attention_operand = made[3], &mlp_operand = made[4];

  submit_aiv_task(kInputNorm, TaskArgs().add_input(layer.x, layer.input_norm).add_output(stages.normalised, operand));
  for (uint32_t head = 0; head < heads; ++head) {
    TASKMILL_SCOPE() { attend(layer, stages, operand, head, q, attended); }
  }
  const uint32_t rows_shape[] = {kRows, attention_width};
  const Tensor attended_rows = attended.reshape(rows_shape, 2);
  submit_aiv_task(kInterleave, TaskArgs().add_input(attended_rows).add_output(attention_operand));
  for (uint32_t tile = 0; tile < layer.w_o.shapes[0]; ++tile) project(kProjectO, attention_operand, layer.w_o, tile, stages.o);
  submit_aiv_task(
      kAttentionNorm,
      TaskArgs().add_input(layer.x, stages.o, layer.attention_norm).add_output(stages.residual, stages.mlp_normalised, mlp_operand));
  mlp(layer, stages, mlp_operand);
}

}  // namespace

extern "C" void qwen3_decode(const OrchestrationArgs& args) {
  const Layer layer(args);
  decode(layer, own_stages(layer));
}

extern "C" void qwen3_decode_stages(const OrchestrationArgs& args) { decode(Layer(args), shown_stages(args)); }
