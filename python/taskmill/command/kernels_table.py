"""Which kernels a run spends its time in: a table of the ten with the largest total time.

Takes the spans of a traced run (``RunReport.spans``) or a file that ``RunReport.write_trace`` wrote.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from .._taskmill import TraceSpan
from .console import counted, plain_table, print_table, text

LONGEST = 10
_CORES = ("AIC ", "AIV ")  # lanes of the timeline on which kernels run; what they record is kernels


@dataclass(frozen=True)
class KernelTime:
    """The tasks of one kernel in one run. ``share`` is ``total_ns`` of the total of all kernels, 0 to 1."""

    name: str
    count: int
    total_ns: int
    share: float
    longest_ns: int

    @property
    def mean_ns(self) -> float:
        return self.total_ns / self.count


def kernel_times(spans: Iterable[TraceSpan]) -> list[KernelTime]:
    """All kernels of a run by total time, the longest first."""
    return _rank((span.name, span.end_ns - span.start_ns) for span in spans if span.lane.startswith(_CORES))


def kernel_times_of_trace(file: Path) -> list[KernelTime]:
    """The same, of a file that ``RunReport.write_trace`` wrote. Raises OSError, and ValueError for another kind of file."""
    events = _events(file)
    lanes = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event.get("name") == "thread_name"}
    spans = (event for event in events if event.get("ph") == "X")
    on_cores = (span for span in spans if lanes.get((span["pid"], span["tid"]), "").startswith(_CORES))
    return _rank((span["name"], round(span["dur"] * 1000)) for span in on_cores)


def _events(file: Path) -> list[dict[str, Any]]:
    try:
        return json.loads(file.read_text())["traceEvents"]
    except (ValueError, KeyError, TypeError) as problem:
        raise ValueError(f"{file} is not a trace that a run wrote: it has no traceEvents") from problem


def _rank(durations: Iterable[tuple[str, int]]) -> list[KernelTime]:
    by_name: dict[str, list[int]] = defaultdict(list)
    for name, ns in durations:
        by_name[name].append(ns)
    everything = sum(map(sum, by_name.values()))
    times = [
        KernelTime(name, len(all_ns), sum(all_ns), sum(all_ns) / everything if everything else 0.0, max(all_ns))
        for name, all_ns in by_name.items()
    ]
    return sorted(times, key=lambda kernel: (-kernel.total_ns, kernel.name))


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
