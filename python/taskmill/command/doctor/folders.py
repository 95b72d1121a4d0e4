"""The folders that Taskmill writes to: the cache of compiled kernels and the system's temporary folder."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from ..console import bytes_text, counted
from ..object_cache import cache_entries, cache_folder
from .check import NOTE, OK, PROBLEM, Check

_SPARE_BYTES = 256 << 20


def check_cache() -> Check:
    """A cache that cannot be written costs time, no result: kernels are compiled in every process."""
    advice = "set TASKMILL_CACHE_DIR to a folder that you can write to"
    try:
        folder = cache_folder()
    except LookupError as problem:
        return Check("cache", PROBLEM, str(problem), advice)
    if not _is_writable(folder):
        return Check("cache", NOTE, f"{folder} cannot be written: every process compiles its kernels again", advice)
    entries = list(cache_entries(folder))
    found = f"{folder}, {counted(len(entries), 'entry', 'entries')}, {bytes_text(sum(entry.nbytes for entry in entries))}"
    free = shutil.disk_usage(_existing(folder)).free
    if free < _SPARE_BYTES:
        return Check("cache", NOTE, f"{found}, {bytes_text(free)} free on its disk", "make room there: `taskmill cache clear`")
    return Check("cache", OK, found)


def check_temporary_folder() -> Check:
    """Compilers write here, and compiled objects are loaded from here. ``$TMPDIR``, as the kernel compiler takes it, else /tmp."""
    folder = Path(os.environ.get("TMPDIR") or "/tmp")
    advice = "set TMPDIR to a folder that you can write to, on a file system that lets programs run"
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix="taskmill-doctor-"):
            pass
    except OSError as problem:
        return Check("temporary folder", PROBLEM, f"{folder} cannot be written: {problem.strerror}", advice)
    if os.statvfs(folder).f_flag & os.ST_NOEXEC:
        return Check("temporary folder", PROBLEM, f"{folder} is mounted noexec: compiled kernels cannot be loaded from it", advice)
    free = shutil.disk_usage(folder).free
    if free < _SPARE_BYTES:
        return Check("temporary folder", NOTE, f"{folder} has {bytes_text(free)} free", "make room there, or set TMPDIR")
    return Check("temporary folder", OK, f"{folder}, {bytes_text(free)} free")


def _existing(folder: Path) -> Path:
    """The folder, or the nearest above it that is there."""
    return next((place for place in (folder, *folder.absolute().parents) if place.exists()), Path("/"))


def _is_writable(folder: Path) -> bool:
    place = _existing(folder)
    return place.is_dir() and os.access(place, os.W_OK | os.X_OK)
