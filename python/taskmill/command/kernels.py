"""``taskmill kernels FILE``."""

from __future__ import annotations

from pathlib import Path

import typer

from ..kernel_times import kernel_times_of_trace
from .console import output_console, print_json
from .kernels_table import kernels_json, print_kernels


def kernels(
    file: Path = typer.Argument(..., exists=True, dir_okay=False, metavar="FILE", help="What `taskmill run --trace FILE` wrote."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object on standard output."),
) -> None:
    """Shows the ten kernels of a run with the largest total time: how often they ran, their share, mean and longest time."""
    try:
        times = kernel_times_of_trace(file)
    except (OSError, ValueError) as problem:
        raise typer.BadParameter(str(problem), param_hint="FILE") from problem
    if as_json:
        print_json(kernels_json(times))
    else:
        print_kernels(output_console(), times)
