"""What came of one case."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

from ..kernel_times import KernelTimes
from .compare import StageResult

PHASES = ("prepare", "copy_in", "execute", "copy_back")
ROOMS = ("task_slots", "argument_lines", "heap_bytes", "edge_nodes")


@dataclass
class SceneResult:
    """What came of one case. ``error`` is empty if it passed; ``max_abs_err`` is None unless outputs were compared."""

    name: str
    platform: str
    status: str = "error"  # "passed", "failed" (outputs differ) or "error" (no outputs)
    max_abs_err: float | None = None
    tasks: int = 0
    rounds: list[dict[str, float]] = field(default_factory=list)  # ms per phase
    threads_peak: int = 0  # of the device since it was opened, as peak_bytes
    peak_bytes: int = 0
    rings: list[dict[str, dict[str, int]]] = field(default_factory=list)  # by scope depth; room -> peak, size, enough
    kernels: KernelTimes | None = None  # of the last round, if asked for
    stages: list[StageResult] = field(default_factory=list)
    error: str = ""
    details: str = ""  # a traceback, if Python code raised: of a hook, its own frames

    @property
    def phases_ms(self) -> dict[str, float]:
        """The median of each phase over the rounds."""
        return {phase: statistics.median([r[phase] for r in self.rounds] or [0.0]) for phase in PHASES}
