"""Keeps array libraries from starting more threads than there are CPUs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from threadpoolctl import ThreadpoolController

CGROUPS = Path("/sys/fs/cgroup")


def cpu_count(cgroups: Path = CGROUPS) -> int:
    """The CPUs that this process may use: of its affinity, no more than the quota of its container allows, at least 1."""
    cpus = len(os.sched_getaffinity(0))
    quota = _quota(cgroups)
    return cpus if quota is None else max(1, min(cpus, int(quota)))


@contextlib.contextmanager
def threads_within_cpus() -> Iterator[None]:
    """Lowers the threads of the BLAS and OpenMP libraries that are loaded to :func:`cpu_count`, and restores them; raises none."""
    cpus = cpu_count()
    loaded = ThreadpoolController()
    greedy = [library.filepath for library in loaded.lib_controllers if library.num_threads > cpus]
    with loaded.select(filepath=greedy).limit(limits=cpus):
        yield


def _quota(cgroups: Path) -> float | None:
    """CPUs' worth of time per period that a container gives, None if it does not say: cgroup v2, else v1."""
    with contextlib.suppress(OSError, ValueError):
        quota, period = (cgroups / "cpu.max").read_text().split()
        return int(quota) / int(period)
    with contextlib.suppress(OSError, ValueError):
        quota = int((cgroups / "cpu/cpu.cfs_quota_us").read_text())
        return quota / int((cgroups / "cpu/cpu.cfs_period_us").read_text()) if quota > 0 else None
    return None
