"""The command ``taskmill``."""

from __future__ import annotations

import typer

from .explain import explain
from .run import run

app = typer.Typer(name="taskmill", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.command()(run)
app.command()(explain)


@app.callback()
def describe() -> None:
    """Builds and runs graphs of tensor tasks on NPUs, simulated or real."""


def main() -> None:
    """Entry of the command: exit code 0 if all is well, 1 if a scene failed, 2 for a mistake in its use."""
    app()
