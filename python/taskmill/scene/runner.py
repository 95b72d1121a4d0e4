"""Runs one case of a scene on one platform and says what came of it."""

from __future__ import annotations

import statistics
import traceback
from collections.abc import Callable as Function
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .._taskmill import RoomReport
from ..callables import Callable, CallableHandle
from ..errors import TaskmillError
from ..worker import RunReport, Worker
from .args import Scalar, TaskArgsBuilder, TensorArg
from .build import build_callable, build_config, output_names
from .case import SceneTestCase
from .compare import GoldenMismatch, StageResult, compare_stage

PHASES = ("prepare", "copy_in", "execute", "copy_back")
ROOMS = ("task_slots", "argument_lines", "heap_bytes", "edge_nodes")


@dataclass(frozen=True)
class RunOptions:
    """How scenes are run. ``progress`` is called with what is being done."""

    rounds: int = 1
    check: bool = False
    trace: Path | None = None
    params: Mapping[str, Any] = field(default_factory=dict)  # over those of the case
    progress: Function[[str], None] = lambda step: None


@dataclass
class SceneResult:
    """What came of one case. ``error`` is empty if it passed; ``max_abs_err`` is None until outputs were compared."""

    name: str
    platform: str
    status: str = "error"  # "passed", "failed" (outputs differ) or "error" (no outputs)
    max_abs_err: float | None = None
    tasks: int = 0
    rounds: list[dict[str, float]] = field(default_factory=list)  # ms per phase
    threads_peak: int = 0
    peak_bytes: int = 0
    rings: list[dict[str, dict[str, int]]] = field(default_factory=list)  # by scope depth; room -> peak, size, enough
    stages: list[StageResult] = field(default_factory=list)
    error: str = ""
    details: str = ""  # a traceback, if the scene's own Python code raised

    @property
    def phases_ms(self) -> dict[str, float]:
        """The median of each phase over the rounds."""
        return {phase: statistics.median([r[phase] for r in self.rounds] or [0.0]) for phase in PHASES}


def run_scene(scene_class: type[SceneTestCase], case: Mapping[str, Any], platform: str, options: RunOptions) -> SceneResult:
    """Runs a case in a worker of its own: generates, computes the golden outputs, then runs and compares each round."""
    result = SceneResult(f"{scene_class.__name__}::{case['name']}", platform)
    try:
        _SceneRun(scene_class(), case, options, result).run(platform)
        result.status = "passed"
    except GoldenMismatch as mismatch:
        result.status, result.error, result.max_abs_err = "failed", str(mismatch), mismatch.max_abs_err
    except AssertionError as mismatch:
        result.status, result.error = "failed", str(mismatch)
    except Exception as problem:
        result.error = f"{type(problem).__name__}: {problem}"
        if not isinstance(problem, TaskmillError):
            result.details = traceback.format_exc()
    return result


def _use(room: RoomReport) -> dict[str, int]:
    return {"peak": room.peak, "size": room.size, "enough": room.enough}


def _golden_spec(spec: TensorArg | Scalar, outputs: list[str]) -> TensorArg | Scalar:
    if not isinstance(spec, TensorArg):
        return spec
    if spec.name in outputs:
        return TensorArg(spec.name, spec.value.copy())
    view = spec.value.view()
    view.flags.writeable = False
    return TensorArg(spec.name, view)


class _SceneRun:
    """The steps of one case."""

    def __init__(self, scene: SceneTestCase, case: Mapping[str, Any], options: RunOptions, result: SceneResult):
        self.scene = scene
        self.options = options
        self.result = result
        self.params = {**case.get("params", {}), **options.params}
        self.config = build_config(case.get("config", {}), trace=options.trace is not None)

    def run(self, platform: str) -> None:
        self.options.progress("generating inputs")
        args = self.scene.generate_check_args(self.params) if self.options.check else self.scene.generate_args(self.params)
        callable = self._callable(args)
        outputs = output_names(callable)
        golden = None if self.options.check else self._golden(args, outputs)
        initial = {name: getattr(args, name).copy() for name in outputs} if self.options.rounds > 1 else {}
        with Worker(2, platform) as worker:
            self.options.progress("compiling kernels")
            handle = worker.register(callable)
            for round_number in range(self.options.rounds):
                self.options.progress(f"round {round_number + 1} of {self.options.rounds}")
                if round_number > 0:
                    for name, value in initial.items():
                        np.copyto(getattr(args, name), value)
                self._run_once(worker, handle, args)
                self._compare(args, golden, outputs)

    def _callable(self, args: TaskArgsBuilder) -> Callable:
        scene = type(self.scene)
        description = scene.CHECK_CALLABLE if self.options.check else scene.CALLABLE
        if not description:
            raise ValueError(f"{scene.__name__} has no {'CHECK_CALLABLE' if self.options.check else 'CALLABLE'}")
        scalars = len(args.specs) - len(args.tensors())
        return build_callable(description, scene._scene_folder, scene.__name__, args.tensor_names(), scalars)

    def _golden(self, args: TaskArgsBuilder, outputs: list[str]) -> TaskArgsBuilder:
        """Outputs are copies; inputs are read-only views, since the run is still to read them."""
        self.options.progress("computing golden outputs")
        golden = TaskArgsBuilder(*(_golden_spec(spec, outputs) for spec in args.specs))
        self.scene.compute_golden(golden, self.params)
        return golden

    def _run_once(self, worker: Worker, handle: CallableHandle, args: TaskArgsBuilder) -> None:
        try:
            report = worker.run(handle, *args.values(), config=self.config)
        finally:
            use = worker.statistics
            self.result.threads_peak, self.result.peak_bytes = use.threads_peak, use.peak_bytes
        self._record(report)

    def _record(self, report: RunReport) -> None:
        self.result.tasks = report.tasks
        self.result.rounds.append({phase: getattr(report, f"{phase}_ns") / 1e6 for phase in PHASES})
        self.result.rings = [{room: _use(getattr(ring, room)) for room in ROOMS} for ring in report.rings]
        if self.options.trace is not None:
            report.write_trace(self.options.trace)

    def _compare(self, args: TaskArgsBuilder, golden: TaskArgsBuilder | None, outputs: list[str]) -> None:
        self.options.progress("comparing outputs")
        if golden is None:
            self._compare_stages(args)
            return
        error = self.scene.compare_outputs(args, golden, outputs, self.params)
        if error is not None:
            self.result.max_abs_err = max(error, self.result.max_abs_err or 0.0)

    def _compare_stages(self, args: TaskArgsBuilder) -> None:
        stages = [compare_stage(stage, self.scene.STAGE_TOLERANCE) for stage in self.scene.check_stages(args, self.params)]
        self.result.stages = stages
        self.result.max_abs_err = max(stage.max_abs_err for stage in stages)
        wrong = [stage for stage in stages if not stage.passed]
        if wrong:
            told = "; ".join(f"{s.name}: max_abs_err={s.max_abs_err:.3g}, limit {s.limit:.3g} (rms {s.rms:.3g})" for s in wrong)
            raise GoldenMismatch(f"Stage mismatch: {told}", self.result.max_abs_err)
