"""The smallest scene: sum = a + b in one task."""

import numpy as np
from taskmill.scene import In, Out, SceneTestCase, TaskArgsBuilder, TensorArg, scene_test


@scene_test(level=2, runtime="tensormap_and_ringbuffer")
class Hello(SceneTestCase):
    CALLABLE = {
        "orchestration": {"source": "orchestration.cpp", "function_name": "hello", "signature": [In, In, Out]},
        "incores": [{"func_id": 0, "source": "kernels/add.cpp", "core_type": "aiv", "name": "add"}],
    }
    CASES = [{"name": "default", "platforms": ["a2a3sim", "a5sim"], "params": {"size": 1024}}]
    RTOL = ATOL = 0.0

    def generate_args(self, params):
        a = np.arange(params["size"], dtype=np.float32)
        return TaskArgsBuilder(TensorArg("a", a), TensorArg("b", 2 * a), TensorArg("sum", np.zeros_like(a)))

    def compute_golden(self, args, params):
        args.sum[:] = args.a + args.b
