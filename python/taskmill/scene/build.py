"""From a scene's dictionaries to what a worker takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .._taskmill import Direction
from ..arguments import host_array
from ..callables import Callable, Kernel, Parameter
from ..dtypes import native_dtype
from ..worker import RunConfig
from .args import TensorArg

CONFIG_KEYS = ("task_window", "heap_bytes", "edge_nodes", "argument_lines", "kernel_limit_ns", "stall_limit_ns", "runtime_env")
RUNTIME_ENV_KEYS = {"ring_task_window": "task_window", "ring_heap": "heap_bytes", "ring_dep_pool": "edge_nodes"}


def build_callable(description: Mapping[str, Any], folder: Path, name: str, tensor_names: Sequence[str], scalars: int) -> Callable:
    """The callable that a CALLABLE describes; its signature takes its names from the arguments."""
    orchestration = _first(description, "orchestration")
    return Callable(
        name=name,
        orchestration=folder / _first(orchestration, "source"),
        function=_first(orchestration, "function_name"),
        orchestration_flags=orchestration.get("flags", ()),
        signature=_signature(orchestration.get("signature", ()), tensor_names),
        scalar_count=scalars,
        kernels=[_kernel(entry, folder) for entry in _first(description, "incores", "kernels")],
        rules=description.get("rules", "native"),
    )


def check_config(config: Any) -> None:
    """Raises TypeError for a config, or its runtime_env, that is no mapping, ValueError for keys that it does not have."""
    _check_keys("config", config, CONFIG_KEYS)
    env = config.get("runtime_env", {})
    _check_keys("runtime_env", env, RUNTIME_ENV_KEYS)
    twice = [f"{key} and {RUNTIME_ENV_KEYS[key]}" for key in sorted(env) if RUNTIME_ENV_KEYS[key] in config]
    if twice:
        raise ValueError(f"{', '.join(twice)} are two names of one size: give one of them")


def build_config(config: Mapping[str, Any], trace: bool) -> RunConfig:
    """The configuration of a run; ``runtime_env`` holds ring sizes under the ecosystem's names."""
    check_config(config)
    fields = {key: value for key, value in config.items() if key != "runtime_env"}
    fields.update({RUNTIME_ENV_KEYS[key]: value for key, value in config.get("runtime_env", {}).items()})
    return RunConfig(trace=trace, **fields)


def _check_keys(what: str, value: Any, allowed: Iterable[str]) -> None:
    if not isinstance(value, Mapping):
        raise TypeError(f"{what} is a {type(value).__name__}, must be a mapping")
    unknown = sorted(set(value) - set(allowed))
    if unknown:
        raise ValueError(f"unknown {what} {', '.join(unknown)}; allowed are {', '.join(allowed)}")


def check_tensors(callable: Callable, tensors: Sequence[TensorArg]) -> None:
    """Raises ArgumentError, naming the argument, for an array that no run can take: gaps, dtype, read-only for an output."""
    for index, (parameter, tensor) in enumerate(zip(callable.signature, tensors, strict=True)):
        what = f'argument {index} ("{tensor.name}") of "{callable.name}"'
        array = host_array(tensor.value, what, writable=parameter.direction is not Direction.IN)
        native_dtype(array.dtype, what)


def output_names(callable: Callable) -> list[str]:
    """The tensors that a run writes."""
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
        source=folder / _first(entry, "source"),
        core=_first(entry, "core_type", "core"),
        name=entry.get("name", ""),
        flags=entry.get("flags", ()),
    )


def _first(entry: Mapping[str, Any], *keys: str) -> Any:
    for key in keys:
        if key in entry:
            return entry[key]
    raise ValueError(f"{' or '.join(map(repr, keys))} is missing in {dict(entry)!r}")
