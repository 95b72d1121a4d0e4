"""Exceptions: one class per kind of mistake, one code per cause.

Every exception carries ``code`` and ``name`` from the table of error codes; ``taskmill explain CODE`` tells what they mean
and what to do.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from . import _taskmill


class ErrorCode(NamedTuple):
    """A row of the table of error codes (``include/taskmill/error.h``).

    Attributes:
        number: 1 to 11 and 100 to 104: the ecosystem's; 110 to 199: device faults of our own; 200 and up: the host's.
        name: As in ``docs/errors.md``.
        state: "active", or "reserved": never raised.
        meaning: A sentence fragment.
    """

    number: int
    name: str
    state: str
    meaning: str


ERROR_CODES: tuple[ErrorCode, ...] = tuple(ErrorCode(*row) for row in _taskmill.error_table())
_BY_NUMBER = {row.number: row for row in ERROR_CODES}
_BY_NAME = {row.name.lower(): row for row in ERROR_CODES}


class TaskmillError(RuntimeError):
    """Base of everything that Taskmill raises. ``str()`` gives message, name and code.

    Attributes:
        message: Names the argument, task, kernel, core or scope, and the numbers that mend it.
        code: Number in the table of error codes; ``docs/errors.md`` says what to do.
        name: Its name, for example "HeapRingDeadlock".
    """

    def __init__(self, message: str, code: int, name: str):
        super().__init__(message)
        self.message = message
        self.code = code
        self.name = name

    def __str__(self) -> str:
        return f"{self.message} [{self.name}, {self.code}]"

    def __reduce__(self):
        return type(self), (self.message, self.code, self.name)


class ArgumentError(TaskmillError, ValueError):
    """A value or an argument that the call cannot use; nothing was done. Also a ValueError. Codes 200 to 203, 212, 216, 217."""


class DeviceAddressError(ArgumentError):
    """An address that does not lie in a live device allocation, for example a host pointer. Code 207."""


class CompileError(TaskmillError):
    """A kernel or an orchestration that does not compile, or does not export what was asked for. Codes 205 and 204."""


class LoadError(TaskmillError):
    """A file that cannot be read or written, or a compiled object that cannot be loaded. Codes 214 and 213."""


class ClosedError(TaskmillError):
    """The worker, or what it made, was closed. Code 208."""


class OutOfDeviceMemoryError(TaskmillError, MemoryError):
    """The device has no room for an allocation. Also a MemoryError. Code 206."""


class UnsupportedError(TaskmillError):
    """This device does not support the call. Code 211."""


class GraphError(TaskmillError):
    """The orchestration built a graph that cannot run, or failed itself. The worker stays usable. Codes 1 to 9, 111 and 112."""


class DeviceError(TaskmillError):
    """The device failed while it worked: a kernel crashed (110) or did not end in time (100), or the device or its programs did not
    do their part (113, 210, 215)."""


class DeviceLostError(DeviceError):
    """The device failed for good: close the worker and open a new one. Code 209."""


_CLASSES: dict[str, type[TaskmillError]] = {
    **dict.fromkeys(
        (
            "ArgumentCount",
            "ArgumentType",
            "BufferTooShort",
            "InvalidArgument",
            "OverlappingArguments",
            "UnknownCallable",
            "StaleHandle",
        ),
        ArgumentError,
    ),
    "NotADeviceAddress": DeviceAddressError,
    "CompileFailed": CompileError,
    "MissingSymbol": CompileError,
    "LoadFailed": LoadError,
    "IoFailed": LoadError,
    "Closed": ClosedError,
    "OutOfDeviceMemory": OutOfDeviceMemoryError,
    "Unsupported": UnsupportedError,
    "OrchestrationThrew": GraphError,
    "UnknownKernel": GraphError,
    "DeviceLost": DeviceLostError,
}
_GRAPH_CODES = range(1, 100)  # the codes that an orchestration provokes, in the ecosystem's numbering


def find_code(name_or_number: str | int) -> ErrorCode | None:
    """The row of a code, given as a number or as a name in any case; None if the table does not have it."""
    text = str(name_or_number).strip()
    return _BY_NUMBER.get(int(text)) if re.fullmatch(r"-?[0-9]+", text) else _BY_NAME.get(text.lower())


def error_of_code(code: int, message: str) -> TaskmillError:
    """The exception for an error of the host library: the class that its code asks for."""
    row = _BY_NUMBER.get(code, ErrorCode(code, "Unknown", "active", ""))
    default = GraphError if code in _GRAPH_CODES else DeviceError
    return _CLASSES.get(row.name, default)(message, code, row.name)


def error_named(name: str, message: str) -> TaskmillError:
    """The exception for the code called ``name``, which the table must have."""
    return error_of_code(_BY_NAME[name.lower()].number, message)
