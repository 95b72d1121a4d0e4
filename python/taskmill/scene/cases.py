"""The entries of CASES: what they may hold, and what they say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .build import check_config


def check_cases(scene: str, cases: Iterable[Mapping[str, Any]]) -> None:
    """Raises ValueError or TypeError, naming scene and case, for an entry that cannot be used; keys of others' are let be."""
    names: set[str] = set()
    for case in cases:
        for key in ("name", "platforms"):
            if not case.get(key):
                raise ValueError(f"{scene}: a case needs {key!r}, got {dict(case)!r}")
        name = f"{scene}::{case['name']}"
        if case["name"] in names:
            raise ValueError(f"{name}: two cases have this name")
        names.add(case["name"])
        try:
            _check_case(case)
        except (TypeError, ValueError) as problem:
            raise type(problem)(f"{name}: {problem}") from None


def is_manual(case: Mapping[str, Any], platform: str) -> bool:
    """Whether a case runs on ``platform`` only if asked for: ``manual`` is a bool, a platform or several."""
    manual = case.get("manual", False)
    return manual if isinstance(manual, bool) else platform in _names(manual)


def _check_case(case: Mapping[str, Any]) -> None:
    if isinstance(case["platforms"], str) or not _are_names(case["platforms"]):
        raise TypeError(f"platforms is {case['platforms']!r}, must be a list of platform names")
    manual = case.get("manual", False)
    if not isinstance(manual, bool) and not _are_names(_names(manual)):
        raise TypeError(f"manual is {manual!r}, must be True, False or platform names")
    if not isinstance(case.get("skip_golden", False), bool):
        raise TypeError(f"skip_golden is {case['skip_golden']!r}, must be True or False")
    if not isinstance(case.get("params", {}), Mapping):
        raise TypeError(f"params is a {type(case['params']).__name__}, must be a mapping")
    check_config(case.get("config", {}))


def _names(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _are_names(value: Any) -> bool:
    return isinstance(value, (Sequence, set, frozenset)) and all(isinstance(name, str) for name in value)
