"""docs/requirements.md and the tests agree: a row names tests that exist, and a numbered test has its row."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| ([A-Z]\d+) \| [^|]+ \| ([^|]*) \| ([^|]*) ?\|$", re.MULTILINE)
NUMBERED = re.compile(r"\b(?:TEST(?:_[FP])?\(\w+, |def test_)(([A-Z]\d{1,2})_\w+)")


def rows():
    return {number: (place.strip(), test.strip()) for number, place, test in ROW.findall((ROOT / "docs/requirements.md").read_text())}


def numbered_tests():
    """number -> {(file, test name)}"""
    found = {}
    for path in [*ROOT.glob("tests/**/*.cpp"), *ROOT.glob("tests/**/*.h"), *ROOT.glob("tests/**/test_*.py")]:
        for name, number in NUMBERED.findall(path.read_text()):
            found.setdefault(number, set()).add((path.relative_to(ROOT).as_posix(), name))
    return found


def test_every_number_has_one_row():
    numbers = [number for number, _, _ in ROW.findall((ROOT / "docs/requirements.md").read_text())]
    assert len(numbers) == len(set(numbers)) and len(numbers) == 15 + 10 + 16 + 10


def test_a_row_is_planned_or_names_a_test_that_exists():
    tests = numbered_tests()
    for number, (place, name) in rows().items():
        if not place.startswith("planned: "):
            assert (place.strip("`"), name.strip("`")) in tests.get(number, set()), number


def test_a_numbered_test_has_a_row_that_is_no_longer_planned():
    for number, tests in numbered_tests().items():
        place, _ = rows()[number]
        assert not place.startswith("planned: "), (number, tests)
