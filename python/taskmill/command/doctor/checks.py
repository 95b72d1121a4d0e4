"""All checks, in the order in which they are shown."""

from __future__ import annotations

import os
from pathlib import Path

from .check import Check, attempt
from .compiler import check_compiler, check_kernel, find_compiler, kernel_compiler_command
from .folders import check_cache, check_temporary_folder
from .machine import check_cpu_features, check_cpus, check_huge_pages, check_limits, check_memory, simulated_bytes, soft_limits
from .packages import check_packages

_COMPILERS = ("g++", "clang++")


def run_checks(root: Path = Path("/")) -> list[Check]:
    """Never raises. ``root`` holds the proc and sys that are read."""
    command = kernel_compiler_command()
    compiler = find_compiler(command)
    others = [other for other in map(find_compiler, _COMPILERS) if other is not None and (compiler is None or other.path != compiler.path)]
    device_bytes = simulated_bytes()
    checks = {
        "compiler": lambda: check_compiler(compiler, others),
        "first kernel": check_kernel,
        "packages": check_packages,
        "CPU features": lambda: check_cpu_features(root, compiler.macros if compiler else {}),
        "CPUs": lambda: check_cpus(root, len(os.sched_getaffinity(0))),
        "memory": lambda: check_memory(root, device_bytes),
        "huge pages": lambda: check_huge_pages(root),
        "limits": lambda: check_limits(root, soft_limits(), device_bytes),
        "cache": check_cache,
        "temporary folder": check_temporary_folder,
    }
    return [attempt(name, check) for name, check in checks.items()]
