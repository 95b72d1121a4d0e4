"""Taskmill: build and run graphs of tensor tasks on NPUs.

A program opens a ``Worker``, registers a ``Callable`` (an orchestration with its kernels) and runs it on numpy arrays. ``docs/python.md`` is the guide, ``examples/hello`` the smallest program.
"""

from .buffers import DeviceBuffer, DeviceTensor
from .callables import Callable, CallableHandle, In, InOut, Kernel, Out
from .errors import (
    ArgumentError,
    ClosedError,
    CompileError,
    DeviceAddressError,
    DeviceError,
    DeviceLostError,
    GraphError,
    LoadError,
    OutOfDeviceMemoryError,
    TaskmillError,
    UnsupportedError,
)
from .worker import RunConfig, RunReport, Worker

__all__ = [
    "ArgumentError",
    "Callable",
    "CallableHandle",
    "ClosedError",
    "CompileError",
    "DeviceAddressError",
    "DeviceBuffer",
    "DeviceError",
    "DeviceLostError",
    "DeviceTensor",
    "GraphError",
    "In",
    "InOut",
    "Kernel",
    "LoadError",
    "Out",
    "OutOfDeviceMemoryError",
    "RunConfig",
    "RunReport",
    "TaskmillError",
    "UnsupportedError",
    "Worker",
]
