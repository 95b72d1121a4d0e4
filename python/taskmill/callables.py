"""What a user registers: an orchestration, its kernels and the signature of a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from . import _taskmill
from .dtypes import DtypeLike, native_dtype
from .errors import error_named

PathLike = os.PathLike | str
_RULES = {"native": _taskmill.DependencyRules.NATIVE, "ecosystem": _taskmill.DependencyRules.ECOSYSTEM}
_CORE_TYPES = {"aic": _taskmill.CoreType.AIC, "aiv": _taskmill.CoreType.AIV}


@dataclass(frozen=True)
class Parameter:
    """A tensor argument of a callable: its name for messages and, if the callable asks for one, its dtype."""

    name: str = ""
    dtype: DtypeLike | None = None

    direction: ClassVar[_taskmill.Direction]

    def native(self) -> _taskmill.ArgumentSignature:
        dtype = None if self.dtype is None else native_dtype(self.dtype, f'signature entry "{self.name}"')
        return _taskmill.ArgumentSignature(self.direction, self.name, dtype)


class In(Parameter):
    """A tensor that a run reads: copied to the device before it."""

    direction = _taskmill.Direction.IN


class Out(Parameter):
    """A tensor that a run writes: copied back after it. What it held before never reaches the device."""

    direction = _taskmill.Direction.OUT


class InOut(Parameter):
    """A tensor that a run reads and writes: copied both ways."""

    direction = _taskmill.Direction.INOUT


@dataclass(frozen=True)
class Kernel:
    """A C++ source that exports ``extern "C" void kernel_entry(int64_t* args)`` (``taskmill/kernel.h``).

    ``id`` (0 to 1,023) is what the orchestration submits; ``core`` is "aic" (cube) or "aiv" (vector).
    """

    id: int
    source: PathLike
    core: str = "aiv"
    name: str = ""
    flags: Sequence[str] = ()

    def native(self) -> _taskmill.KernelSource:
        core = _CORE_TYPES.get(str(self.core).lower())
        if core is None:
            raise error_named("InvalidArgument", f'kernel {self.id}: core is {self.core!r}, must be "aic" or "aiv"')
        name = self.name or Path(self.source).stem
        return _taskmill.KernelSource(self.id, name, Path(self.source), core, list(self.flags))


@dataclass(frozen=True)
class Callable:
    """An orchestration with its kernels.

    ``orchestration`` is a C++ source (``taskmill/orchestration.h``) that exports ``extern "C" void function(const
    OrchestrationArgs&)``. A run takes one tensor per entry of ``signature``, in that order, then ``scalar_count`` scalars.
    ``rules`` says which earlier accesses a task follows: with "native" readers follow writers, writers follow writers and
    readers; with "ecosystem" nothing follows a reader, and what only writes an existing tensor follows its buffer's maker.
    """

    orchestration: PathLike
    function: str
    signature: Sequence[Parameter]
    kernels: Sequence[Kernel]
    scalar_count: int = 0
    name: str = ""
    orchestration_flags: Sequence[str] = ()
    rules: str = "native"

    def native(self) -> _taskmill.CallableSpec:
        rules = _RULES.get(self.rules)
        if rules is None:
            raise error_named("InvalidArgument", f'rules is {self.rules!r}, must be "native" or "ecosystem"')
        spec = _taskmill.CallableSpec()
        spec.name = self.name or self.function
        spec.orchestration = Path(self.orchestration)
        spec.function = self.function
        spec.signature = [parameter.native() for parameter in self.signature]
        spec.scalar_count = self.scalar_count
        spec.kernels = [kernel.native() for kernel in self.kernels]
        spec.orchestration_flags = list(self.orchestration_flags)
        spec.dependency_rules = rules
        return spec


@dataclass(frozen=True)
class CallableHandle:
    """A registered callable of one worker. ``digest`` is the SHA-256 of its compiled parts, signature and rules, in hex."""

    digest: str
    callable: Callable

    @property
    def name(self) -> str:
        return self.callable.name or self.callable.function
