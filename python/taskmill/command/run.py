"""``taskmill run FILE_OR_FOLDER``."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import typer
from rich.console import Console

from ..scene import RunOptions, SceneResult, SceneTestCase, find_scenes, run_scene
from ..scene.discover import SceneImportError
from ..scene.environment import Executor, choose_executor
from ..scene.selection import Job, Manual, Selection, SelectionError, require_stages
from .report import error_console, print_results, to_json


def run(
    paths: list[Path] = typer.Argument(
        ..., exists=True, metavar="FILE_OR_FOLDER...", help="Python files, or folders with Python files."
    ),
    platform: list[str] = typer.Option(
        [""], "--platform", "-p", show_default=False, help="Run the cases of this platform; repeatable; default: a case's first."
    ),
    case: list[str] = typer.Option(
        [], "--case", metavar="SELECTOR", help="Run these cases only: Foo, Class::Foo, Class:: (all of a class); repeatable."
    ),
    manual: Manual = typer.Option("exclude", "--manual", help="Leave manual cases out, run them too, or run no others."),
    rounds: int = typer.Option(1, "--rounds", min=1, help="Run every case so often; times are medians."),
    trace: Path = typer.Option(None, "--trace", metavar="FILE", help="Write the timeline of the last round for Perfetto."),
    kernels: bool = typer.Option(False, "--kernels", help="Show the ten kernels that took the most time in the last round."),
    skip_golden: bool = typer.Option(False, "--skip-golden", help="Run only: compute and compare no golden outputs."),
    check: bool = typer.Option(False, "--check", help="Compare every stage of a scene that has stages."),
    param: list[str] = typer.Option([], "--param", metavar="NAME=VALUE", help="Replace a parameter of the cases; repeatable."),
    executor: Executor = typer.Option(None, "--executor", help="How the simulator runs."),
    seed: int = typer.Option(None, "--seed", min=0, help="Seed of the seeded executor."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object on standard output."),
    verbose: bool = typer.Option(False, "--verbose", "-v", help="Show ring use, stages and tracebacks."),
) -> None:
    """Runs the scene tests of files and folders and compares their outputs."""
    choose_executor(executor, seed)
    console = error_console()
    with _stdout_for_json(as_json) as stdout:
        scenes = _load(paths)
        selections = [Selection(name, case, manual) for name in dict.fromkeys(platform)]
        jobs = [job for selection in selections for job in _select(scenes, selection, check, skip_golden)]
        options = RunOptions(rounds, check, skip_golden, kernels=kernels, params=_parse_params(param, jobs))
        files = _trace_files(trace, jobs)
        results = [_run_job(job, replace(options, trace=file), console) for job, file in zip(jobs, files, strict=True)]
        print_results(console, results, verbose)
        if as_json:
            json.dump({"scenes": [to_json(result, verbose) for result in results]}, stdout, allow_nan=False)
            stdout.write("\n")
    raise typer.Exit(0 if all(result.status == "passed" for result in results) else 1)


def _load(paths: list[Path]) -> list[type[SceneTestCase]]:
    try:
        scenes = find_scenes(*paths)
    except SceneImportError as problem:
        error_console().print(problem.details, markup=False, soft_wrap=True)
        raise typer.BadParameter(str(problem), param_hint="FILE_OR_FOLDER") from None
    if not scenes:
        names = ", ".join(map(str, paths))
        raise typer.BadParameter(f"{names} has no SceneTestCase with @scene_test", param_hint="FILE_OR_FOLDER")
    return scenes


def _select(scenes: list[type[SceneTestCase]], selection: Selection, check: bool, skip_golden: bool) -> list[Job]:
    try:
        jobs = selection.jobs(scenes)
        if check:
            require_stages(jobs, skip_golden)
    except SelectionError as problem:
        raise typer.BadParameter(str(problem), param_hint=problem.option) from None
    return jobs


def _parse_params(entries: list[str], jobs: list[Job]) -> dict[str, Any]:
    """NAME=VALUE pairs of parameters that some case has, a value read as JSON if it is, else taken as text."""
    known = sorted({name for job in jobs for name in job.case.get("params", {})})
    params: dict[str, Any] = {}
    for entry in entries:
        name, separator, text = entry.partition("=")
        if not separator or not name:
            raise typer.BadParameter(f"{entry!r} is not NAME=VALUE", param_hint="--param")
        if name not in known:
            raise typer.BadParameter(f"no case has a parameter {name!r}; known are {', '.join(known) or 'none'}", param_hint="--param")
        try:
            params[name] = json.loads(text)
        except json.JSONDecodeError:
            params[name] = text
    return params


def _trace_files(trace: Path | None, jobs: list[Job]) -> list[Path | None]:
    """FILE itself for one job; for several FILE with the case's name before its suffix, and as much more as tells them apart."""
    if trace is None or len(jobs) == 1:
        return [trace] * len(jobs)
    several_platforms = len({job.platform for job in jobs}) > 1
    files: list[Path | None] = []
    for job in jobs:
        names = [job.scene.__name__, job.case["name"].replace("/", "_"), *([job.platform] if several_platforms else [])]
        name, number = ".".join([trace.stem, *names]), 1
        while (file := trace.with_name(name + (f".{number}" if number > 1 else "") + trace.suffix)) in files:
            number += 1
        files.append(file)
    return files


def _run_job(job: Job, options: RunOptions, console: Console) -> SceneResult:
    label = f"{job.name} on {job.platform}"
    if not console.is_terminal:
        console.print(f"{label} ...", markup=False)
        return run_scene(job.scene, job.case, job.platform, options)
    with console.status(label) as status:
        show = replace(options, progress=lambda step: status.update(f"{label}: {step}"))
        return run_scene(job.scene, job.case, job.platform, show)


@contextlib.contextmanager
def _stdout_for_json(as_json: bool) -> Iterator[TextIO]:
    """Keeps standard output for the JSON object: what scenes and kernels print meanwhile goes to standard error."""
    if not as_json:
        yield sys.stdout
        return
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with os.fdopen(os.dup(kept), "w") as stdout:
            yield stdout
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
