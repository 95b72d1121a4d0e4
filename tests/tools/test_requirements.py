"""docs/requirements.md and the tests agree: a row names tests that exist, and what a numbered test proves is not called planned."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| ([A-Z]\d+) \| [^|]+ \| ([^|]*) \| ([^|]*)\|$", re.MULTILINE)
NAMED = re.compile(r"`([^`]+)`: `([^`]+)`")
NUMBERED = re.compile(r"\b(?:TEST(?:_[FP])?\(\w+,\s*|def test_)(([A-Z]\d{1,2})_\w+)")


def rows():
    return [(number, state, NAMED.findall(tests)) for number, state, tests in ROW.findall((ROOT / "docs/requirements.md").read_text())]


def numbered_tests():
    """number -> {(file, test name)}"""
    found = {}
    for path in [*ROOT.glob("tests/**/*.cpp"), *ROOT.glob("tests/**/*.h"), *ROOT.glob("tests/**/test_*.py")]:
        for name, number in NUMBERED.findall(path.read_text()):
            found.setdefault(number, set()).add((path.relative_to(ROOT).as_posix(), name))
    return found


def test_every_number_has_one_row_with_a_known_state():
    numbers = [number for number, _, _ in rows()]
    assert len(numbers) == len(set(numbers)) == 15 + 10 + 16 + 10
    assert [state for _, state, _ in rows() if not re.fullmatch("proven|(in part|planned): .+", state)] == []


def test_a_row_names_tests_that_exist_unless_it_is_planned():
    tests = numbered_tests()
    for number, state, named in rows():
        assert bool(named) != state.startswith("planned"), number
        assert set(named) <= tests.get(number, set()), number


def test_what_a_numbered_test_proves_is_not_called_planned():
    states = {number: state for number, state, _ in rows()}
    assert [number for number in numbered_tests() if states.get(number, "planned").startswith("planned")] == []
