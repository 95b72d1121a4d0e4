"""The named arguments of a scene."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class TensorArg(NamedTuple):
    """A tensor argument: a C-contiguous array. An output is given as an array to fill."""

    name: str
    value: np.ndarray


class Scalar(NamedTuple):
    """A scalar argument: a number, see :meth:`taskmill.Worker.run`."""

    name: str
    value: Any


class TaskArgsBuilder:
    """Arguments in the order of the signature, tensors before scalars, each also an attribute by its name."""

    def __init__(self, *specs: TensorArg | Scalar):
        self.specs: list[TensorArg | Scalar] = []
        for spec in specs:
            self._add(spec)

    def add_tensor(self, name: str, value: np.ndarray) -> None:
        """Appends a tensor argument. Raises ValueError for a name that is taken or after a scalar."""
        self._add(TensorArg(name, value))

    def add_scalar(self, name: str, value: Any) -> None:
        """Appends a scalar argument. Raises ValueError for a name that is taken."""
        self._add(Scalar(name, value))

    def tensors(self) -> list[TensorArg]:
        """The tensor arguments, in order."""
        return [spec for spec in self.specs if isinstance(spec, TensorArg)]

    def tensor_names(self) -> list[str]:
        """Their names, in order."""
        return [spec.name for spec in self.tensors()]

    def values(self) -> list[Any]:
        """The values of all arguments, in order: what ``Worker.run`` takes."""
        return [spec.value for spec in self.specs]

    def clone(self) -> TaskArgsBuilder:
        """Copies of the tensors, the same scalars."""
        return TaskArgsBuilder(*(TensorArg(s.name, s.value.copy()) if isinstance(s, TensorArg) else s for s in self.specs))

    def __setattr__(self, name: str, value: Any) -> None:
        for spec in self.__dict__.get("specs", ()):
            if spec.name != name:
                continue
            if value is spec.value:  # args.x += 1 ends with storing what args.x is
                return
            raise AttributeError(f"argument {name!r} cannot be replaced: write into it, args.{name}[...] = value")
        super().__setattr__(name, value)

    def _add(self, spec: TensorArg | Scalar) -> None:
        if not isinstance(spec, (TensorArg, Scalar)):
            raise TypeError(f"{spec!r} is neither a TensorArg nor a Scalar")
        if hasattr(type(self), spec.name) or spec.name == "specs":
            raise ValueError(f"argument name {spec.name!r} conflicts with builder attributes/methods")
        if any(spec.name == other.name for other in self.specs):
            raise ValueError(f"duplicate argument name {spec.name!r}")
        if isinstance(spec, TensorArg) and len(self.tensors()) < len(self.specs):
            raise ValueError(f"Cannot add tensor after scalar: {spec.name!r}")
        if isinstance(spec, TensorArg) and not isinstance(spec.value, np.ndarray):
            raise TypeError(f"argument {spec.name!r} is a {type(spec.value).__name__}, must be a numpy array")
        self.specs.append(spec)

    def __getattr__(self, name: str) -> Any:
        for spec in self.__dict__.get("specs", ()):
            if spec.name == name:
                return spec.value
        raise AttributeError(f"no argument is named {name!r}")
