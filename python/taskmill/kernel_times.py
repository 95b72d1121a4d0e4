"""How much time each kernel of a run took, from the spans of a traced run (``RunReport.spans``) or from a file that
``RunReport.write_trace`` wrote.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._taskmill import TraceSpan

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
