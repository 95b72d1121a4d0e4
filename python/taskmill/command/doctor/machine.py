"""CPU, memory, huge pages and limits of this machine and of this process in it."""

from __future__ import annotations

import os
import resource
from collections.abc import Mapping
from pathlib import Path

from ..console import bytes_text, counted
from ... import system
from .check import NOTE, OK, PROBLEM, Check, worst

# What kernels profit from: the name in /proc/cpuinfo, and the macro by which a compiler says that it uses it.
FEATURES = {
    "AVX2": ("avx2", "__AVX2__"),
    "AVX-512": ("avx512f", "__AVX512F__"),
    "AVX512_BF16": ("avx512_bf16", "__AVX512BF16__"),
    "AMX": ("amx_tile", "__AMX_TILE__"),
}
_CHIP_BYTES = 64 << 30
_BIG_BYTES = 4 << 20  # from here on device memory of the simulator asks for huge pages
_SPARE_BYTES = 1 << 30
_THREADS = 256  # more than a simulated chip has cores and control threads
_STACK_BYTES = 1 << 20
_FILES = 256

LIMITS = {
    "stack": resource.RLIMIT_STACK,
    "address space": resource.RLIMIT_AS,
    "open files": resource.RLIMIT_NOFILE,
    "processes": resource.RLIMIT_NPROC,
}


def check_cpu_features(root: Path, macros: Mapping[str, str]) -> Check:
    """``macros`` are the compiler's, with -march=native."""
    flags = system.cpu_flags(root)
    if not flags:
        return Check("CPU features", NOTE, "/proc/cpuinfo does not tell them", "nothing: kernels are compiled for this CPU anyway")
    there = [name for name, (flag, _) in FEATURES.items() if flag in flags]
    missing = [name for name in FEATURES if name not in there]
    unused = [name for name in there if macros and FEATURES[name][1] not in macros]
    remarks = []
    if missing:
        remarks.append((NOTE, f"no {', '.join(missing)}", "nothing: kernels run, those that profit from it run slower"))
    if unused:
        remarks.append((NOTE, f"the compiler does not use {', '.join(unused)}", "a newer g++ may know this CPU"))
    return worst("CPU features", ", ".join(there) or "none that kernels profit from", remarks)


def check_cpus(root: Path, usable: int) -> Check:
    """``usable``: the CPUs that the process may run on."""
    machine = system.online_cpus(root)
    found = f"{usable} of {machine} usable" if machine else f"{usable} usable"
    limit = system.cpu_limit(root)
    if limit is not None and limit < usable:
        advice = f"set TASKMILL_SIM_THREADS={max(1, int(limit))}, or allow the container more CPU time"
        told = f"{found}, but the cgroup gives the time of {limit:g}: threads of the simulator are stopped for it"
        return Check("CPUs", NOTE, told, advice)
    if machine is not None and usable < machine:
        return Check("CPUs", NOTE, found, "allow this process more CPUs (taskset, the container's cpuset) if it should use them")
    return Check("CPUs", OK, found)


def simulated_bytes() -> int:
    """The memory of a simulated device: the chip's, at most three quarters of the machine's."""
    return min(_CHIP_BYTES, os.sysconf("SC_PHYS_PAGES") // 4 * 3 * os.sysconf("SC_PAGE_SIZE"))


def check_memory(root: Path, device_bytes: int) -> Check:
    """``device_bytes``: what a simulated device offers."""
    total, available = system.memory_bytes(root, "MemTotal"), system.memory_bytes(root, "MemAvailable")
    limit = system.memory_limit(root)
    if total is None or available is None:
        return Check("memory", NOTE, "/proc/meminfo does not tell it", "nothing, if runs get the memory that they need")
    found = f"{bytes_text(available)} of {bytes_text(total)} free"
    if limit is not None and limit < total:
        found += f", the cgroup allows {bytes_text(limit)}"
    found += f"; a simulated device offers {bytes_text(device_bytes)}"
    remarks = []
    if limit is not None and limit < device_bytes:
        told = "the system ends a process that goes over its cgroup's limit before the device is full"
        remarks.append((NOTE, told, "raise the container's memory limit, or keep arrays and RunConfig.heap_bytes below it"))
    if min(available, total if limit is None else limit) < _SPARE_BYTES:
        advice = "end other programs, or use smaller arrays and a smaller RunConfig.heap_bytes (4 rings of 256 MiB unless set)"
        remarks.append((NOTE, f"less than {bytes_text(_SPARE_BYTES)}", advice))
    return worst("memory", found, remarks)


def check_huge_pages(root: Path) -> Check:
    mode = system.huge_page_mode(root)
    profit = f"device memory of the simulator from {bytes_text(_BIG_BYTES)} on"
    if mode in ("madvise", "always"):
        return Check("huge pages", OK, f"{mode}: {profit} gets them")
    if mode == "never":
        advice = "as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"
        return Check("huge pages", NOTE, f"never: {profit} would profit from them", advice)
    return Check("huge pages", NOTE, "this system has no transparent huge pages", f"nothing: {profit} is slower without them")


def soft_limits() -> dict[str, int | None]:
    """The limits of this process by the names of :data:`LIMITS`; None is no limit."""
    soft = {name: resource.getrlimit(number)[0] for name, number in LIMITS.items()}
    return {name: None if value == resource.RLIM_INFINITY else value for name, value in soft.items()}


def check_limits(root: Path, limits: Mapping[str, int | None], device_bytes: int) -> Check:
    """``limits`` as :func:`soft_limits` gives them; ``device_bytes`` as for :func:`check_memory`."""
    stack, addresses, files = limits["stack"], limits["address space"], limits["open files"]
    threads = min((n for n in (limits["processes"], system.task_limit(root)) if n is not None), default=None)
    found = ", ".join(
        (
            f"stack {'unlimited' if stack is None else bytes_text(stack)}",
            f"{'any number of' if files is None else f'{files:,}'} open files",
            "any number of threads" if threads is None else counted(threads, "thread"),
        )
    )
    remarks = []
    if stack is not None and stack < _STACK_BYTES:
        remarks.append((NOTE, "kernels run on stacks of this size and crash when it is used up", "ulimit -s 8192"))
    if addresses is not None and addresses < device_bytes + device_bytes // 2:
        told = f"{bytes_text(addresses)} of addresses, the simulator reserves {bytes_text(device_bytes + device_bytes // 2)}"
        remarks.append((PROBLEM, told, "ulimit -v unlimited"))
    if files is not None and files < _FILES:
        remarks.append((NOTE, "kernels are compiled in parallel, each with files of its own", f"ulimit -n {_FILES}"))
    if threads is not None and threads < _THREADS:
        remarks.append((NOTE, "a simulated chip may want a thread for each core", "raise ulimit -u, or the container's pids limit"))
    return worst("limits", found, remarks)
