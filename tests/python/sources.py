"""C++ sources that tests write and register."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from taskmill import Callable, In, Kernel, Out

ADD_SCALAR_KERNEL = """\
#include <taskmill/kernel.h>
extern "C" void kernel_entry(int64_t* args) {
  const float* a = taskmill::data<float>(args, 0);
  float* out = taskmill::data<float>(args, 1);
  for (uint64_t i = 0; i < taskmill::tensor(args, 1).numel(); ++i) out[i] = a[i] + taskmill::scalar<float>(args, 2);
}
"""

ADD_SCALAR_ORCHESTRATION = """\
#include <taskmill/orchestration.h>
using namespace taskmill;
extern "C" void add_scalar(const OrchestrationArgs& args) {
  submit_aiv_task(0, TaskArgs().add_input(args.tensor(0)).add_output(args.tensor(1)).add_scalar(args.scalar<float>(0)));
}
"""

SCENE = """\
import numpy as np
from taskmill.scene import In, Out, Scalar, SceneTestCase, TaskArgsBuilder, TensorArg, scene_test


@scene_test(level=2, runtime="tensormap_and_ringbuffer")
class AddScalar(SceneTestCase):
    CALLABLE = {
        "orchestration": {"source": "add_scalar.cpp", "function_name": "add_scalar", "signature": [In, Out]},
        "incores": [{"func_id": 0, "source": "kernel.cpp", "core_type": "aiv", "name": "add_scalar"}],
    }
    CASES = $CASES

    def generate_args(self, params):
        print("printed by the scene")
        a = np.arange(params["size"], dtype=np.float32)
        return TaskArgsBuilder(TensorArg("a", a), TensorArg("out", np.zeros_like(a)), Scalar("s", 1.0))

    def compute_golden(self, args, params):
        args.out[:] = args.a + np.float32(params["golden"])
"""


def scene_case(name: str = "small", golden: float = 1.0, **keys) -> dict:
    """A case of SCENE, which passes if ``golden`` is 1; ``keys`` are further ones, or replace these."""
    return {"name": name, "platforms": ["a2a3sim", "a5sim"], "params": {"size": 16, "golden": golden}, **keys}


@dataclass
class Sources:
    """A folder for sources."""

    folder: Path

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def add_scalar(self, **changes) -> Callable:
        """out = a + s for float32 tensors of any shape; ``changes`` replace fields of the callable."""
        callable = Callable(
            orchestration=self.write("add_scalar.cpp", ADD_SCALAR_ORCHESTRATION),
            function="add_scalar",
            signature=[In("a", "float32"), Out("out", "float32")],
            scalar_count=1,
            kernels=[Kernel(0, self.write("kernel.cpp", ADD_SCALAR_KERNEL), core="aiv", name="add_scalar")],
        )
        return replace(callable, **changes)

    def scene_file(self, name: str, cases: Sequence[dict] = (), more: str = "") -> Path:
        """A file with the scene AddScalar over :meth:`add_scalar` (default: one case, which passes), then ``more``."""
        self.add_scalar()
        return self.write(name, SCENE.replace("$CASES", repr(list(cases) or [scene_case()])) + more)

    def orchestration(self, body: str) -> Path:
        """A source whose function ``entry`` has this body."""
        head = "#include <taskmill/orchestration.h>\nusing namespace taskmill;\n"
        return self.write("orchestration.cpp", f'{head}extern "C" void entry(const OrchestrationArgs& args) {{\n{body}\n}}\n')
