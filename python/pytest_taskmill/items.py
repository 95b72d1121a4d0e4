"""Collectors and items of scenes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from taskmill.scene import run_scene
from taskmill.scene.selection import Job, SelectionError
from taskmill.scene.workers import Workers

from .settings import run_options, selection

WORKERS = pytest.StashKey[Workers]()


class SceneClass(pytest.Class):
    """A scene: an item per case, then its test methods, if it has any."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        try:
            jobs = selection(self.config).all_jobs(self.obj)
        except pytest.UsageError as problem:  # deselect raises it again, outside a collector, where it ends the session
            raise self.CollectError(str(problem)) from None
        methods = list(super().collect())  # registers the fixtures of the class, which the cases are to find
        for job in jobs:
            hook = self.newinstance().generate_args
            yield SceneItem.from_parent(self, name=f"{job.case['name']}[{job.platform}]", callobj=hook, job=job)
        yield from methods


class SceneItem(pytest.Function):
    """One case on one platform. Fixtures take it for a test method, and find the instance whose hooks run as theirs."""

    nofuncargs = True  # the parameters of the hook are no fixtures

    def __init__(self, *, job: Job, **keywords: Any):
        super().__init__(**keywords)
        self.job = job

    def runtest(self) -> None:
        result = run_scene(self.instance, self.job.case, self.job.platform, run_options(self.config), _workers(self.config))
        if result.status != "passed":
            pytest.fail("\n".join(filter(None, (result.error, result.details))), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        try:
            line = inspect.getsourcelines(self.job.scene)[1] - 1
        except (OSError, TypeError):  # no class statement made it
            line = 0
        return self.path, line, f"{self.job.name} on {self.job.platform}"


def deselect(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Leaves the selected cases and all other tests in ``items``. Raises UsageError for options that do not fit."""
    scenes = list(dict.fromkeys(item.job.scene for item in items if isinstance(item, SceneItem)))
    chosen = selection(session.config)
    run_options(session.config)  # a value that does not fit ends the session before a case runs
    try:
        if scenes and not session.testsfailed:  # a file that could not be collected may be the one that has the name
            chosen.check(scenes)
    except SelectionError as problem:
        raise pytest.UsageError(f"{problem.option}: {problem}") from None
    kept, out = [], []
    for item in items:
        (kept if not isinstance(item, SceneItem) or chosen.keeps(item.job) else out).append(item)
    if out:
        session.config.hook.pytest_deselected(items=out)
        items[:] = kept


def _workers(config: pytest.Config) -> Workers:
    """The workers of a session: its cases share one device per platform."""
    if WORKERS not in config.stash:
        config.stash[WORKERS] = Workers()
        config.add_cleanup(config.stash[WORKERS].close)
    return config.stash[WORKERS]
