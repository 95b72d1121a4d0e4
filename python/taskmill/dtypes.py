"""Which numpy types the device knows."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from ._taskmill import DataType
from .errors import error_named

DtypeLike = str | type | np.dtype

_NATIVE: dict[np.dtype, DataType] = {
    np.dtype(np.float32): DataType.float32,
    np.dtype(np.float16): DataType.float16,
    np.dtype(ml_dtypes.bfloat16): DataType.bfloat16,
    np.dtype(ml_dtypes.float8_e4m3fn): DataType.float8_e4m3fn,
    np.dtype(ml_dtypes.float8_e8m0fnu): DataType.float8_e8m0,
    np.dtype(np.int64): DataType.int64,
    np.dtype(np.int32): DataType.int32,
    np.dtype(np.int16): DataType.int16,
    np.dtype(np.int8): DataType.int8,
    np.dtype(np.uint64): DataType.uint64,
    np.dtype(np.uint32): DataType.uint32,
    np.dtype(np.uint16): DataType.uint16,
    np.dtype(np.uint8): DataType.uint8,
    np.dtype(np.bool_): DataType.bool,
}


def numpy_dtype(dtype: DtypeLike) -> np.dtype:
    """The numpy dtype of a name ("bfloat16"), a scalar type or a dtype. Raises ArgumentError (ArgumentType) if there is none."""
    if isinstance(dtype, str) and hasattr(ml_dtypes, dtype):
        return np.dtype(getattr(ml_dtypes, dtype))
    try:
        return np.dtype(dtype)
    except TypeError:
        raise error_named("ArgumentType", f"{dtype!r} names no dtype") from None


def native_dtype(dtype: DtypeLike, what: str) -> DataType:
    """The device's number of a dtype. ``what`` names its owner in the ArgumentError (ArgumentType) of an unknown one."""
    found = numpy_dtype(dtype)
    native = _NATIVE.get(found)
    if native is None:
        known = ", ".join(known.name for known in _NATIVE)
        raise error_named("ArgumentType", f"{what} has dtype {found}, which no device knows; known are {known}")
    return native
