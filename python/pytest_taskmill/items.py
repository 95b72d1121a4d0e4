"""Collectors and items of scenes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from taskmill.scene import RunOptions, run_scene
from taskmill.scene.selection import Job, Manual, Selection, SelectionError
from taskmill.scene.workers import Workers

WORKERS = pytest.StashKey[Workers]()


class SceneClass(pytest.Class):
    """A scene: an item per case, then its test methods, if it has any."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        for job in _selection(self.config).all_jobs(self.obj):
            yield SceneItem.from_parent(self, name=f"{job.case['name']}[{job.platform}]", job=job)
        if any(self.funcnamefilter(name) for name in dir(self.obj)):
            yield from super().collect()


class SceneItem(pytest.Item):
    """One case on one platform."""

    def __init__(self, *, job: Job, **keywords: Any):
        super().__init__(**keywords)
        self.job = job

    def runtest(self) -> None:
        options = RunOptions(rounds=self.config.getoption("rounds") or 1, skip_golden=self.config.getoption("skip_golden"))
        result = run_scene(self.job.scene, self.job.case, self.job.platform, options, _workers(self.config))
        if result.status != "passed":
            pytest.fail("\n".join(filter(None, (result.error, result.details))), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, inspect.getsourcelines(self.job.scene)[1] - 1, f"{self.job.name} on {self.job.platform}"


def deselect(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Leaves the selected cases and all other tests in ``items``. Raises UsageError for a selector of nothing collected."""
    scenes = list(dict.fromkeys(item.job.scene for item in items if isinstance(item, SceneItem)))
    selection = _selection(session.config)
    try:
        if scenes and not session.testsfailed:  # a file that could not be collected may be the one that has the name
            selection.check(scenes)
    except SelectionError as problem:
        raise pytest.UsageError(f"{problem.option}: {problem}") from None
    kept, out = [], []
    for item in items:
        (kept if not isinstance(item, SceneItem) or selection.keeps(item.job) else out).append(item)
    if out:
        session.config.hook.pytest_deselected(items=out)
        items[:] = kept


def _selection(config: pytest.Config) -> Selection:
    cases = config.getoption("case") or ()
    return Selection(config.getoption("platform") or "", cases, Manual(config.getoption("manual")))


def _workers(config: pytest.Config) -> Workers:
    """The workers of a session: its cases share one device per platform."""
    if WORKERS not in config.stash:
        config.stash[WORKERS] = Workers()
        config.add_cleanup(config.stash[WORKERS].close)
    return config.stash[WORKERS]
