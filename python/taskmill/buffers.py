"""Device memory as seen from the host."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .dtypes import DtypeLike, numpy_dtype
from .errors import error_named

if TYPE_CHECKING:
    from .worker import Worker


@dataclass(frozen=True)
class DeviceTensor:
    """A contiguous row-major tensor in device memory. A run uses it where it lies: nothing is copied in or back.

    Attributes:
        address: Of the first element, in bytes.
        shape: Elements by dimension, outermost first; 1 to 5 dimensions.
        dtype: Of one element. A name ("bfloat16") or a scalar type becomes a numpy dtype; one that numpy and ml_dtypes do not have
            raises ArgumentError.
    """

    address: int
    shape: tuple[int, ...]
    dtype: np.dtype

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", tuple(int(extent) for extent in self.shape))
        object.__setattr__(self, "dtype", numpy_dtype(self.dtype))

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return math.prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True)
class DeviceBuffer:
    """Device memory from ``Worker.malloc``, alive until freed or until its worker closes.

    Attributes:
        address: Of the first byte.
        nbytes: As asked for.
        worker: Whose memory it is.
    """

    address: int
    nbytes: int
    worker: Worker = field(repr=False, compare=False)

    def tensor(self, shape: Sequence[int], dtype: DtypeLike, offset: int = 0) -> DeviceTensor:
        """A tensor over these bytes; nothing is copied.

        Args:
            shape: Elements by dimension, outermost first.
            dtype: Of one element: a name ("bfloat16"), a scalar type or a numpy dtype.
            offset: Of the first element, in bytes from the start of the buffer.

        Raises:
            ArgumentError: The tensor reaches beyond the buffer (BufferTooShort), or no such dtype (ArgumentType).
        """
        result = DeviceTensor(self.address + offset, tuple(shape), numpy_dtype(dtype))
        if offset < 0 or offset + result.nbytes > self.nbytes:
            extents = " x ".join(map(str, result.shape))
            raise error_named(
                "BufferTooShort",
                f"{extents} {result.dtype} from byte {offset:,} needs {offset + result.nbytes:,} bytes, "
                f"the buffer has {self.nbytes:,}",
            )
        return result

    def free(self) -> None:
        """Gives the memory back. Raises DeviceAddressError if that was done before, ClosedError if the worker was closed."""
        self.worker.free(self)
