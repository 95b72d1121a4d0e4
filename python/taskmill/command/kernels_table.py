"""The ten kernels that a run spends most time in, for people and for programs."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from ..kernel_times import KernelTime
from .console import counted, plain_table, print_table, text

LONGEST = 10


def kernels_json(times: list[KernelTime], dropped_spans: int = 0) -> dict[str, Any]:
    """The ten longest for programs. ``dropped_spans`` tasks are in no figure."""
    longest = [
        {
            "name": kernel.name,
            "count": kernel.count,
            "total_ms": kernel.total_ns / 1e6,
            "share": kernel.share,
            "mean_ms": kernel.mean_ns / 1e6,
            "longest_ms": kernel.longest_ns / 1e6,
        }
        for kernel in times[:LONGEST]
    ]
    return {"longest": longest, "kernels": len(times), "dropped_spans": dropped_spans}


def print_kernels(console: Console, times: list[KernelTime], title: str = "", dropped_spans: int = 0) -> None:
    """The table of the ten longest, and how many others there are."""
    table = plain_table("kernel", "count", "total", "share", "mean", "longest", right=("count", "total", "share", "mean", "longest"))
    for kernel in times[:LONGEST]:
        table.add_row(
            text(kernel.name),
            f"{kernel.count:,}",
            f"{kernel.total_ns / 1e6:,.2f} ms",
            f"{100 * kernel.share:.1f} %",
            f"{kernel.mean_ns / 1e6:,.3f} ms",
            f"{kernel.longest_ns / 1e6:,.3f} ms",
        )
    if title:
        console.print(title, markup=False, soft_wrap=True)
    print_table(console, table)
    rest = times[LONGEST:]
    if rest:
        console.print(f"and {counted(len(rest), 'other kernel')}, {100 * sum(kernel.share for kernel in rest):.1f} % of the time")
    if dropped_spans:
        console.print(f"{counted(dropped_spans, 'task')} did not fit into the timeline and are not counted")
