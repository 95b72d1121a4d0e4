"""Runs one case of a scene on one platform and says what came of it."""

from __future__ import annotations

import contextlib
import inspect
import traceback
from collections.abc import Callable as Function
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .._taskmill import RoomReport
from ..callables import Callable, CallableHandle
from ..errors import DeviceLostError, TaskmillError
from ..kernel_times import kernel_times
from ..worker import RunReport, Worker
from .args import Scalar, TaskArgsBuilder, TensorArg
from .build import build_callable, build_config, check_tensors, output_names
from .case import SceneTestCase
from .compare import GoldenMismatch, compare_stage
from .environment import runtime_env
from .result import PHASES, ROOMS, SceneResult
from .threads import threads_within_cpus
from .workers import Workers


@dataclass(frozen=True)
class RunOptions:
    """How scenes are run. ``skip_golden`` is for every case; ``progress`` is called with what is being done.

    Exceptions of the types ``passed_on`` that a hook raises leave :func:`run_scene` as they are.
    """

    rounds: int = 1
    check: bool = False
    skip_golden: bool = False
    trace: Path | None = None
    kernels: bool = False  # tell which took the most time in the last round
    params: Mapping[str, Any] = field(default_factory=dict)  # over those of the case
    progress: Function[[str], None] = lambda step: None
    passed_on: tuple[type[BaseException], ...] = ()


class HookError(Exception):
    """What a hook of a scene raised, other than a verdict. ``details`` is the traceback of the hook's own frames."""

    def __init__(self, hook: str, problem: BaseException):
        super().__init__(f"{hook} raised {type(problem).__name__}: {problem}")
        frames = problem.__traceback__.tb_next if problem.__traceback__ else None
        self.details = "".join(traceback.format_exception(type(problem), problem, frames))


def run_scene(
    scene: type[SceneTestCase] | SceneTestCase,
    case: Mapping[str, Any],
    platform: str,
    options: RunOptions,
    workers: Workers | None = None,
) -> SceneResult:
    """Runs a case: generates, computes the golden outputs, then runs and compares each round.

    The hooks are those of ``scene``, an instance, or a class of which one is made.
    The worker is one of ``workers``, None for one of its own. Whatever goes wrong is told by the result.
    """
    scene_class = scene if isinstance(scene, type) else type(scene)
    result = SceneResult(f"{scene_class.__name__}::{case['name']}", platform)
    try:
        with contextlib.nullcontext(workers) if workers is not None else Workers() as open_workers:
            _SceneRun(scene_class() if scene is scene_class else scene, case, options, result).run(platform, open_workers)
        result.status = "passed"
    except options.passed_on:
        raise
    except GoldenMismatch as mismatch:
        result.status, result.error, result.max_abs_err = "failed", str(mismatch), mismatch.max_abs_err
    except AssertionError as mismatch:
        result.status, result.error = "failed", str(mismatch) or "compare_outputs raised AssertionError"
    except HookError as problem:
        result.error, result.details = str(problem), problem.details
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
        self.config = build_config(case.get("config", {}), trace=options.trace is not None or options.kernels)
        self.has_golden = not (options.check or options.skip_golden or case.get("skip_golden", scene.SKIP_GOLDEN))

    def run(self, platform: str, workers: Workers) -> None:
        args = self._arguments()
        callable = self._callable(args)
        check_tensors(callable, args.tensors())
        outputs = output_names(callable)
        golden = self._golden(args, outputs) if self.has_golden else None
        initial = {name: getattr(args, name).copy() for name in outputs} if self.options.rounds > 1 else {}
        with workers.lend(platform) as worker, self._registered(worker, callable) as handle:
            for round_number in range(self.options.rounds):
                self.options.progress(f"round {round_number + 1} of {self.options.rounds}")
                if round_number > 0:
                    for name, value in initial.items():
                        np.copyto(getattr(args, name), value)
                self._run_once(worker, handle, args)
                self._compare(args, golden, outputs)

    @contextlib.contextmanager
    def _registered(self, worker: Worker, callable: Callable) -> Iterator[CallableHandle]:
        """A lent worker is not left with the callable."""
        self.options.progress("compiling kernels")
        handle = worker.register(callable)
        try:
            yield handle
        finally:
            with contextlib.suppress(DeviceLostError):
                worker.unregister(handle)

    def _call(self, hook: str, *arguments: Any) -> Any:
        """What a hook returns. Raises HookError, but passes the verdicts of ``compare_outputs`` on."""
        try:
            with threads_within_cpus():
                returned = getattr(self.scene, hook)(*arguments)
                return list(returned) if inspect.isgenerator(returned) else returned
        except (KeyboardInterrupt, *self.options.passed_on):
            raise
        except BaseException as problem:  # SystemExit, and pytest's Skipped
            if hook == "compare_outputs" and isinstance(problem, AssertionError):
                raise
            raise HookError(hook, problem) from problem

    def _arguments(self) -> TaskArgsBuilder:
        self.options.progress("generating inputs")
        hook = "generate_check_args" if self.options.check else "generate_args"
        args = self._call(hook, self.params)
        if not isinstance(args, TaskArgsBuilder):
            raise TypeError(f"{hook} returned a {type(args).__name__}, must return a TaskArgsBuilder")
        return args

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
        self._call("compute_golden", golden, self.params)
        return golden

    def _run_once(self, worker: Worker, handle: CallableHandle, args: TaskArgsBuilder) -> None:
        try:
            with runtime_env(self.scene.RUNTIME_ENV, self.scene._scene_folder):
                report = worker.run(handle, *args.values(), config=self.config)
        finally:
            use = worker.statistics
            self.result.threads_peak, self.result.peak_bytes = use.threads_peak, use.peak_bytes
        self._record(report)

    def _record(self, report: RunReport) -> None:
        self.result.tasks = report.tasks
        self.result.rounds.append({phase: getattr(report, f"{phase}_ns") / 1e6 for phase in PHASES})
        self.result.rings = [{room: _use(getattr(ring, room)) for room in ROOMS} for ring in report.rings]
        self.result.kernels = kernel_times(report) if self.options.kernels else None
        if self.options.trace is not None:
            report.write_trace(self.options.trace)

    def _compare(self, args: TaskArgsBuilder, golden: TaskArgsBuilder | None, outputs: list[str]) -> None:
        self.options.progress("comparing outputs")
        if self.options.check:
            self._compare_stages(args)
        elif golden is not None:
            error = self._call("compare_outputs", args, golden, outputs, self.params)
            if error is not None:
                self.result.max_abs_err = max(error, self.result.max_abs_err or 0.0)

    def _compare_stages(self, args: TaskArgsBuilder) -> None:
        stages = [compare_stage(stage, self.scene.STAGE_TOLERANCE) for stage in self._call("check_stages", args, self.params)]
        if not stages:
            raise ValueError("check_stages gave no stage")
        self.result.stages = stages
        self.result.max_abs_err = max(stage.max_abs_err for stage in stages)
        wrong = [stage for stage in stages if not stage.passed]
        if wrong:
            told = "; ".join(f"{s.name}: max_abs_err={s.max_abs_err:.3g}, limit {s.limit:.3g} (rms {s.rms:.3g})" for s in wrong)
            raise GoldenMismatch(f"Stage mismatch: {told}", self.result.max_abs_err)
