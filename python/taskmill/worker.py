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

    Use it from any thread; calls are serialised, and other Python threads go on meanwhile. As a context manager it closes itself.

    Args:
        level: 2, one device; no other level exists.
        platform: A chip with a driver: "a2a3sim" or "a5sim".
        device_id: Numbers the devices of a platform, from 0.
        cache_directory: Where compiled kernels are kept; None: ``$TASKMILL_CACHE_DIR``, else ``$XDG_CACHE_HOME/taskmill``, else
            ``~/.cache/taskmill``.

    Raises:
        ValueError: Another level.
        ArgumentError: No such platform, or a negative device id.
        UnsupportedError: A chip without a driver in this build.
        LoadError: Device programs of this installation are missing; ``$TASKMILL_HOME`` may name another one.
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
        """Whether the worker was closed."""
        return not self._native.is_open()

    def close(self) -> None:
        """Releases the device with everything on it: callables, buffers, compiled programs that were loaded.

        Raises:
            ClosedError: The second time, as does any use afterwards.
        """
        self._native.close()

    def register(self, callable: Callable) -> CallableHandle:
        """Compiles (or takes from the cache) and loads a callable.

        Args:
            callable: What to register. The same parts, signature and rules again give the same handle, load nothing, and are one
                registration more.

        Returns:
            The handle that ``run`` takes, on this worker only.

        Raises:
            ArgumentError: Kernel ids, counts or a signature that cannot be used.
            CompileError: With the compiler's file and line, or the symbol that is missing.
            LoadError: A file that cannot be read or loaded.
            DeviceLostError: The device must be opened anew.
        """
        return CallableHandle(self._native.register_callable(callable.native()), callable)

    def unregister(self, handle: CallableHandle) -> None:
        """Takes one registration back; with the last one the callable is unloaded.

        Args:
            handle: A callable that is registered with this worker.

        Raises:
            ArgumentError: It is not, or not any more.
        """
        self._native.unregister_callable(handle.digest)

    def run(self, handle: CallableHandle, *arguments: Any, config: RunConfig | None = None) -> RunReport:
        """Runs once and waits.

        Args:
            handle: A callable that was registered with this worker.
            *arguments: The tensors of the signature in order, then the scalars. A tensor is a C-contiguous numpy array (bfloat16 and
                float8 from ml_dtypes), any object with the buffer protocol, or a ``DeviceTensor``. A scalar is a number: a Python
                float travels as float32, a Python int in 64 bits, a numpy scalar as its own type. Nothing is converted silently.
            config: Sizes, limits and tracing; None: the defaults.

        Returns:
            Tasks, times and use of memory. Outputs are in the arrays then; a run that fails writes none.

        Raises:
            ArgumentError: An argument that cannot be used, by its name; nothing was done. Also a size of ``config``.
            DeviceAddressError: A ``DeviceTensor`` that does not lie in a live buffer of this worker.
            GraphError: A mistake of the orchestration; the worker stays usable.
            DeviceError: A kernel that crashed or never ended; every further call raises DeviceLostError.
            OutOfDeviceMemoryError: No room for the arguments or the rings.
        """
        native, borrowed = native_arguments(handle, arguments)
        try:
            return self._native.run(handle.digest, native, config or RunConfig())
        finally:
            borrowed.clear()  # the memory is borrowed up to here

    def malloc(self, nbytes: int) -> DeviceBuffer:
        """Device memory, 1,024-byte aligned, contents undefined.

        Args:
            nbytes: How many bytes, at least 1.

        Raises:
            ArgumentError: Fewer than 1.
            OutOfDeviceMemoryError: No room; the message has the bytes wanted, live and in all.
        """
        if nbytes < 0:
            raise error_named("InvalidArgument", f"nbytes is {nbytes:,}, must be at least 1")
        return DeviceBuffer(self._native.malloc(nbytes), nbytes, self)

    def free(self, buffer: DeviceBuffer | int) -> None:
        """Gives back what ``malloc`` gave.

        Args:
            buffer: The buffer, or its address.

        Raises:
            DeviceAddressError: Not the start of a live allocation, for example freed before.
        """
        self._native.free(_address(buffer))

    def copy_to(self, device: DeviceMemory, host: Any) -> None:
        """Copies all bytes of ``host`` to the start of ``device``, and waits.

        Args:
            device: A buffer, a tensor, or an address in bytes.
            host: A C-contiguous array of any shape and dtype, or an object with the buffer protocol.

        Raises:
            ArgumentError: ``host`` has gaps, or more bytes than ``device``.
            DeviceAddressError: The bytes do not lie in one live allocation.
        """
        array = host_array(host, "host")
        _check_room(device, array.nbytes)
        self._native.copy_to(_address(device), array.ctypes.data, array.nbytes)

    def copy_from(self, host: Any, device: DeviceMemory) -> None:
        """Fills all bytes of ``host`` from the start of ``device``, and waits.

        Args:
            host: A writable C-contiguous array of any shape and dtype, or an object with the buffer protocol.
            device: A buffer, a tensor, or an address in bytes.

        Raises:
            ArgumentError: ``host`` has gaps, is read-only, or has more bytes than ``device``.
            DeviceAddressError: The bytes do not lie in one live allocation.
        """
        array = host_array(host, "host", writable=True)
        _check_room(device, array.nbytes)
        self._native.copy_from(array.ctypes.data, _address(device), array.nbytes)

    @property
    def device_info(self) -> _taskmill.DeviceInfo:
        """What the device is: platform, clusters, cores, bytes of memory. Raises ClosedError after a close."""
        self._check_open()
        return self._native.device_info()

    @property
    def statistics(self) -> _taskmill.DeviceStatistics:
        """What the device holds now and has done so far: bytes, copies, threads. Raises ClosedError after a close."""
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
