"""The same task without a scene: a program that owns its worker."""

from pathlib import Path

import numpy as np
from taskmill import Callable, In, Kernel, Out, Worker

HERE = Path(__file__).parent


def main() -> None:
    hello = Callable(
        orchestration=HERE / "orchestration.cpp",
        function="hello",
        signature=[In("a", "float32"), In("b", "float32"), Out("sum", "float32")],
        kernels=[Kernel(0, HERE / "kernels" / "add.cpp", core="aiv")],
    )
    a = np.arange(8, dtype=np.float32)
    total = np.empty_like(a)
    with Worker(level=2, platform="a2a3sim") as worker:
        handle = worker.register(hello)
        report = worker.run(handle, a, 2 * a, total)
    print(f"{report.tasks} task, sum = {total}")


if __name__ == "__main__":
    main()
