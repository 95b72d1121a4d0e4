"""The layer in numpy: float32 matrix products of the unpacked weights. It shares no code with the kernels."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from qwen3_weights import unpack_tile


def project(x: np.ndarray, packed: np.ndarray) -> np.ndarray:
    """x[16, k] · w as tiles [tiles, 16, columns] of float32."""
    wide = x.astype(np.float32)
    return np.stack([wide @ unpack_tile(tile) for tile in packed])


def swiglu(gate: np.ndarray, up: np.ndarray) -> np.ndarray:
    """silu(gate) · up, evaluated in float64."""
    gate, up = gate.astype(np.float64), up.astype(np.float64)
    return (gate / (1 + np.exp(-gate)) * up).astype(np.float32)


def rows_of_tiles(tiles: np.ndarray) -> np.ndarray:
    """[tiles, 16, columns] -> [16, tiles · columns]."""
    return np.concatenate(list(tiles), axis=1)


def interleave_tiles(tiles: np.ndarray) -> np.ndarray:
    """[tiles, 16, columns] -> [tiles, columns / 2, 16, 2]."""
    count, rows, columns = tiles.shape
    return np.ascontiguousarray(tiles.reshape(count, rows, columns // 2, 2).transpose(0, 2, 1, 3))


def rounded(values: np.ndarray) -> np.ndarray:
    return values.astype(ml_dtypes.bfloat16)
