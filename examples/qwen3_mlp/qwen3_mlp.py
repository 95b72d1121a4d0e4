"""The MLP block of Qwen3-14B: y = (silu(x · w_gate) * (x · w_up)) · w_down, bfloat16 in and out, float32 sums."""

import ml_dtypes
import numpy as np
import qwen3_reference as reference
from taskmill.scene import In, Out, SceneTestCase, Stage, TaskArgsBuilder, TensorArg, scene_test
from qwen3_weights import packed_normal

ROWS = 16
TILE = 128  # columns of a gate, up or hidden tile
DOWN_TILE = 64  # columns of a down tile

KERNELS = [
    {"func_id": 0, "name": "interleave", "source": "kernels/interleave.cpp", "core_type": "aiv"},
    {"func_id": 1, "name": "gate", "source": "kernels/project.cpp", "core_type": "aic"},
    {"func_id": 2, "name": "up", "source": "kernels/project.cpp", "core_type": "aic"},
    {"func_id": 3, "name": "swiglu", "source": "kernels/swiglu.cpp", "core_type": "aiv"},
    {"func_id": 4, "name": "down", "source": "kernels/down.cpp", "core_type": "aic"},
]
SIGNATURE = [In, In, In, In, Out, Out]  # x, w_gate, w_up, w_down, hidden, y


def callable_of(function, signature):
    orchestration = {"source": "orchestration.cpp", "function_name": function, "signature": signature}
    return {"orchestration": orchestration, "incores": KERNELS}


@scene_test(level=2, runtime="tensormap_and_ringbuffer")
class Qwen3Mlp(SceneTestCase):
    CALLABLE = callable_of("qwen3_mlp", SIGNATURE)
    CHECK_CALLABLE = callable_of("qwen3_mlp_stages", SIGNATURE + [Out] * 4)  # gate, up, hidden_f32, down_f32
    CASES = [{"name": "14b", "platforms": ["a2a3sim", "a5sim"], "params": {"hidden": 5120, "intermediate": 17408, "seed": 14}}]
    # y is rounded twice on its way, hidden and itself, each by up to 2**-9 of its value.
    RTOL = 2.0**-7
    ATOL = 2.0**-8

    def generate_args(self, params):
        k, intermediate, seed = params["hidden"], params["intermediate"], params["seed"]
        if k % DOWN_TILE or intermediate % TILE:
            raise ValueError(f"hidden must be a multiple of {DOWN_TILE} and intermediate of {TILE}, got {k} and {intermediate}")
        x = np.random.default_rng((seed, 0)).standard_normal((ROWS, k), dtype=np.float32)
        return TaskArgsBuilder(
            TensorArg("x", reference.rounded(x)),
            TensorArg("w_gate", packed_normal((seed, 1), k, intermediate, TILE)),
            TensorArg("w_up", packed_normal((seed, 2), k, intermediate, TILE)),
            TensorArg("w_down", packed_normal((seed, 3), intermediate, k, DOWN_TILE)),
            TensorArg("hidden", np.zeros((intermediate // TILE, TILE // 2, ROWS, 2), dtype=ml_dtypes.bfloat16)),
            TensorArg("y", np.zeros((k // DOWN_TILE, ROWS, DOWN_TILE), dtype=ml_dtypes.bfloat16)),
        )

    def compute_golden(self, args, params):
        gate, up = reference.project(args.x, args.w_gate), reference.project(args.x, args.w_up)
        hidden = reference.rounded(reference.swiglu(gate, up))
        args.hidden[:] = reference.interleave_tiles(hidden)
        args.y[:] = reference.rounded(reference.project(reference.rows_of_tiles(hidden), args.w_down))

    def generate_check_args(self, params):
        args = self.generate_args(params)
        wide = (params["intermediate"] // TILE, ROWS, TILE)
        for name, shape in (("gate", wide), ("up", wide), ("hidden_f32", wide), ("down_f32", args.y.shape)):
            args.add_tensor(name, np.zeros(shape, dtype=np.float32))
        return args

    def check_stages(self, args, params):
        """Each stage beside a reference that starts from what the device computed in the stage before."""
        yield Stage("gate", args.gate, reference.project(args.x, args.w_gate))
        yield Stage("up", args.up, reference.project(args.x, args.w_up))
        yield Stage("hidden", args.hidden_f32, reference.swiglu(args.gate, args.up))
        hidden = reference.rows_of_tiles(reference.rounded(args.hidden_f32))
        yield Stage("down", args.down_f32, reference.project(hidden, args.w_down))
