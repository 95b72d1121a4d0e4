"""The folder of compiled kernels as the kernel compiler keeps it (``src/toolchain/object_cache.h``): sizes, uses, removal.

An entry is ``<two digits>/<key>.object`` and is written beside its name, then renamed: it is there whole or not at all. So an entry
may go at any time: a process that has it open keeps its bytes, any other compiles the kernel again.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SHELF = re.compile(r"[0-9a-f]{2}")
_ENTRY = re.compile(r"[0-9a-f]{32}\.object")
_UNFINISHED = re.compile(r"[0-9a-f]{32}\.object\.\w{6}")
_WRITING_SECONDS = 3600  # an unfinished entry that is younger may still be written


@dataclass(frozen=True)
class Entry:
    """A file of the cache. ``used`` is when it was last read or written, in seconds since the epoch, as the file system tells it."""

    path: Path
    nbytes: int
    used: float
    finished: bool  # False: a process ended while it wrote this


def cache_folder() -> Path:
    """$TASKMILL_CACHE_DIR, else $XDG_CACHE_HOME/taskmill, else ~/.cache/taskmill. Raises LookupError if none of the three is set."""
    if folder := os.environ.get("TASKMILL_CACHE_DIR"):
        return Path(folder)
    if caches := os.environ.get("XDG_CACHE_HOME"):
        return Path(caches) / "taskmill"
    if home := os.environ.get("HOME"):
        return Path(home) / ".cache" / "taskmill"
    raise LookupError("no folder for compiled kernels: set TASKMILL_CACHE_DIR, XDG_CACHE_HOME or HOME")


def cache_entries(folder: Path) -> Iterator[Entry]:
    """Files of the cache and no others; links are not followed. Nothing for a folder that is not there. Raises OSError."""
    try:
        shelves = sorted(shelf.path for shelf in os.scandir(folder) if _SHELF.fullmatch(shelf.name) and shelf.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return
    for shelf in shelves:
        for file in os.scandir(shelf):
            finished = _ENTRY.fullmatch(file.name) is not None
            if not (finished or _UNFINISHED.fullmatch(file.name)) or not file.is_file(follow_symlinks=False):
                continue
            try:
                about = file.stat(follow_symlinks=False)
            except FileNotFoundError:  # removed, or renamed to its final name, since it was listed
                continue
            yield Entry(Path(file.path), about.st_size, max(about.st_atime, about.st_mtime), finished)


def removable(entries: list[Entry], older_than_days: float, now: float | None = None) -> list[Entry]:
    """Entries that were not used for so many days. An unfinished one that may still be written is never among them."""
    now = time.time() if now is None else now
    least = older_than_days * 86400
    return [entry for entry in entries if now - entry.used >= (least if entry.finished else max(least, _WRITING_SECONDS))]


def remove(entries: list[Entry]) -> list[Entry]:
    """Removes files and returns those that were still there. Folders stay: others may be about to write in them. Raises OSError."""
    removed = []
    for entry in entries:
        try:
            entry.path.unlink()
        except FileNotFoundError:
            continue
        removed.append(entry)
    return removed
