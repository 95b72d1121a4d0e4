"""Sizes of the layer, and its inputs from a seed."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "qwen3_mlp"))
from qwen3_weights import packed_normal  # noqa: E402

ROWS = 16  # sequences
GROUP_HEADS = 5  # query heads of a KV head
HEAD_DIM = 128
PAGE_TOKENS = 128
ROTARY_BASE = 1_000_000.0
TILES = {"head": HEAD_DIM, "o": 128, "mlp": 256, "down": 64}  # columns of a tile of weights


@dataclass(frozen=True)
class Sizes:
    hidden: int
    kv_heads: int
    intermediate: int
    context: int  # tokens of the longest sequence, the new one included
    ragged: bool  # not all sequences are of that length

    @staticmethod
    def of(params: Mapping[str, Any]) -> Sizes:
        """Raises ValueError for sizes that are no whole tiles."""
        sizes = Sizes(params["hidden"], params["kv_heads"], params["intermediate"], params["context"], params["ragged"])
        for name, value, tile in (("hidden", sizes.hidden, TILES["o"]), ("intermediate", sizes.intermediate, TILES["mlp"])):
            if value <= 0 or value % tile:
                raise ValueError(f"{name} must be a multiple of {tile}, got {value}")
        if sizes.kv_heads < 1 or sizes.context < 1:
            raise ValueError(f"kv_heads and context must be at least 1, got {sizes.kv_heads} and {sizes.context}")
        return sizes

    @property
    def sequence_pages(self) -> int:
        return -(-self.context // PAGE_TOKENS)

    @property
    def pages(self) -> int:
        return ROWS * self.sequence_pages

    @property
    def attention_width(self) -> int:
        return self.kv_heads * GROUP_HEADS * HEAD_DIM

    def stage_shapes(self) -> dict[str, tuple[int, ...]]:
        wide = (self.intermediate // TILES["mlp"], ROWS, TILES["mlp"])
        head = (self.kv_heads, ROWS, HEAD_DIM)
        return {
            "normalised": (ROWS, self.hidden),
            "q": (self.kv_heads, ROWS, GROUP_HEADS, HEAD_DIM),
            "k": head,
            "v": head,
            "attention": (ROWS, self.kv_heads, GROUP_HEADS, HEAD_DIM),
            "o": (self.hidden // TILES["o"], ROWS, TILES["o"]),
            "residual": (ROWS, self.hidden),
            "mlp_normalised": (ROWS, self.hidden),
            "gate": wide,
            "up": wide,
            "hidden": wide,
            "mlp": (self.hidden // TILES["down"], ROWS, TILES["down"]),
        }


def make_inputs(sizes: Sizes, seed: int) -> dict[str, np.ndarray]:
    """The layer's inputs by name, in the order of its signature.

    Every sequence has the full context; if it is ragged every fourth one has, and the others are shorter by up to a page. Pages
    are scattered over the cache; tokens that do not exist yet are nan.
    """
    generator = np.random.default_rng((seed, 0))
    hidden, width = sizes.hidden, sizes.attention_width
    missing = generator.integers(0, PAGE_TOKENS, ROWS) * (sizes.ragged & (np.arange(ROWS) % 4 != 0))
    lengths = np.maximum(1, sizes.context - missing).astype(np.int32)
    page_table = generator.permutation(sizes.pages).astype(np.int32).reshape(ROWS, sizes.sequence_pages)
    angles = (lengths - 1)[:, None] * ROTARY_BASE ** (-np.arange(HEAD_DIM // 2) / (HEAD_DIM // 2))
    key_cache, value_cache = _caches(sizes, seed, page_table, lengths)

    def weights(stream: int, k: int, columns: int, tile: str) -> np.ndarray:
        return packed_normal((seed, stream), k, columns, TILES[tile])

    return {
        "x": _rounded(generator.standard_normal((ROWS, hidden), dtype=np.float32)),
        "input_norm": _norm_weight(generator, hidden),
        "w_q": weights(1, hidden, width, "head"),
        "w_k": weights(2, hidden, width // GROUP_HEADS, "head"),
        "w_v": weights(3, hidden, width // GROUP_HEADS, "head"),
        "q_norm": _norm_weight(generator, HEAD_DIM),
        "k_norm": _norm_weight(generator, HEAD_DIM),
        "cosines": np.cos(angles).astype(np.float32),
        "sines": np.sin(angles).astype(np.float32),
        "page_table": page_table,
        "lengths": lengths,
        "w_o": weights(4, width, hidden, "o"),
        "attention_norm": _norm_weight(generator, hidden),
        "w_gate": weights(5, hidden, sizes.intermediate, "mlp"),
        "w_up": weights(6, hidden, sizes.intermediate, "mlp"),
        "w_down": weights(7, sizes.intermediate, hidden, "down"),
        "key_cache": key_cache,
        "value_cache": value_cache,
    }


def _rounded(values: np.ndarray) -> np.ndarray:
    return values.astype(ml_dtypes.bfloat16)


def _norm_weight(generator: np.random.Generator, count: int) -> np.ndarray:
    return _rounded(generator.uniform(0.5, 1.5, count).astype(np.float32))


def _caches(sizes: Sizes, seed: int, page_table: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Keys [heads, pages, 64, 128 tokens, 2] and values [heads, pages, 128 tokens, 128] of all tokens but the new ones."""
    shape = (sizes.kv_heads, sizes.pages, PAGE_TOKENS, HEAD_DIM)
    caches = [np.empty(shape, dtype=ml_dtypes.bfloat16) for _ in range(2)]

    def fill(head: int) -> None:
        stream = np.random.Generator(np.random.SFC64(np.random.SeedSequence((seed, 8), spawn_key=(head,))))
        for cache in caches:
            for page in range(sizes.pages):
                cache[head, page] = stream.standard_normal(shape[2:], dtype=np.float32)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(fill, range(sizes.kv_heads)))
    keys = caches[0].reshape(shape[0], shape[1], HEAD_DIM // 2, PAGE_TOKENS, 2)
    values = caches[1]
    for pages, length in zip(page_table, lengths, strict=True):
        for place, page in enumerate(pages):
            used = np.clip(int(length) - 1 - place * PAGE_TOKENS, 0, PAGE_TOKENS)
            keys[:, page, :, used:, :] = np.nan
            values[:, page, used:, :] = np.nan
    return keys, values
