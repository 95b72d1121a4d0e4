"""A worker: one device, and what runs on it."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any

from . import _taskmill
from ._taskmill import RunConfig, RunReport
from .arguments import host_array, native_arguments
from .buffers import DeviceBuffer, DeviceTensor
from .callables import Callable, CallableHandle
from .errors import error_named

__all__ = ["RunConfig", "RunReport", "Worker"]

DeviceMemory = DeviceBuffer | DeviceTensor | int


class Worker:
    """Owns one device: registers callables and runs them.

    ``platform`` is an architecture with a driver ("a2a3sim", "a5sim"), ``device_id`` numbers the devices of a platform, and
    ``cache_directory`` holds compiled kernels (default: ``$TASKMILL_CACHE_DIR``, else ``$XDG_CACHE_HOME/taskmill``, else
    ``~/.cache/taskmill``). Use it from any thread; runs are serialised, and other Python threads go on meanwhile.

    Raises ValueError for a level other than 2 and TaskmillError if the device cannot be opened.
    """

    def __init__(
        self,
        level: int = 2,
        platform: str = "a2a3sim",
        device_id: int = 0,
        *,
        cache_directory: os.PathLike | str | None = None,
    ):
        if level != 2:
            raise ValueError(f"level is {level!r}, but only level 2 (one device) exists")
        self.level = level
        self.platform = platform
        self.device_id = device_id
        self._native = _taskmill.Worker.open(platform, device_id, None if cache_directory is None else Path(cache_directory))

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None) -> None:
        if not self.closed:
            self.close()

    def __repr__(self) -> str:
        return f"<Worker {self.platform}:{self.device_id} {'closed' if self.closed else 'open'}>"

    @property
    def closed(self) -> bool:
        return not self._native.is_open()

    def close(self) -> None:
        """Releases the device with everything on it. Raises ClosedError the second time, as does any use afterwards."""
        self._native.close()

    def register(self, callable: Callable) -> CallableHandle:
        """Compiles (or takes from the cache) and loads a callable.

        Raises ArgumentError for kernel ids or a signature that cannot be used, CompileError with the compiler's file and
        line or the missing symbol, LoadError for a file that cannot be read.
        """
        return CallableHandle(self._native.register_callable(callable.native()), callable)

    def run(self, handle: CallableHandle, *arguments: Any, config: RunConfig | None = None) -> RunReport:
        """Runs once and waits. Arguments are the tensors of the signature in order, then the scalars.

        A tensor is a C-contiguous numpy array (bfloat16 and float8 from ml_dtypes), any object with the buffer protocol, or a
        :class:`DeviceTensor`; a scalar is a number: a Python float travels as float32, a Python int in 64 bits, a numpy scalar
        as its own type.

        Raises ArgumentError naming the argument, GraphError for a mistake of the orchestration, DeviceError for a kernel that
        crashed or never ended, DeviceLostError if the device must be opened anew. Outputs are written only by a run that
        succeeds.
        """
        native, borrowed = native_arguments(handle, arguments)
        try:
            return self._native.run(handle.digest, native, config or RunConfig())
        finally:
            borrowed.clear()  # the memory is borrowed up to here

    def malloc(self, nbytes: int) -> DeviceBuffer:
        """Device memory, contents undefined. Raises OutOfDeviceMemoryError, ArgumentError for 0 bytes."""
        if nbytes < 0:
            raise error_named("InvalidArgument", f"nbytes is {nbytes:,}, must be at least 1")
        return DeviceBuffer(self._native.malloc(nbytes), nbytes, self)

    def free(self, buffer: DeviceBuffer | int) -> None:
        """Gives the memory of :meth:`malloc` back. Raises DeviceAddressError if it is not live."""
        self._native.free(_address(buffer))

    def copy_to(self, device: DeviceMemory, host: Any) -> None:
        """Copies all bytes of ``host`` (a contiguous array or buffer) to the start of ``device``.

        Raises DeviceAddressError unless the bytes lie in one live allocation.
        """
        array = host_array(host, "host")
        _check_room(device, array.nbytes)
        self._native.copy_to(_address(device), array.ctypes.data, array.nbytes)

    def copy_from(self, host: Any, device: DeviceMemory) -> None:
        """Fills ``host`` (a writable contiguous array or buffer) from the start of ``device``.

        Raises DeviceAddressError unless the bytes lie in one live allocation.
        """
        array = host_array(host, "host", writable=True)
        _check_room(device, array.nbytes)
        self._native.copy_from(array.ctypes.data, _address(device), array.nbytes)

    @property
    def device_info(self) -> _taskmill.DeviceInfo:
        """What the device is: platform, clusters, cores, memory_bytes."""
        self._check_open()
        return self._native.device_info()

    @property
    def statistics(self) -> _taskmill.DeviceStatistics:
        """What the device holds and has done: live_bytes, peak_bytes, threads_peak, copies."""
        self._check_open()
        return self._native.statistics()

    def _check_open(self) -> None:
        if self.closed:
            raise error_named("Closed", "the worker was closed")


def _address(device: DeviceMemory) -> int:
    return device if isinstance(device, int) else device.address


def _check_room(device: DeviceMemory, nbytes: int) -> None:
    if not isinstance(device, int) and nbytes > device.nbytes:
        raise error_named("BufferTooShort", f"the copy has {nbytes:,} bytes, the device memory {device.nbytes:,}")
