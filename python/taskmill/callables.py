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
    """A tensor argument of a callable; the subclasses say which way it is copied.

    Attributes:
        name: For messages; may be empty.
        dtype: What an argument must have, else a run raises ArgumentError; None: any that devices know.
        direction: Of the subclass.
    """

    name: str = ""
    dtype: DtypeLike | None = None

    direction: ClassVar[_taskmill.Direction]

    def native(self) -> _taskmill.ArgumentSignature:
        """The entry as the host library takes it. Raises ArgumentError for a dtype that no device knows."""
        dtype = None if self.dtype is None else native_dtype(self.dtype, f'signature entry "{self.name}"')
        return _taskmill.ArgumentSignature(self.direction, self.name, dtype)


class In(Parameter):
    """A tensor that a run reads: copied to the device before it."""

    direction = _taskmill.Direction.IN


class Out(Parameter):
    """A tensor that a run writes: copied back after it, unless it fails. What it held before never reaches the device."""

    direction = _taskmill.Direction.OUT


class InOut(Parameter):
    """A tensor that a run reads and writes: copied both ways."""

    direction = _taskmill.Direction.INOUT


@dataclass(frozen=True)
class Kernel:
    """A C++ source that exports ``extern "C" void kernel_entry(int64_t* args)`` (``taskmill/kernel.h``).

    Attributes:
        id: What the orchestration submits, 0 to 1,023, unique within the callable.
        source: The file, relative to the working directory.
        core: "aic" (cube) or "aiv" (vector).
        name: For messages and the timeline; empty: the file's name.
        flags: Compiler flags, after ``-O3 -march=native``.
    """

    id: int
    source: PathLike
    core: str = "aiv"
    name: str = ""
    flags: Sequence[str] = ()

    def native(self) -> _taskmill.KernelSource:
        """The kernel as the host library takes it. Raises ArgumentError for another ``core``."""
        core = _CORE_TYPES.get(str(self.core).lower())
        if core is None:
            raise error_named("InvalidArgument", f'kernel {self.id}: core is {self.core!r}, must be "aic" or "aiv"')
        name = self.name or Path(self.source).stem
        return _taskmill.KernelSource(self.id, name, Path(self.source), core, list(self.flags))


@dataclass(frozen=True)
class Callable:
    """An orchestration with its kernels.

    Attributes:
        orchestration: A C++ source (``taskmill/orchestration.h``), relative to the working directory.
        function: What it exports: ``extern "C" void function(const OrchestrationArgs&)``.
        signature: One entry per tensor of a run, in order; at most 256.
        kernels: What the orchestration can submit.
        scalar_count: Scalars of a run, after the tensors; at most 128.
        name: For messages; empty: ``function``.
        orchestration_flags: Compiler flags of the orchestration, after the default ones.
        rules: Which earlier accesses a task follows. "native": readers follow writers, writers follow writers and readers.
            "ecosystem", for orchestrations written for its rules: nothing follows a reader, and what only writes an existing tensor
            follows its buffer's maker.
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
        """The callable as the host library takes it. Raises ArgumentError for other ``rules``, and what its parts raise."""
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
    """A registered callable of one worker.

    Attributes:
        digest: SHA-256 of its compiled parts, signature and rules, 64 lower-case hex digits.
        callable: What was registered.
    """

    digest: str
    callable: Callable

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.callable.name or self.callable.function
