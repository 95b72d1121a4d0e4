"""The class that a scene test derives from, and its decorator."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NoReturn

from .args import TaskArgsBuilder
from .cases import check_cases
from .compare import Stage, compare
from .environment import check_runtime_env

RUNTIMES = ("tensormap_and_ringbuffer",)


class SceneTestCase:
    """A callable, its cases, how their inputs are made and what the outputs must be.

    ``CALLABLE`` = {"orchestration": {"source", "function_name", "signature"}, "incores": [{"func_id", "source", "core_type",
    "name"}], "rules"}: sources relative to the class's file, the signature a list of In, Out, InOut, one per tensor of
    ``generate_args``, the rules "native" (the default) or "ecosystem". ``CASES`` = [{"name", "platforms", "params", "config",
    "manual", "skip_golden"}]: manual is True, or the platforms on which the case runs only if asked for; skip_golden (default
    ``SKIP_GOLDEN``) leaves the outputs uncompared. ``RUNTIME_ENV`` is set around each run. Outputs equal the golden ones if
    ``|actual - golden| <= ATOL + RTOL * |golden|``.
    """

    CALLABLE: ClassVar[Mapping[str, Any]] = {}
    CASES: ClassVar[list[Mapping[str, Any]]] = []
    SKIP_GOLDEN: ClassVar[bool] = False
    RUNTIME_ENV: ClassVar[Mapping[str, str | os.PathLike]] = {}
    RTOL: ClassVar[float] = 1e-5
    ATOL: ClassVar[float] = 1e-5

    # Check mode (``taskmill run --check``): a callable with an output more per stage, and how much a stage may be off.
    CHECK_CALLABLE: ClassVar[Mapping[str, Any] | None] = None
    STAGE_TOLERANCE: ClassVar[float] = 1e-4  # of the stage's rms

    _scene_level: ClassVar[int | None] = None
    _scene_folder: ClassVar[Path] = Path()

    def generate_args(self, params: Mapping[str, Any]) -> TaskArgsBuilder:
        """Inputs, and arrays for the outputs."""
        raise NotImplementedError(f"{type(self).__name__} must define generate_args")

    def compute_golden(self, args: TaskArgsBuilder, params: Mapping[str, Any]) -> None:
        """Writes the expected outputs into ``args``, a copy made before the run."""
        raise NotImplementedError(f"{type(self).__name__} must define compute_golden")

    def compare_outputs(
        self, test_args: TaskArgsBuilder, golden_args: TaskArgsBuilder, output_names: list[str], params: Mapping[str, Any]
    ) -> float | None:
        """Raises AssertionError on a mismatch; returns the largest absolute error."""
        errors = [
            compare(name, getattr(test_args, name), getattr(golden_args, name), self.RTOL, self.ATOL) for name in output_names
        ]
        return max(errors, default=0.0)

    def generate_check_args(self, params: Mapping[str, Any]) -> TaskArgsBuilder:
        """Arguments of ``CHECK_CALLABLE``."""
        raise NotImplementedError(f"{type(self).__name__} must define generate_check_args")

    def check_stages(self, args: TaskArgsBuilder, params: Mapping[str, Any]) -> Iterable[Stage]:
        """After a run: each stage's output beside a reference that was fed that stage's own inputs."""
        raise NotImplementedError(f"{type(self).__name__} must define check_stages")

    @staticmethod
    def run_module(module_name: str) -> NoReturn:
        """The command line of a test file: ``if __name__ == "__main__": SceneTestCase.run_module(__name__)``."""
        from .module import run_module

        run_module(module_name)


def scene_test(level: int = 2, runtime: str = "tensormap_and_ringbuffer"):
    """Declares a SceneTestCase: checks its cases and remembers where its sources lie."""
    if level != 2:
        raise ValueError(f"Unsupported scene test level {level!r}: only level 2 (one device) exists")
    if runtime not in RUNTIMES:
        raise ValueError(f"unknown runtime {runtime!r}; known are {', '.join(RUNTIMES)}")

    def declare(scene: type[SceneTestCase]) -> type[SceneTestCase]:
        check_cases(scene.__name__, scene.CASES)
        check_runtime_env(scene.__name__, scene.RUNTIME_ENV)
        scene._scene_level = level
        scene._scene_folder = _folder_of(scene)
        return scene

    return declare


def _folder_of(scene: type) -> Path:
    """Where a class's file lies; the working directory for a class that has none, as in an interactive session."""
    try:
        return Path(inspect.getfile(scene)).resolve().parent
    except (OSError, TypeError):
        return Path.cwd()
