"""Weights from a seed, in the layout that the kernels read.

A matrix w[k, columns] is packed as [tiles][groups][k / 2][16][2]: tiles of 16 · groups columns; in a tile, groups of 16
columns; in a group, pairs of k side by side, the operand of a bfloat16 dot product.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import ml_dtypes
import numpy as np

GROUP = 16  # columns side by side
PAIR = 2  # elements of k side by side


def packed_normal(seed: tuple[int, ...], k: int, columns: int, tile_columns: int) -> np.ndarray:
    """bfloat16 weights of standard deviation 1 / sqrt(k), packed.

    Every tile has a random stream of its own, so the result depends on the seed alone, not on the number of threads.
    """
    packed = np.empty((columns // tile_columns, tile_columns // GROUP, k // PAIR, GROUP, PAIR), dtype=ml_dtypes.bfloat16)
    scale = np.float32(1 / np.sqrt(k))

    def fill(tile: int) -> None:
        generator = np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(tile,))))
        values = generator.standard_normal(packed[tile].shape, dtype=np.float32)
        packed[tile] = np.multiply(values, scale, out=values)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(fill, range(len(packed))))
    return packed


def unpack_tile(tile: np.ndarray) -> np.ndarray:
    """The float32 matrix [k, columns] of one packed tile."""
    groups, pairs, _, _ = tile.shape
    return tile.transpose(1, 3, 0, 2).reshape(pairs * PAIR, groups * GROUP).astype(np.float32)
