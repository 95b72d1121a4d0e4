"""Python values as arguments of a run: host memory, device memory and scalars."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _taskmill
from .buffers import DeviceBuffer, DeviceTensor
from .callables import CallableHandle
from .dtypes import native_dtype
from .errors import error_named

_MAX_EXTENT = 2**32 - 1


def host_array(value: Any, what: str, writable: bool = False) -> np.ndarray:
    """An array over the memory of ``value``, never a copy.

    Raises:
        ArgumentError: Naming ``what``: no array and no buffer, not C-contiguous, of foreign byte order, or read-only where
            ``writable`` is asked for.
    """
    array = value if isinstance(value, np.ndarray) else _array_of_buffer(value, what)
    if not array.flags.c_contiguous:
        raise error_named(
            "InvalidArgument",
            f"{what} is not contiguous: shape {array.shape}, strides {array.strides} bytes; pass numpy.ascontiguousarray(...)",
        )
    if not array.dtype.isnative:
        raise error_named("ArgumentType", f"{what} has dtype {array.dtype} of foreign byte order")
    if writable and not array.flags.writeable:
        raise error_named("InvalidArgument", f"{what} is read-only, but the call writes it")
    return array


def _array_of_buffer(value: Any, what: str) -> np.ndarray:
    try:
        return np.asarray(memoryview(value))
    except (TypeError, ValueError) as problem:
        kind = type(value).__name__
        raise error_named(
            "ArgumentType",
            f"{what} is a {kind}; wanted is a numpy array, an object with the buffer protocol, a DeviceTensor or a number ({problem})",
        ) from None


def scalar_bits(value: Any, what: str) -> int:
    """The 64 bits that a kernel or an orchestration reads with ``scalar<T>``.

    A Python float is a float32 and a Python int (or bool) an int64 or uint64; a numpy scalar keeps its own type.

    Raises:
        ArgumentError: Naming ``what``: more than 64 bits, a float beyond float32, or a numpy type that is no number.
    """
    if isinstance(value, np.generic):
        native_size = value.dtype.itemsize
        if value.dtype.kind == "i":
            return int(value) & (2**64 - 1)
        if native_size > 8 or value.dtype.kind not in "biufV":
            raise error_named("ArgumentType", f"{what} has dtype {value.dtype}, which is no scalar of at most 8 bytes")
        return int.from_bytes(value.tobytes(), "little")
    if isinstance(value, float):
        return _float32_bits(value, what)
    number = int(value)
    if not -(2**63) <= number < 2**64:
        raise error_named("InvalidArgument", f"{what} is {number:,}, which does not fit 64 bits")
    return number & (2**64 - 1)


def _float32_bits(value: float, what: str) -> int:
    try:
        return int.from_bytes(struct.pack("<f", value), "little")
    except OverflowError:
        raise error_named("InvalidArgument", f"{what} is {value!r}, which does not fit a float32; pass numpy.float64") from None


def native_arguments(handle: CallableHandle, values: Sequence[Any]) -> tuple[list[Any], list[np.ndarray]]:
    """The native arguments of a run of ``handle``, and the arrays whose memory they borrow.

    Raises:
        ArgumentError: Naming the argument: what ``host_array`` and ``scalar_bits`` refuse, a ``DeviceBuffer`` without a shape, an
            unknown dtype, an extent beyond 32 bits.
    """
    native: list[Any] = []
    borrowed: list[np.ndarray] = []
    signature = handle.callable.signature
    for index, value in enumerate(values):
        parameter = signature[index] if index < len(signature) else None
        label = f' ("{parameter.name}")' if parameter and parameter.name else ""
        what = f'argument {index}{label} of "{handle.name}"'
        written = parameter is not None and parameter.direction is not _taskmill.Direction.IN
        native.append(_native_argument(value, what, written, borrowed))
    return native, borrowed


def _native_argument(value: Any, what: str, written: bool, borrowed: list[np.ndarray]) -> Any:
    if isinstance(value, (int, float, np.generic)):
        return scalar_bits(value, what)
    if isinstance(value, DeviceBuffer):
        raise error_named("ArgumentType", f"{what} is a DeviceBuffer, which has no shape; pass buffer.tensor(shape, dtype)")
    if isinstance(value, DeviceTensor):
        return _taskmill.DeviceTensor(value.address, _shape(value.shape, what), native_dtype(value.dtype, what))
    array = host_array(value, what, writable=written)
    dtype = native_dtype(array.dtype, what)
    borrowed.append(array)
    return _taskmill.HostTensor(array.ctypes.data, array.nbytes, _shape(array.shape or (1,), what), dtype)


def _shape(shape: Sequence[int], what: str) -> list[int]:
    if any(not 0 <= extent <= _MAX_EXTENT for extent in shape):
        raise error_named("InvalidArgument", f"{what} has shape {tuple(shape)}; an extent is 0 to {_MAX_EXTENT:,}")
    return list(shape)
