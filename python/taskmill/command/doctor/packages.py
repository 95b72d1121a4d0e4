"""Python and the packages that Taskmill asks for."""

from __future__ import annotations

import platform
from collections.abc import Callable
from importlib import metadata

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from .check import NOTE, PROBLEM, Check, worst


def check_packages(
    requires: list[str] | None = None, python: str | None = None, version_of: Callable[[str], str] = metadata.version
) -> Check:
    """``requires`` and ``python`` are what the installed package asks for, as in pyproject.toml, unless given."""
    try:
        requires = metadata.requires("taskmill") or [] if requires is None else requires
        python = metadata.metadata("taskmill").get("Requires-Python") or "" if python is None else python
    except metadata.PackageNotFoundError:
        found = "taskmill is not installed as a package, so what it asks for is not known"
        return Check("packages", NOTE, found, "install it: `pip install .` or `make build`")
    here = platform.python_version()
    found, remarks = [f"Python {here}"], []
    if not SpecifierSet(python).contains(here, prereleases=True):
        remarks.append((PROBLEM, f"Taskmill asks for Python {python}", f"make an environment with Python {python}"))
    for requirement in map(Requirement, requires):
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        told, missing = _look_up(requirement, version_of)
        found.append(told)
        if missing:
            remarks.append((PROBLEM, missing, f"pip install '{requirement.name}{requirement.specifier}'"))
    return worst("packages", ", ".join(found), remarks)


def _look_up(requirement: Requirement, version_of: Callable[[str], str]) -> tuple[str, str]:
    """What is there, and what is wrong with it, if anything."""
    asked = f"{requirement.name}{requirement.specifier}"
    try:
        version = version_of(requirement.name)
    except metadata.PackageNotFoundError:
        return f"no {requirement.name}", f"{asked} is missing"
    satisfied = requirement.specifier.contains(version, prereleases=True)
    return f"{requirement.name} {version}", "" if satisfied else f"{asked} is asked for"
