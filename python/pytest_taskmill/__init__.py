"""Scene tests as pytest items: the plug-in that pytest finds by itself once Taskmill is installed.

Imports neither taskmill nor numpy until a test file has defined a scene: pytest loads it in every project.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser, args: list[str]) -> Generator[None, Any, Any]:
    """Adds the options after the project's conftest had its turn: one that it has defined itself stays its own.

    Until then pytest would take ``X`` of ``--platform X`` for a file, and look for the conftest there.
    """
    known = early_config.known_args_namespace
    known.file_or_dir = parser.parse_known_args(_without(_missing(known), args)).file_or_dir
    returned = yield
    group = parser.getgroup("scene tests")
    for name, attributes in _missing(parser.parse_known_args(args)).items():
        with contextlib.suppress(argparse.ArgumentError):  # the project's own, under another dest
            group.addoption(name, **attributes)
    return returned


def _without(options: dict[str, dict[str, Any]], args: list[str]) -> list[str]:
    """The arguments less these options and their values; all of them if a value does not fit, for it may be a file after all."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False, fromfile_prefix_chars="@")
    for name, attributes in options.items():
        parser.add_argument(name, **attributes)
    try:
        return parser.parse_known_args(args)[1]
    except argparse.ArgumentError:
        return args


def _missing(known: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """The options that nobody else has defined."""
    return {name: attributes for name, attributes in _options().items() if name[2:].replace("-", "_") not in known}


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


def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class, name: str, obj: object) -> Any:
    """A decorated scene of the file becomes a collector of its cases; one that the file imported belongs to another."""
    if not isinstance(obj, type) or "_scene_level" not in vars(obj) or not getattr(obj, "__test__", True):
        return None
    from .items import SceneClass

    first_name = next((key for key, value in vars(collector.obj).items() if value is obj), name)
    is_own = obj.__module__ == collector.module.__name__ and name == first_name
    return SceneClass.from_parent(collector, name=name, obj=obj) if is_own else []


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Deselects the cases that the options leave out."""
    if f"{__name__}.items" in sys.modules:  # else no scene was collected
        from .items import deselect

        deselect(session, items)
