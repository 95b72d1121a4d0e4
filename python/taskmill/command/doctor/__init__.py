"""``taskmill doctor``."""

from __future__ import annotations

from dataclasses import asdict

import typer

from ..console import counted, output_console, plain_table, print_json, print_table, text
from .check import NOTE, OK, PROBLEM, Check
from .checks import run_checks

__all__ = ["Check", "doctor", "run_checks"]

_STYLES = {OK: "green", NOTE: "yellow", PROBLEM: "bold red"}


def doctor(as_json: bool = typer.Option(False, "--json", help="Print one JSON object on standard output.")) -> None:
    """Checks compiler, packages, CPU, memory, limits and cache, and says what to do about each finding."""
    found = run_checks()
    problems = [check for check in found if check.state == PROBLEM]
    notes = [check for check in found if check.state == NOTE]
    if as_json:
        print_json({"checks": [asdict(check) for check in found], "problems": len(problems), "notes": len(notes)})
    else:
        _print(found)
        output_console().print(f"\n{counted(len(problems), 'problem')}, {counted(len(notes), 'note')}")
    raise typer.Exit(1 if problems else 0)


def _print(found: list[Check]) -> None:
    table = plain_table("", "", "")
    table.show_header = False
    for check in found:
        table.add_row(text(check.state, _STYLES[check.state]), check.name, text(check.found))
        if check.advice:
            table.add_row("", "", text(f"-> {check.advice}"))
    print_table(output_console(), table)
