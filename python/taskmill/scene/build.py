"""From a scene's dictionaries to what a worker takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..callables import Callable, Kernel, Parameter
from ..worker import RunConfig

CONFIG_KEYS = ("task_window", "heap_bytes", "edge_nodes", "argument_lines", "kernel_limit_ns", "stall_limit_ns")


def build_callable(description: Mapping[str, Any], folder: Path, name: str, tensor_names: Sequence[str], scalars: int) -> Callable:
    """The callable that a CALLABLE describes; its signature takes its names from the arguments."""
    orchestration = description["orchestration"]
    return Callable(
        name=name,
        orchestration=folder / orchestration["source"],
        function=orchestration["function_name"],
        orchestration_flags=orchestration.get("flags", ()),
        signature=_signature(orchestration.get("signature", ()), tensor_names),
        scalar_count=scalars,
        kernels=[_kernel(entry, folder) for entry in _first(description, "incores", "kernels")],
    )


def build_config(config: Mapping[str, Any], trace: bool) -> RunConfig:
    return RunConfig(trace=trace, **config)


def output_names(callable: Callable) -> list[str]:
    """The tensors that a run writes."""
    from .._taskmill import Direction

    return [parameter.name for parameter in callable.signature if parameter.direction is not Direction.IN]


def _signature(entries: Sequence[Any], tensor_names: Sequence[str]) -> list[Parameter]:
    if len(entries) != len(tensor_names):
        raise ValueError(
            f"the signature has {len(entries)} entries, generate_args gives {len(tensor_names)} tensors "
            f"({', '.join(tensor_names)}): update CALLABLE['orchestration']['signature']"
        )
    return [_parameter(entry, name) for entry, name in zip(entries, tensor_names, strict=True)]


def _parameter(entry: Any, name: str) -> Parameter:
    if isinstance(entry, type) and issubclass(entry, Parameter):
        return entry(name)
    if isinstance(entry, Parameter):
        return type(entry)(entry.name or name, entry.dtype)
    raise ValueError(f"signature entry of {name!r} is {entry!r}, must be In, Out or InOut")


def _kernel(entry: Mapping[str, Any], folder: Path) -> Kernel:
    return Kernel(
        id=_first(entry, "func_id", "id"),
        source=folder / entry["source"],
        core=_first(entry, "core_type", "core"),
        name=entry.get("name", ""),
        flags=entry.get("flags", ()),
    )


def _first(entry: Mapping[str, Any], *keys: str) -> Any:
    for key in keys:
        if key in entry:
            return entry[key]
    raise ValueError(f"{' or '.join(map(repr, keys))} is missing in {dict(entry)!r}")
