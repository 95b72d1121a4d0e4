"""``taskmill explain CODE``."""

from __future__ import annotations

import re
from pathlib import Path

import typer
from rich.console import Console
from rich.markdown import Markdown

from ..errors import ErrorCode, find_code

_ERRORS_PAGE = Path(__file__).parent.parent / "docs" / "errors.md"


def explain(code: str = typer.Argument(..., metavar="CODE", help="An error code: its number or its name.")) -> None:
    """Says what an error code means and what to do about it."""
    row = find_code(code)
    if row is None:
        raise typer.BadParameter(f"there is no error code {code!r}", param_hint="CODE")
    console = Console(highlight=False)
    reserved = "" if row.state == "active" else " (reserved: never raised)"
    console.print(f"{row.number} {row.name}{reserved}: {row.meaning}", soft_wrap=True, markup=False)
    section = _section(row)
    if section:
        console.print(Markdown(section) if console.is_terminal else section, soft_wrap=True, markup=False)


def _section(row: ErrorCode) -> str:
    """What docs/errors.md has below the heading that names the code; "" if the page is not installed."""
    if not _ERRORS_PAGE.is_file():
        return ""
    lines = _ERRORS_PAGE.read_text().splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("#") and re.search(rf"\b{row.name}\b", line)]
    if not starts:
        return ""
    depth = len(lines[starts[0]]) - len(lines[starts[0]].lstrip("#"))
    body = lines[starts[0] + 1 :]
    end = next((i for i, line in enumerate(body) if re.match(rf"#{{1,{depth}}} ", line)), len(body))
    return "\n".join(body[:end]).strip()
