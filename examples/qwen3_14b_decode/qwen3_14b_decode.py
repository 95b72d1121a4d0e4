"""One decoder layer of Qwen3-14B: the next token of 16 sequences, with a paged KV cache that is written in place."""

import decode_reference as reference
import ml_dtypes
import numpy as np
from decode_inputs import ROWS, Sizes, make_inputs
from taskmill.scene import In, InOut, Out, SceneTestCase, Stage, TaskArgsBuilder, TensorArg, scene_test

MLP_KERNELS = "../qwen3_mlp/kernels"
PROJECT = f"{MLP_KERNELS}/project.cpp"
KERNELS = [
    {"func_id": func_id, "name": name, "source": source, "core_type": core_type}
    for func_id, (name, source, core_type) in enumerate(
        [
            ("input_norm", "kernels/input_norm.cpp", "aiv"),
            ("q", PROJECT, "aic"),
            ("k", PROJECT, "aic"),
            ("v", PROJECT, "aic"),
            ("rotate_append", "kernels/rotate_append.cpp", "aiv"),
            ("attention", "kernels/attention.cpp", "aic"),
            ("interleave", f"{MLP_KERNELS}/interleave.cpp", "aiv"),
            ("o", PROJECT, "aic"),
            ("attention_norm", "kernels/attention_norm.cpp", "aiv"),
            ("gate", PROJECT, "aic"),
            ("up", PROJECT, "aic"),
            ("swiglu", f"{MLP_KERNELS}/swiglu.cpp", "aiv"),
            ("down", "kernels/down_residual.cpp", "aic"),
        ]
    )
]
SIGNATURE = [In] * 16 + [InOut, InOut, Out]  # in the order of decode_inputs.make_inputs
STAGES = 12  # outputs more in check mode


def callable_of(function, signature):
    orchestration = {"source": "orchestration.cpp", "function_name": function, "signature": signature}
    return {"orchestration": orchestration, "incores": KERNELS}


@scene_test(level=2, runtime="tensormap_and_ringbuffer")
class Qwen3Decode(SceneTestCase):
    CALLABLE = callable_of("qwen3_decode", SIGNATURE)
    CHECK_CALLABLE = callable_of("qwen3_decode_stages", SIGNATURE + [Out] * STAGES)
    CASES = [
        {
            "name": "14b",
            "platforms": ["a2a3sim", "a5sim"],
            "params": {"hidden": 5120, "kv_heads": 8, "intermediate": 17408, "context": 3500, "ragged": False, "seed": 14},
        }
    ]
    # y is the sum of x and two products whose operands were rounded to bfloat16, and is rounded itself.
    RTOL = 2.0**-7
    ATOL = 2.0**-6

    def generate_args(self, params):
        sizes = Sizes.of(params)
        args = TaskArgsBuilder(*(TensorArg(name, value) for name, value in make_inputs(sizes, params["seed"]).items()))
        args.add_tensor("y", np.zeros((ROWS, sizes.hidden), dtype=ml_dtypes.bfloat16))
        return args

    def compute_golden(self, args, params):
        stages = reference.layer(args, Sizes.of(params))
        args.key_cache[:], args.value_cache[:] = stages.key_cache, stages.value_cache
        args.y[:] = reference.rounded(stages.residual + reference.rows_of_tiles(stages.mlp))

    def compare_outputs(self, test_args, golden_args, output_names, params):
        """Of the caches, 2 × 115 million elements, only the new tokens may differ from what was there."""
        actual = TaskArgsBuilder(TensorArg("y", test_args.y), *reference.new_tokens(test_args))
        golden = TaskArgsBuilder(TensorArg("y", golden_args.y), *reference.new_tokens(golden_args))
        error = super().compare_outputs(actual, golden, actual.tensor_names(), params)
        for name, count in zip(("key_cache", "value_cache"), reference.changed_elsewhere(test_args, golden_args), strict=True):
            if count:
                raise AssertionError(f"{name} has changed in {count:,} elements beside the new tokens of the {ROWS} sequences")
        return error

    def generate_check_args(self, params):
        args = self.generate_args(params)
        for name, shape in Sizes.of(params).stage_shapes().items():
            args.add_tensor(name, np.zeros(shape, dtype=np.float32))
        self.initial_caches = args.key_cache.copy(), args.value_cache.copy()
        return args

    def check_stages(self, args, params):
        """Each stage beside a reference that starts from what the device computed in the stage before."""
        sizes = Sizes.of(params)
        normalised, mlp_normalised = reference.rounded(args.normalised), reference.rounded(args.mlp_normalised)
        yield Stage("norm", args.normalised, reference.rms_norm(args.x, args.input_norm))
        yield Stage("q", args.q, reference.queries(normalised, args, sizes))
        yield Stage("k", args.k, reference.keys(normalised, args))
        yield Stage("v", args.v, reference.project(normalised, args.w_v))
        caches = reference.appended(self.initial_caches, args.k, args.v, args)
        yield Stage("caches", reference.differing((args.key_cache, args.value_cache), caches), np.zeros(2))
        yield Stage("attention", args.attention, reference.attention(reference.rounded(args.q), *caches, args, sizes))
        yield Stage("o", args.o, reference.project(reference.rounded(args.attention).reshape(ROWS, -1), args.w_o))
        yield Stage("residual", args.residual, reference.residual(args.x, args.o))
        yield Stage("mlp norm", args.mlp_normalised, reference.rms_norm(args.residual, args.attention_norm))
        yield Stage("gate", args.gate, reference.project(mlp_normalised, args.w_gate))
        yield Stage("up", args.up, reference.project(mlp_normalised, args.w_up))
        yield Stage("hidden", args.hidden, reference.swiglu(args.gate, args.up))
        hidden = reference.rows_of_tiles(reference.rounded(args.hidden))
        yield Stage("mlp", args.mlp, reference.project(hidden, args.w_down))
        yield Stage("y", args.y, reference.rounded(args.residual + reference.rows_of_tiles(args.mlp)))
