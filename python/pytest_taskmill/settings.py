"""What the options say, whoever defined them."""

from __future__ import annotations

import unittest
from typing import Any

import pytest
from taskmill.scene import RunOptions
from taskmill.scene.selection import Manual, Selection

_WANTED = {
    "--platform": "a platform",
    "--case": "a selector or a list of them",
    "--manual": "a flag or one of exclude, include and only",
    "--rounds": "a number from 1 on",
    "--skip-golden": "a flag",
}


def selection(config: pytest.Config) -> Selection:
    """Which cases run. Raises UsageError for a value that does not fit."""
    return Selection(_value(config, "--platform"), _value(config, "--case"), _value(config, "--manual"))


def run_options(config: pytest.Config) -> RunOptions:
    """How they run. Raises UsageError for a value that does not fit."""
    verdicts = (pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception, unittest.SkipTest)
    return RunOptions(rounds=_value(config, "--rounds"), skip_golden=_value(config, "--skip-golden"), passed_on=verdicts)


def _value(config: pytest.Config, name: str) -> Any:
    """The value of an option. The project may have defined it, so that it is of any type. Raises UsageError."""
    value = config.getoption(name, None)
    match name, value:
        case "--platform", None | []:
            return ""
        case ("--platform", str(platform)) | ("--platform", [str(platform)]):
            return platform
        case "--case", None:
            return ()
        case "--case", str():
            return (value,)
        case "--case", list() | tuple() if all(isinstance(selector, str) for selector in value):
            return tuple(value)
        case "--manual", None | False:
            return Manual.EXCLUDE
        case "--manual", True:
            return Manual.INCLUDE
        case "--manual", str() if value in list(Manual):
            return Manual(value)
        case "--rounds", None:
            return 1
        case "--rounds", int() | str() if str(value).isdecimal() and int(value) > 0:
            return int(value)
        case "--skip-golden", None | bool():
            return bool(value)
    raise pytest.UsageError(f"{name}: {value!r} is not {_WANTED[name]}")
