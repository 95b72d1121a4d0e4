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

    ``address`` is a device address in bytes, ``shape`` counts elements of ``dtype``.
    """

    address: int
    shape: tuple[int, ...]
    dtype: np.dtype

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", tuple(int(extent) for extent in self.shape))
        object.__setattr__(self, "dtype", numpy_dtype(self.dtype))

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True)
class DeviceBuffer:
    """``nbytes`` bytes of device memory, made by :meth:`Worker.malloc`, alive until freed or its worker closes."""

    address: int
    nbytes: int
    worker: Worker = field(repr=False, compare=False)

    def tensor(self, shape: Sequence[int], dtype: DtypeLike, offset: int = 0) -> DeviceTensor:
        """A tensor over these bytes, from byte ``offset`` on. Raises ArgumentError (BufferTooShort)."""
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
        """Gives the memory back; see :meth:`Worker.free`."""
        self.worker.free(self)
