"""``python test_x.py``: the command line of a file with scene tests."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn

from .discover import scenes_of
from .environment import Executor, choose_executor
from .result import SceneResult
from .runner import RunOptions, run_scene
from .selection import Job, Manual, Selection, SelectionError, require_stages


def run_module(module_name: str) -> NoReturn:
    """Runs the scenes that a module defines, a line each on standard output.

    Exits with 0 if all passed, 1 if one did not, 2 for a mistake in the options or a selection of nothing.
    """
    parser = _parser()
    words = parser.parse_args()
    scenes = scenes_of(sys.modules[module_name])
    if not scenes:
        parser.error("the file has no SceneTestCase with @scene_test")
    try:
        jobs = Selection(words.platform, words.case, words.manual).jobs(scenes)
        if words.check:
            require_stages(jobs, words.skip_golden)
    except SelectionError as problem:
        parser.error(f"{problem.option}: {problem}")
    choose_executor(words.executor, words.seed)
    options = RunOptions(rounds=words.rounds, check=words.check, skip_golden=words.skip_golden)
    sys.exit(0 if _run_all(jobs, options, words.exitfirst) else 1)


def _run_all(jobs: list[Job], options: RunOptions, exitfirst: bool) -> bool:
    """Whether every job passed. With ``exitfirst`` nothing runs after one that did not."""
    good = True
    for job in jobs:
        result = run_scene(job.scene, job.case, job.platform, options)
        _print(result)
        good = good and result.status == "passed"
        if exitfirst and not good:
            break
    return good


def _print(result: SceneResult) -> None:
    verdict = "PASSED" if result.status == "passed" else f"FAILED: {result.error}"
    print(f"{result.name} ... {verdict}", flush=True)
    if result.details:
        print(result.details, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Runs the scene tests of this file.")
    parser.add_argument("-p", "--platform", required=True, help="run the cases of this platform")
    parser.add_argument("--case", action="append", default=[], metavar="SELECTOR", help="Foo, Class::Foo or Class::; repeatable")
    parser.add_argument("--manual", type=Manual, choices=list(Manual), default=Manual.EXCLUDE, help="manual cases; default: exclude")
    parser.add_argument("--rounds", type=_positive, default=1, metavar="N", help="run and compare every case so often")
    parser.add_argument("--skip-golden", action="store_true", help="compute and compare no golden outputs")
    parser.add_argument("--check", action="store_true", help="compare every stage of a scene that has stages")
    parser.add_argument("--executor", type=Executor, choices=list(Executor), help="how the simulator runs")
    parser.add_argument("--seed", type=_natural, metavar="N", help="seed of the seeded executor")
    parser.add_argument("-x", "--exitfirst", action="store_true", help="stop after the first case that does not pass")
    return parser


def _positive(text: str) -> int:
    """A number from 1 on, for argparse."""
    return _at_least(1, text)


def _natural(text: str) -> int:
    """A number from 0 on, for argparse."""
    return _at_least(0, text)


def _at_least(least: int, text: str) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from {least} on")
    return int(text)
