"""Which cases of which scenes run, and on which platform."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from .case import SceneTestCase
from .cases import is_manual

SceneClass = type[SceneTestCase]


class Manual(StrEnum):
    """What becomes of the cases that are manual on the platform."""

    EXCLUDE = "exclude"
    INCLUDE = "include"
    ONLY = "only"


class SelectionError(ValueError):
    """A selection of nothing. ``option`` is the one at fault."""

    def __init__(self, option: str, message: str):
        super().__init__(message)
        self.option = option


@dataclass(frozen=True)
class Job:
    """A case to run on a platform."""

    scene: SceneClass
    case: Mapping[str, Any]
    platform: str

    @property
    def name(self) -> str:
        """``Class::case``."""
        return f"{self.scene.__name__}::{self.case['name']}"


class Selector(NamedTuple):
    """One ``--case``: the name of a class, of a case, or of both; an empty one stands for any."""

    class_name: str
    case_name: str

    @classmethod
    def parse(cls, text: str) -> Selector:
        """Reads ``Foo`` and ``::Foo`` (a case), ``Class::`` (a class) or ``Class::Foo``. Raises SelectionError."""
        class_name, separator, case_name = text.rpartition("::")
        if not (class_name or case_name) or "::" in class_name:
            raise SelectionError("--case", f"{text!r} is none of Foo, Class::Foo, Class:: and ::Foo")
        return cls(class_name, case_name)

    def matches(self, scene: SceneClass, case: Mapping[str, Any]) -> bool:
        """Whether it stands for the case."""
        return self.class_name in ("", scene.__name__) and self.case_name in ("", case["name"])

    def check(self, scenes: Iterable[SceneClass]) -> None:
        """Raises SelectionError for a class or a case that ``scenes`` do not have."""
        named = [scene for scene in scenes if self.class_name in ("", scene.__name__)]
        if not named:
            known = sorted({scene.__name__ for scene in scenes})
            raise SelectionError("--case", f"no scene is called {self.class_name!r}; known are {', '.join(known) or 'none'}")
        if not any(self.matches(scene, case) for scene in named for case in scene.CASES):
            known = sorted({f"{scene.__name__}::{case['name']}" for scene in named for case in scene.CASES})
            called = "::".join(filter(None, self))
            raise SelectionError("--case", f"no case is called {called!r}; known are {', '.join(known) or 'none'}")


@dataclass(frozen=True)
class Selection:
    """Filters in this order: the platform ("": each case's first), the selectors (none: all cases), manual."""

    platform: str = ""
    cases: Sequence[str] = ()
    manual: Manual = Manual.EXCLUDE

    def all_jobs(self, scene: SceneClass) -> list[Job]:
        """Every case of a scene, on the platform that the selection would run it on, whether it lists that or not."""
        return [Job(scene, case, self.platform or case["platforms"][0]) for case in scene.CASES]

    def check(self, scenes: Sequence[SceneClass]) -> None:
        """Raises SelectionError for a selector that names what ``scenes`` do not have."""
        for text in self.cases:
            Selector.parse(text).check(scenes)

    def jobs(self, scenes: Sequence[SceneClass]) -> list[Job]:
        """The cases to run. Raises SelectionError for an unknown name, or if no case is left."""
        self.check(scenes)
        everything = [job for scene in scenes for job in self.all_jobs(scene)]
        there = [job for job in everything if self._on_platform(job)]
        if not there:
            listed = sorted({name for job in everything for name in job.case["platforms"]})
            raise SelectionError("--platform", f"no case runs on {self.platform!r}; cases list {', '.join(listed) or 'none'}")
        named = [job for job in there if self._named(job)]
        if not named:
            raise SelectionError("--case", f"no case of {', '.join(self.cases)} runs on {self.platform!r}")
        left = [job for job in named if self._fits_manual(job)]
        if not left:
            names = ", ".join(job.name for job in named)
            kind = "not manual" if self.manual is Manual.ONLY else "manual"
            raise SelectionError("--manual", f"{self.manual} leaves no case: {names}: {kind}")
        return left

    def keeps(self, job: Job) -> bool:
        """Whether a job of :meth:`all_jobs` is to run."""
        return self._on_platform(job) and self._named(job) and self._fits_manual(job)

    def _on_platform(self, job: Job) -> bool:
        return job.platform in job.case["platforms"]

    def _named(self, job: Job) -> bool:
        return not self.cases or any(Selector.parse(text).matches(job.scene, job.case) for text in self.cases)

    def _fits_manual(self, job: Job) -> bool:
        if self.manual is Manual.INCLUDE:
            return True
        return is_manual(job.case, job.platform) == (self.manual is Manual.ONLY)


def require_stages(jobs: Iterable[Job], skip_golden: bool) -> None:
    """Raises SelectionError for scenes without stages, and for the option that asks for the contrary."""
    if skip_golden:
        raise SelectionError("--check", "--skip-golden compares nothing, --check compares every stage: give one of them")
    names = sorted({job.scene.__name__ for job in jobs if not job.scene.CHECK_CALLABLE})
    if names:
        raise SelectionError("--check", f"{', '.join(names)} has no stages (CHECK_CALLABLE)")
