"""The process environment of runs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any


class Executor(StrEnum):
    """How the simulator runs: one thing at a time in an order drawn from a seed, or on all CPUs."""

    SEEDED = "seeded"
    POOL = "pool"


def choose_executor(executor: Executor | None, seed: int | None) -> None:
    """For the devices that this process opens from now on; None leaves what the environment says."""
    if executor is not None:
        os.environ["TASKMILL_SIM_EXECUTOR"] = executor.value
    if seed is not None:
        os.environ["TASKMILL_SIM_SEED"] = str(seed)


def check_runtime_env(scene: str, variables: Any) -> None:
    """Raises TypeError for a RUNTIME_ENV that is no mapping of names to strings or paths."""
    if not isinstance(variables, Mapping):
        raise TypeError(f"{scene}: RUNTIME_ENV is a {type(variables).__name__}, must be a mapping")
    for name, value in variables.items():
        if not isinstance(name, str) or not isinstance(value, (str, os.PathLike)):
            raise TypeError(f"{scene}: RUNTIME_ENV has {name!r}: {value!r}, must be a name and a string")


@contextlib.contextmanager
def runtime_env(variables: Mapping[str, str | os.PathLike], folder: Path) -> Iterator[None]:
    """Sets variables and restores what was there. A relative value of a ``*_DIR`` or ``*_PATH`` is taken from ``folder``."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update({name: _resolve(name, value, folder) for name, value in variables.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _resolve(name: str, value: str | os.PathLike, folder: Path) -> str:
    return os.fspath(folder / value if name.endswith(("_DIR", "_PATH")) else value)
