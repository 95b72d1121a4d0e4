"""``taskmill explain [CODE]``."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import typer
from rich.markdown import Markdown

from ..errors import ERROR_CODES, ErrorCode, find_code
from .console import output_console, plain_table, print_table, text

_ERRORS_PAGE = Path(__file__).parent.parent / "docs" / "errors.md"
_CLOSEST = 3


def explain(
    code: str = typer.Argument("", metavar="CODE", show_default=False, help="An error code, by number or name; without it all are listed."),
) -> None:
    """Says what an error code means and what to do about it; without CODE, lists them all."""
    if not code:
        _print_all()
        return
    row = find_code(code)
    if row is None:
        raise typer.BadParameter(f"there is no error code {code!r}; {_advice(code)}", param_hint="CODE")
    console = output_console()
    reserved = "" if row.state == "active" else " (reserved: never raised)"
    piped = not console.is_terminal
    console.print(f"{row.number} {row.name}{reserved}: {row.meaning}", soft_wrap=piped, markup=False)
    section = _section(row)
    if section:
        console.print(section if piped else Markdown(section), soft_wrap=piped, markup=False)


def _print_all() -> None:
    table = plain_table("code", "name", "meaning", right=("code",))
    for row in ERROR_CODES:
        if row.state == "active":
            table.add_row(str(row.number), row.name, text(row.meaning))
    print_table(output_console(), table)


def _advice(code: str) -> str:
    near = closest_names(code)
    return f"the closest: {', '.join(near)}" if near else "`taskmill explain` lists them"


def closest_names(code: str) -> list[str]:
    """Codes that a mistyped one may mean, at most three: names that contain it, then names and numbers that resemble it."""
    wanted = code.strip().lower()
    names = {row.name.lower(): row.name for row in ERROR_CODES}
    numbers = {str(row.number): f"{row.number} {row.name}" for row in ERROR_CODES}
    holding = [row.name for row in ERROR_CODES if wanted and wanted in row.name.lower()]
    known = numbers if wanted.isdigit() else names
    alike = [known[match] for match in difflib.get_close_matches(wanted, known, n=_CLOSEST, cutoff=0.5)]
    return list(dict.fromkeys(holding + alike))[:_CLOSEST]


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
