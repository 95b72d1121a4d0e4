"""The command ``taskmill explain``: all codes, and codes that do not exist."""

from __future__ import annotations

import pytest
from command_line import taskmill
from taskmill.command.explain import closest_names
from taskmill.errors import ERROR_CODES


def test_without_a_code_all_active_codes_are_listed_and_no_reserved_one():
    done = taskmill("explain")
    rows = [line.split(maxsplit=2) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and rows[0] == ["code", "name", "meaning"]
    assert rows[1:] == [[str(row.number), row.name, row.meaning] for row in ERROR_CODES if row.state == "active"]


def test_every_code_that_is_listed_can_be_explained():
    for row in ERROR_CODES:
        if row.state == "active" and row.name != "Ok":
            assert closest_names(row.name)[0] == row.name
    assert "What to do." in taskmill("explain", "heapringdeadlock").stdout


@pytest.mark.parametrize(
    ("code", "closest"),
    [
        ("deadlock", ["ScopeDeadlock", "HeapRingDeadlock", "FlowControlDeadlock"]),
        ("SchedulerTimout", ["SchedulerTimeout"]),
        ("KernelCrash", ["KernelCrashed"]),
        ("2020", ["202 BufferTooShort"]),
    ],
)
def test_an_unknown_code_ends_with_2_and_the_closest_names(code, closest):
    done = taskmill("explain", code)
    assert done.returncode == 2 and done.stdout == ""
    assert closest_names(code)[: len(closest)] == closest
    told = " ".join(done.stderr.split())
    assert f"there is no error code '{code}'; the closest: {closest[0]}" in told


def test_a_code_that_resembles_none_points_to_the_list():
    done = taskmill("explain", "xyzzy")
    assert done.returncode == 2 and "`taskmill explain` lists them" in " ".join(done.stderr.split())


def test_two_codes_are_a_mistake_in_its_use():
    assert taskmill("explain", "202", "203").returncode == 2
