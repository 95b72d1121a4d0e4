"""The table of error codes and its exceptions."""

from __future__ import annotations

import pickle

import pytest
from taskmill import ArgumentError, DeviceError, DeviceLostError, GraphError, OutOfDeviceMemoryError, TaskmillError
from taskmill.errors import ERROR_CODES, error_named, error_of_code, find_code


def test_every_code_has_a_name_of_its_own_and_a_meaning():
    assert len({row.number for row in ERROR_CODES}) == len({row.name for row in ERROR_CODES}) == len(ERROR_CODES)
    assert all(row.meaning and row.state in ("active", "reserved") for row in ERROR_CODES)


def test_a_code_is_found_by_number_and_by_name_in_any_case():
    assert find_code(202) == find_code("202") == find_code("buffertooshort")
    assert find_code("202").name == "BufferTooShort"
    assert find_code("no such code") is None and find_code(-5) is None


@pytest.mark.parametrize(
    ("code", "classes"),
    [
        (1, (GraphError,)),
        (112, (GraphError,)),
        (110, (DeviceError,)),
        (209, (DeviceLostError, DeviceError)),
        (201, (ArgumentError, ValueError)),
        (206, (OutOfDeviceMemoryError, MemoryError)),
    ],
)
def test_a_code_becomes_the_exception_of_its_kind(code, classes):
    error = error_of_code(code, "it went wrong")
    assert isinstance(error, TaskmillError) and isinstance(error, RuntimeError)
    assert all(isinstance(error, kind) for kind in classes)
    assert error.code == code and error.name == find_code(code).name
    assert str(error) == f"it went wrong [{error.name}, {code}]"


def test_an_exception_survives_pickling():
    error = pickle.loads(pickle.dumps(error_named("Closed", "gone")))
    assert (type(error).__name__, error.code, error.message) == ("ClosedError", 208, "gone")
