"""``taskmill cache`` and ``taskmill cache clear``."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import typer

from .console import bytes_text, counted, output_console, plain_table, print_json, print_table, text
from .object_cache import Entry, cache_entries, cache_folder, remove, removable


def cache(
    context: typer.Context, as_json: bool = typer.Option(False, "--json", help="Print one JSON object on standard output.")
) -> None:
    """Shows the cache of compiled kernels, or clears it."""
    if context.invoked_subcommand is not None:
        return
    folder, entries = _look()
    facts = _facts(folder, entries)
    if as_json:
        print_json(facts)
    else:
        _print(facts, folder)


def clear(
    older_than: float = typer.Option(0, "--older-than", metavar="DAYS", min=0, help="Only what was not used for so many days."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Do not ask. Without a terminal nobody is asked anyway."),
) -> None:
    """Removes compiled kernels; they are compiled again when they are needed.

    Safe at any time: a process that is compiling or loading meanwhile compiles the kernel again.
    """
    folder, entries = _look()
    chosen = removable(entries, older_than)
    if chosen and not yes and sys.stdin.isatty() and sys.stderr.isatty():
        typer.confirm(f"Remove {_amount(chosen)} from {folder}?", abort=True, err=True)
    try:
        removed = remove(chosen)
    except OSError as problem:
        _fail(problem)
    kept = len(entries) - len(chosen)
    output_console().print(f"removed {_amount(removed)}; {kept:,} kept", markup=False, soft_wrap=True)


def _look() -> tuple[Path, list[Entry]]:
    try:
        folder = cache_folder()
        return folder, list(cache_entries(folder))
    except (LookupError, OSError) as problem:
        _fail(problem)


def _fail(problem: Exception) -> None:
    typer.echo(f"Error: {problem}", err=True)
    raise typer.Exit(1) from problem


def _amount(entries: list[Entry]) -> str:
    return f"{counted(len(entries), 'entry', 'entries')} ({bytes_text(sum(entry.nbytes for entry in entries))})"


def _facts(folder: Path, entries: list[Entry]) -> dict[str, Any]:
    uses = [entry.used for entry in entries]
    return {
        "folder": str(folder),
        "entries": len(entries),
        "bytes": sum(entry.nbytes for entry in entries),
        "oldest_use": _iso(min(uses)) if uses else None,
        "newest_use": _iso(max(uses)) if uses else None,
    }


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")


def _when(use: str | None) -> str:
    """A use for people; days are what --older-than counts."""
    if use is None:
        return "-"
    moment = datetime.fromisoformat(use)
    days = (datetime.now().astimezone() - moment).days
    return f"{moment:%Y-%m-%d %H:%M}, {counted(days, 'day')} ago" if days > 0 else f"{moment:%Y-%m-%d %H:%M}"


def _print(facts: dict[str, Any], folder: Path) -> None:
    table = plain_table("", "")
    table.show_header = False
    rows = {
        "folder": facts["folder"],
        "entries": f"{facts['entries']:,}",
        "size": bytes_text(facts["bytes"]),
        "oldest use": _when(facts["oldest_use"]),
        "newest use": _when(facts["newest_use"]),
    }
    for name, value in rows.items():
        table.add_row(name, text(value))
    console = output_console()
    print_table(console, table)
    if facts["entries"] and os.statvfs(folder).f_flag & os.ST_NOATIME:
        console.print("This file system does not record when a file is read: uses are the times of compiling.", soft_wrap=True)
