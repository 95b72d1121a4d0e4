"""Standard output of commands: text and tables for people, one JSON object for programs."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

_UNBROKEN = 1000  # columns of a pipe: no row of a table is broken


def output_console() -> Console:
    """Standard output, in colour only on a terminal and only without NO_COLOR; lines of a pipe are not broken."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _UNBROKEN)


def plain_table(*columns: str, right: tuple[str, ...] = ()) -> Table:
    """A table without lines; the columns in ``right`` hold numbers."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return table


def print_table(console: Console, table: Table) -> None:
    """Prints a table; a pipe gets no blanks at the ends of lines."""
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        console.print(line.rstrip(), markup=False, soft_wrap=True)


def print_json(value: dict[str, Any]) -> None:
    json.dump(value, sys.stdout, allow_nan=False)
    sys.stdout.write("\n")


def text(value: object, style: str = "") -> Text:
    """A cell as it is: brackets in it are no markup."""
    return Text(str(value), style=style)


def bytes_text(count: int) -> str:
    """1,536 is "1.5 KiB"."""
    size, units = float(count), ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while size >= 1024 and len(units) > 1:
        size, units = size / 1024, units[1:]
    return f"{size:,.0f} {units[0]}" if units[0] == "bytes" else f"{size:,.1f} {units[0]}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """ "1 entry", "2 entries"."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
