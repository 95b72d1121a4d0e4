"""How much time each kernel of a run took: from the report of a traced run, or from the timeline that it wrote to a file."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._taskmill import RunReport

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
        """Of one task, in ns."""
        return self.total_ns / self.count


@dataclass(frozen=True)
class KernelTimes:
    """All kernels of a run by total time, the longest first. ``dropped_spans`` found no room in the timeline and count nowhere."""

    kernels: list[KernelTime]
    dropped_spans: int = 0


def kernel_times(report: RunReport) -> KernelTimes:
    """Of a run with ``RunConfig(trace=True)``; one without has no kernels here."""
    on_cores = (span for span in report.spans if span.lane.startswith(_CORES))
    return KernelTimes(_rank((span.name, span.end_ns - span.start_ns) for span in on_cores), report.dropped_spans)


def kernel_times_of_trace(file: Path) -> KernelTimes:
    """The same, from a file that ``RunReport.write_trace`` wrote. Raises OSError, and ValueError for another kind of file."""
    try:
        trace = json.loads(file.read_text())
        return KernelTimes(_rank(_durations(trace["traceEvents"])), int(trace["otherData"]["dropped_spans"]))
    except (ValueError, LookupError, TypeError, AttributeError) as problem:
        raise ValueError(f"{file} is not a timeline that a run wrote") from problem


def _durations(events: list[dict[str, Any]]) -> Iterator[tuple[str, int]]:
    """Name and ns of each span on a core; the file counts in microseconds."""
    named = (event for event in events if event["ph"] == "M" and event["name"] == "thread_name")
    lanes = {(event["pid"], event["tid"]): event["args"]["name"] for event in named}
    for event in events:
        if event["ph"] == "X" and lanes[event["pid"], event["tid"]].startswith(_CORES):
            yield event["name"], round(event["dur"] * 1000)


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
