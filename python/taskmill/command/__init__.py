"""The command ``taskmill``."""

from __future__ import annotations

from importlib import metadata

import typer

from . import endings
from .cache import cache, clear
from .devices import devices
from .doctor import doctor
from .explain import explain
from .kernels import kernels
from .run import run

# Help without boxes, at most 80 columns wide, in which examples keep their lines.
_STYLE = {"rich_markup_mode": None, "add_completion": False}

app = typer.Typer(name="taskmill", no_args_is_help=True, pretty_exceptions_enable=False, **_STYLE)
app.command(epilog=endings.RUN, short_help="Runs scene tests and compares their outputs.")(run)
app.command(epilog=endings.KERNELS, short_help="Shows which kernels of a run took the most time.")(kernels)
app.command(epilog=endings.DEVICES, short_help="Lists the platforms and what their devices are.")(devices)
app.command(epilog=endings.DOCTOR, short_help="Checks this machine and says what to do.")(doctor)
app.command(epilog=endings.EXPLAIN, short_help="Says what an error code means and what to do.")(explain)

cache_app = typer.Typer(name="cache", **_STYLE)
cache_app.callback(invoke_without_command=True, epilog=endings.CACHE)(cache)
cache_app.command(epilog=endings.CACHE_CLEAR, short_help="Removes compiled kernels.")(clear)
app.add_typer(cache_app)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"taskmill {metadata.version('taskmill')}")
        raise typer.Exit()


@app.callback(epilog=endings.TASKMILL)
def describe(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
) -> None:
    """Builds and runs graphs of tensor tasks on NPUs, simulated or real."""


def main() -> None:
    """Entry of the command: exit code 0 if all is well, 1 if it is not, 2 for a mistake in its use."""
    app(prog_name="taskmill")
