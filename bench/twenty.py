"""The 20-task graph that several benchmarks run."""

from pathlib import Path

import numpy as np

from taskmill import Callable, In, Kernel, Out

HERE = Path(__file__).resolve().parent
SIZE = 256

TWENTY = Callable(
    orchestration=HERE / "graphs" / "twenty.cpp",
    function="twenty",
    signature=[In("b", "float32"), Out("sums", "float32")],
    kernels=[Kernel(0, HERE.parent / "examples" / "hello" / "kernels" / "add.cpp", core="aiv")],
)


def run_twenty(worker, handle, rounds):
    """Runs it `rounds` times and checks every result."""
    b = np.arange(SIZE, dtype=np.float32)
    for _ in range(rounds):
        sums = np.zeros(4 * SIZE, dtype=np.float32)
        report = worker.run(handle, b, sums)
        if report.tasks != 20 or not (sums.reshape(4, SIZE) == 6 * b).all():
            raise SystemExit(f"wrong result after {report.tasks} tasks")
