"""What a check finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

OK = "ok"
NOTE = "note"  # works, but something is missing, slower than it could be, or untested
PROBLEM = "problem"  # Taskmill cannot work like this


@dataclass(frozen=True)
class Check:
    """``name`` of the matter, its ``state``, what was ``found``, and the ``advice`` what to do unless the state is ok."""

    name: str
    state: str
    found: str
    advice: str = ""


def attempt(name: str, check: Callable[[], Check]) -> Check:
    """The check's finding; a check that fails itself is a note, never an exception."""
    try:
        return check()
    except Exception as problem:
        return Check(name, NOTE, f"could not be checked: {type(problem).__name__}: {problem}", "nothing, if all else works")


def worst(name: str, found: str, remarks: list[tuple[str, str, str]]) -> Check:
    """A check with several remarks (state, what, advice): their worst state, all that was found, all advice."""
    if not remarks:
        return Check(name, OK, found)
    state = PROBLEM if any(remark[0] == PROBLEM for remark in remarks) else NOTE
    return Check(name, state, "; ".join([found, *(remark[1] for remark in remarks)]), "; ".join(remark[2] for remark in remarks))
