"""f = (a + b + 1)(a + b + 2) + (a + b) in five tasks, their buffers made by the runtime."""

import numpy as np
from taskmill.scene import In, Out, Scalar, SceneTestCase, TaskArgsBuilder, TensorArg, scene_test

KERNELS = ("add", "add_scalar", "multiply")


@scene_test(level=2, runtime="tensormap_and_ringbuffer")
class Vector(SceneTestCase):
    CALLABLE = {
        "orchestration": {"source": "orchestration.cpp", "function_name": "vector_f", "signature": [In, In, Out]},
        "incores": [
            {"func_id": number, "source": f"kernels/{name}.cpp", "core_type": "aiv", "name": name}
            for number, name in enumerate(KERNELS)
        ],
    }
    CASES = [{"name": "default", "platforms": ["a2a3sim", "a5sim"], "params": {"rows": 128, "columns": 128}}]

    def generate_args(self, params):
        generator = np.random.default_rng(7)
        shape = params["rows"], params["columns"]
        return TaskArgsBuilder(
            TensorArg("a", generator.standard_normal(shape, dtype=np.float32)),
            TensorArg("b", generator.standard_normal(shape, dtype=np.float32)),
            TensorArg("f", np.zeros(shape, dtype=np.float32)),
            Scalar("first", 1.0),
            Scalar("second", 2.0),
        )

    def compute_golden(self, args, params):
        s = args.a + args.b
        args.f[:] = (s + args.first) * (s + args.second) + s
