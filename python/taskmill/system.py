"""Facts from /proc and /sys. Every function takes the root folder that holds them; what cannot be read is None or empty."""

from __future__ import annotations

import re
from pathlib import Path

_NO_LIMIT = 1 << 60  # cgroup v1 writes "no limit" as a number of this size


def read(root: Path, path: str) -> str | None:
    """The text of a file."""
    try:
        return (root / path).read_text(errors="replace")
    except OSError:
        return None


def cpu_flags(root: Path) -> frozenset[str]:
    """Instruction set extensions of the first CPU, by the names of /proc/cpuinfo."""
    found = re.search(r"^(?:flags|Features)\s*:\s*(.*)$", read(root, "proc/cpuinfo") or "", re.MULTILINE)
    return frozenset(found.group(1).split()) if found else frozenset()


def online_cpus(root: Path) -> int | None:
    """CPUs of the machine that are switched on: "0-3,6" is five."""
    ranges = re.findall(r"(\d+)(?:-(\d+))?", read(root, "sys/devices/system/cpu/online") or "")
    return sum(int(last or first) - int(first) + 1 for first, last in ranges) or None


def memory_bytes(root: Path, field: str) -> int | None:
    """A field of /proc/meminfo: "MemTotal", "MemAvailable"."""
    found = re.search(rf"^{field}:\s*(\d+) kB$", read(root, "proc/meminfo") or "", re.MULTILINE)
    return int(found.group(1)) * 1024 if found else None


def huge_page_mode(root: Path) -> str | None:
    """The setting of transparent huge pages, "always", "madvise" or "never": the word in brackets."""
    found = re.search(r"\[(\w+)\]", read(root, "sys/kernel/mm/transparent_hugepage/enabled") or "")
    return found.group(1) if found else None


def memory_limit(root: Path) -> int | None:
    """Bytes that the cgroups of this process allow; None if they set no limit."""
    return _least(_cgroup_values(root, "memory.max", "memory", "memory.limit_in_bytes"))


def task_limit(root: Path) -> int | None:
    """Threads and processes that the cgroups of this process allow; None if they set no limit."""
    return _least(_cgroup_values(root, "pids.max", "pids", "pids.max"))


def cpu_limit(root: Path) -> float | None:
    """CPUs' worth of time that the cgroups of this process allow; None if they set no limit."""
    shares = [text.split() for text in _cgroup_values(root, "cpu.max", "cpu", "cpu.cfs_quota_us")]
    periods = _cgroup_values(root, "cpu.max", "cpu", "cpu.cfs_period_us")
    limits = []
    for share, period in zip(shares, periods, strict=False):
        quota, length = share[0], period.split()[-1]
        if quota.isdigit() and length.isdigit() and int(length) > 0:
            limits.append(int(quota) / int(length))
    return min(limits, default=None)


def _least(values: list[str]) -> int | None:
    return min((int(value) for value in values if value.isdigit() and int(value) < _NO_LIMIT), default=None)


def _cgroup_values(root: Path, file: str, controller: str, v1_file: str) -> list[str]:
    """A file's text in the cgroup of this process and in those above it: ``file`` of version 2, ``v1_file`` of a v1 controller."""
    values = []
    for line in (read(root, "proc/self/cgroup") or "").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and controller not in controllers.split(","):
            continue
        mount, name = (f"sys/fs/cgroup/{controller}", v1_file) if controllers else ("sys/fs/cgroup", file)
        folder = Path(path.lstrip("/"))
        for group in (folder, *folder.parents) if path.strip("/") else (folder,):
            text = read(root, f"{mount}/{group}/{name}")
            if text is not None and text.strip():
                values.append(text.strip())
    return values
