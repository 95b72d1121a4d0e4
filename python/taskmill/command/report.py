"""Results of scenes for people (a table on standard error) and for programs (JSON)."""

from __future__ import annotations

import math
import sys
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..scene import SceneResult
from ..scene.result import ROOMS
from .kernels_table import kernels_json, print_kernels

_STYLES = {"passed": "green", "failed": "bold red", "error": "bold red"}
_PIPED_WIDTH = 160


def error_console() -> Console:
    """Standard error, without colours and of fixed width unless it is a terminal."""
    return Console(stderr=True, highlight=False, width=None if sys.stderr.isatty() else _PIPED_WIDTH)


def print_results(console: Console, results: list[SceneResult], verbose: bool) -> None:
    """The result table, then what went wrong."""
    console.print(_table(results))
    for result in results:
        if verbose:
            _print_details(console, result)
        if result.kernels is not None:
            print_kernels(console, result.kernels, f"kernels of {result.name} on {result.platform}")
        if result.error:
            console.print(f"{result.name} on {result.platform}: {result.error}", markup=False, soft_wrap=True)
        if verbose and result.details:
            console.print(result.details, markup=False, soft_wrap=True)


def _table(results: list[SceneResult]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("scene", overflow="fold")
    table.add_column("platform")
    table.add_column("status")
    for column in ("max abs err", "tasks", "prepare", "copy in", "execute", "copy back", "device memory"):
        table.add_column(column, justify="right")
    for result in results:
        phases = [f"{ms:,.1f} ms" for ms in result.phases_ms.values()]
        table.add_row(
            Text(result.name),
            result.platform,
            Text(result.status, style=_STYLES[result.status]),
            "-" if result.max_abs_err is None else f"{result.max_abs_err:.3g}",
            f"{result.tasks:,}",
            *phases,
            f"{result.peak_bytes / 2**20:,.1f} MiB",
        )
    return table


def _print_details(console: Console, result: SceneResult) -> None:
    for stage in result.stages:
        verdict = "passed" if stage.passed else "failed"
        measured = f"max abs err {stage.max_abs_err:.3g}, limit {stage.limit:.3g}, rms {stage.rms:.3g}"
        console.print(f"{result.name} stage {stage.name}: {verdict}, {measured}", markup=False, soft_wrap=True)
    if any(_is_used(ring) for ring in result.rings):
        console.print(_ring_table(result))


def _is_used(ring: dict[str, dict[str, int]]) -> bool:
    return ring["task_slots"]["peak"] > 0


def _ring_table(result: SceneResult) -> Table:
    """A row per scope depth that made tasks: peak of size, and what would have been enough."""
    table = Table(box=None, pad_edge=False, title=f"rings of {result.name}: peak of size (enough)", title_justify="left")
    table.add_column("scope depth")
    for room in ROOMS:
        table.add_column(room.replace("_", " "), justify="right")
    for depth, ring in enumerate(result.rings):
        if not _is_used(ring):
            continue
        uses = [f"{use['peak']:,} of {use['size']:,} ({use['enough']:,})" for use in (ring[room] for room in ROOMS)]
        table.add_row("3 and deeper" if depth == len(result.rings) - 1 else str(depth), *uses)
    return table


def to_json(result: SceneResult, verbose: bool) -> dict[str, Any]:
    """The object of a scene. A number that JSON has no word for (nan, infinity) is null."""
    scene: dict[str, Any] = {
        "name": result.name,
        "platform": result.platform,
        "status": result.status,
        "max_abs_err": _finite(result.max_abs_err),
        "tasks": result.tasks,
        "phases_ms": result.phases_ms,
        "threads_peak": result.threads_peak,
        "peak_bytes": result.peak_bytes,
        "rounds": result.rounds,
    }
    if result.error:
        scene["error"] = result.error
    if result.stages:
        scene["stages"] = [
            {
                "name": s.name,
                "passed": s.passed,
                "max_abs_err": _finite(s.max_abs_err),
                "rms": _finite(s.rms),
                "limit": _finite(s.limit),
            }
            for s in result.stages
        ]
    if result.kernels is not None:
        scene["kernels"] = kernels_json(result.kernels)
    if verbose:
        scene["rings"] = result.rings
    return scene


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
