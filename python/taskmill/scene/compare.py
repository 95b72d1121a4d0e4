"""How outputs are compared with what they must be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class GoldenMismatch(AssertionError):
    """An output that is not what it must be. ``max_abs_err`` is nan if a value is not a number."""

    def __init__(self, message: str, max_abs_err: float):
        super().__init__(message)
        self.max_abs_err = max_abs_err


class Stage(NamedTuple):
    """One stage of a scene in check mode: what the device computed and what it must be, before rounding."""

    name: str
    actual: np.ndarray
    expected: np.ndarray


@dataclass(frozen=True)
class StageResult:
    """How far a stage was off, beside what it may be off."""

    name: str
    max_abs_err: float
    rms: float
    limit: float

    @property
    def passed(self) -> bool:
        """Whether the largest error is within the limit."""
        return bool(self.max_abs_err <= self.limit)


def compare(name: str, actual: np.ndarray, golden: np.ndarray, rtol: float, atol: float) -> float:
    """The largest absolute error; GoldenMismatch unless every element is within ``atol + rtol * |golden|``.

    A nan equals a nan and an infinity the same infinity.
    """
    if actual.shape != golden.shape:
        raise GoldenMismatch(f"Golden mismatch on '{name}': shape {actual.shape}, golden {golden.shape}", float("nan"))
    a, g = _wide(actual), _wide(golden)
    same = (a == g) | (np.isnan(a) & np.isnan(g))
    with np.errstate(invalid="ignore"):
        error = np.where(same, 0.0, np.abs(a - g))
        within = same | (np.isfinite(error) & (error <= atol + rtol * np.abs(g)))
    largest = float(error.max(initial=0.0))
    if within.all():
        return largest
    wrong = int(np.count_nonzero(~within))
    where = tuple(int(index) for index in np.argwhere(~within)[0])
    raise GoldenMismatch(
        f"Golden mismatch on '{name}': max_abs_err={largest:.6g}, rtol={rtol:g}, atol={atol:g}, {wrong:,} of {a.size:,} elements; "
        f"first at {where}: {a[where]:.9g}, golden {g[where]:.9g}",
        largest,
    )


def compare_stage(stage: Stage, tolerance: float) -> StageResult:
    """Measures a stage against ``tolerance`` times the rms of what it must be. GoldenMismatch for another shape."""
    if np.shape(stage.actual) != np.shape(stage.expected):
        told = f"Stage mismatch: {stage.name}: shape {np.shape(stage.actual)}, must be {np.shape(stage.expected)}"
        raise GoldenMismatch(told, float("nan"))
    expected = _wide(stage.expected)
    rms = float(np.sqrt(np.mean(np.square(expected))))
    error = float(np.abs(_wide(stage.actual) - expected).max())
    return StageResult(stage.name, error, rms, tolerance * rms)


def _wide(array: np.ndarray) -> np.ndarray:
    """Every dtype of the device is exact in float64, but for the integers of 64 bits."""
    array = np.asarray(array)
    return array.astype(np.longdouble if array.dtype.kind in "iu" and array.dtype.itemsize == 8 else np.float64)
