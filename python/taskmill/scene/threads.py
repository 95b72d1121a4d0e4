"""Keeps array libraries from starting more threads than there are CPUs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from threadpoolctl import ThreadpoolController

from ..system import cpu_limit

def cpu_count(root: Path = Path("/")) -> int:
    """The CPUs that this process may use: of its affinity, no more than its cgroups allow (read below ``root``), at least 1."""
    cpus = len(os.sched_getaffinity(0))
    limit = cpu_limit(root)
    return cpus if limit is None else max(1, min(cpus, int(limit)))


@contextlib.contextmanager
def threads_within_cpus() -> Iterator[None]:
    """Lowers the threads of the BLAS and OpenMP libraries that are loaded to :func:`cpu_count`, and restores them; raises none."""
    cpus = cpu_count()
    loaded = ThreadpoolController()
    greedy = [library.filepath for library in loaded.lib_controllers if library.num_threads > cpus]
    with loaded.select(filepath=greedy).limit(limits=cpus):
        yield
