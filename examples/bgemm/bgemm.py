"""c += a · b for a batch of float32 matrices, tile by tile: cube cores multiply, vector cores add."""

import numpy as np
from taskmill.scene import In, InOut, Scalar, SceneTestCase, TaskArgsBuilder, TensorArg, scene_test

PLATFORMS = ["a2a3sim", "a5sim"]
SIZES = ("batch", "m", "n", "k", "tile")


@scene_test(level=2, runtime="tensormap_and_ringbuffer")
class Bgemm(SceneTestCase):
    CALLABLE = {
        "orchestration": {"source": "orchestration.cpp", "function_name": "bgemm", "signature": [In, In, InOut]},
        "incores": [
            {"func_id": 0, "name": "multiply", "source": "kernels/multiply.cpp", "core_type": "aic"},
            {"func_id": 1, "name": "accumulate", "source": "kernels/accumulate.cpp", "core_type": "aiv"},
        ],
    }
    CASES = [
        # 10 · 5 · 5 tiles of c, 2 products each: 8 MB of products in a heap of 1 MiB.
        {
            "name": "groups_250",
            "platforms": PLATFORMS,
            "params": {"batch": 10, "m": 320, "n": 320, "k": 128, "tile": 64},
            "config": {"heap_bytes": 1 << 20},
        },
        {
            "name": "ragged",
            "platforms": PLATFORMS,
            "params": {"batch": 2, "m": 40, "n": 56, "k": 24, "tile": 16},
            "config": {"heap_bytes": 1 << 20},
        },
    ]
    # Sums of float32 products, in another order than numpy's.
    RTOL = ATOL = 1e-4

    def generate_args(self, params):
        batch, m, n, k, tile = (params[name] for name in SIZES)
        if min(batch, m, n, k, tile) < 1:
            raise ValueError(f"sizes must be at least 1, got {', '.join(f'{name}={params[name]}' for name in SIZES)}")
        generator = np.random.default_rng(3)
        return TaskArgsBuilder(
            TensorArg("a", generator.standard_normal((batch, m, k), dtype=np.float32)),
            TensorArg("b", generator.standard_normal((batch, k, n), dtype=np.float32)),
            TensorArg("c", generator.standard_normal((batch, m, n), dtype=np.float32)),
            Scalar("tile", tile),
        )

    def compute_golden(self, args, params):
        args.c[:] = args.c + np.matmul(args.a, args.b, dtype=np.float64)
