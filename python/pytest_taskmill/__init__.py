"""Scene tests as pytest items: the plug-in that pytest finds by itself once Taskmill is installed.

Imports neither taskmill nor numpy until a test file has defined a scene: pytest loads it in every project.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser, args: list[str]) -> Generator[None, Any, Any]:
    """Adds the options after the project's conftest had its turn: one that it has defined itself stays its own."""
    returned = yield
    taken = vars(parser.parse_known_args(args))
    group = parser.getgroup("scene tests")
    for name, attributes in _options().items():
        if name.removeprefix("--").replace("-", "_") not in taken:
            group.addoption(name, **attributes)
    return returned


def _options() -> dict[str, dict[str, Any]]:
    return {
        "--platform": {"help": "run the cases of this platform, on it; default: each case on the first that it lists"},
        "--case": {"action": "append", "metavar": "SELECTOR", "help": "run these cases only: Foo, Class::Foo, Class::; repeatable"},
        "--manual": {
            "choices": ["exclude", "include", "only"],
            "default": "exclude",
            "help": "leave manual cases out (the default), run them too, or run no others",
        },
        "--rounds": {"type": _positive, "default": 1, "metavar": "N", "help": "run and compare every case so often"},
        "--skip-golden": {"action": "store_true", "help": "compute and compare no golden outputs"},
    }


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> Any:
    """A decorated scene of the file becomes a collector of its cases; one that the file imported belongs to another."""
    if not isinstance(obj, type) or "_scene_level" not in vars(obj) or not getattr(obj, "__test__", True):
        return None
    from .items import SceneClass

    return SceneClass.from_parent(collector, name=name, obj=obj) if obj.__module__ == collector.obj.__name__ else []


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Deselects the cases that the options leave out."""
    if f"{__name__}.items" in sys.modules:  # else no scene was collected
        from .items import deselect

        deselect(session, items)
