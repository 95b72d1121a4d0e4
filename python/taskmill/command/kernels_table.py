"""The ten kernels that a run spends most time in, for people and for programs."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from ..kernel_times import KernelTimes
from .console import counted, plain_table, print_table, text

LONGEST = 10
_NUMBERS = ("count", "total", "share", "mean", "longest")


def kernels_json(times: KernelTimes) -> dict[str, Any]:
    """For programs: the ten, how many kernels there are, how many spans are in no figure."""
    longest = [
        {
            "name": kernel.name,
            "count": kernel.count,
            "total_ms": kernel.total_ns / 1e6,
            "share": kernel.share,
            "mean_ms": kernel.mean_ns / 1e6,
            "longest_ms": kernel.longest_ns / 1e6,
        }
        for kernel in times.kernels[:LONGEST]
    ]
    return {"longest": longest, "kernels": len(times.kernels), "dropped_spans": times.dropped_spans}


def print_kernels(console: Console, times: KernelTimes, title: str = "") -> None:
    """For people: a table of the ten, then what the others amount to."""
    table = plain_table("kernel", *_NUMBERS, right=_NUMBERS)
    for kernel in times.kernels[:LONGEST]:
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
    others = times.kernels[LONGEST:]
    if others:
        console.print(f"and {counted(len(others), 'other kernel')}, {100 * sum(kernel.share for kernel in others):.1f} % of the time")
    if times.dropped_spans:
        console.print(f"{counted(times.dropped_spans, 'span')} found no room in the timeline and count nowhere")
