"""The layer in numpy, float32 products of the unpacked weights and float64 sums elsewhere. It shares no code with the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from decode_inputs import GROUP_HEADS, HEAD_DIM, PAGE_TOKENS, ROWS, Sizes
from qwen3_reference import project, rounded, rows_of_tiles, swiglu
from taskmill.scene import TensorArg

EPSILON = 1e-6


@dataclass
class LayerStages:
    """What `layer` computes: the caches with the new token, the residual stream after attention, the product of w_down."""

    key_cache: np.ndarray
    value_cache: np.ndarray
    residual: np.ndarray
    mlp: np.ndarray


def layer(args: Any, sizes: Sizes) -> LayerStages:
    normalised = rounded(rms_norm(args.x, args.input_norm))
    k, v = keys(normalised, args), project(normalised, args.w_v)
    caches = appended((args.key_cache.copy(), args.value_cache.copy()), k, v, args)
    attended = attention(rounded(queries(normalised, args, sizes)), *caches, args, sizes)
    after = residual(args.x, project(rounded(attended).reshape(ROWS, -1), args.w_o))
    operand = rounded(rms_norm(after, args.attention_norm))
    hidden = rounded(swiglu(project(operand, args.w_gate), project(operand, args.w_up)))
    return LayerStages(*caches, after, project(rows_of_tiles(hidden), args.w_down))


def rms_norm(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """x / sqrt(mean(x²) + ε) · weight over the last axis."""
    wide = x.astype(np.float64)
    scale = 1 / np.sqrt(np.mean(np.square(wide), axis=-1, keepdims=True) + EPSILON)
    return (wide * scale * weight.astype(np.float64)).astype(np.float32)


def rotate(x: np.ndarray, args: Any) -> np.ndarray:
    """Rotary embedding of x[…, 16 rows, …, 128]: complex numbers of element i and element i + 64, times e^(i · angle)."""
    half = HEAD_DIM // 2
    turns = (args.cosines + 1j * args.sines.astype(np.complex128)).reshape(ROWS, *[1] * (x.ndim - 3), half)
    turned = (x[..., :half] + 1j * x[..., half:].astype(np.float64)) * turns
    return np.concatenate([turned.real, turned.imag], axis=-1).astype(np.float32)


def queries(normalised: np.ndarray, args: Any, sizes: Sizes) -> np.ndarray:
    """[heads, 16, 5, 128], normalised and rotated."""
    tiles = project(normalised, args.w_q).reshape(sizes.kv_heads, GROUP_HEADS, ROWS, HEAD_DIM).swapaxes(1, 2)
    return rotate(rms_norm(tiles, args.q_norm), args)


def keys(normalised: np.ndarray, args: Any) -> np.ndarray:
    """[heads, 16, 128], normalised and rotated."""
    return rotate(rms_norm(project(normalised, args.w_k), args.k_norm), args)


def residual(x: np.ndarray, o_tiles: np.ndarray) -> np.ndarray:
    return x.astype(np.float32) + rows_of_tiles(o_tiles)


def new_places(args: Any) -> tuple[np.ndarray, np.ndarray]:
    """Page and slot of each sequence's new token."""
    token = args.lengths - 1
    return args.page_table[np.arange(ROWS), token // PAGE_TOKENS], token % PAGE_TOKENS


def new_tokens(args: Any) -> tuple[TensorArg, TensorArg]:
    """The new tokens in the caches, copies: keys [16, heads, 64, 2], values [heads, 16, 128]."""
    page, slot = new_places(args)
    return TensorArg("new_keys", args.key_cache[:, page, :, slot, :]), TensorArg("new_values", args.value_cache[:, page, slot, :])


def appended(caches: tuple[np.ndarray, np.ndarray], k: np.ndarray, v: np.ndarray, args: Any) -> tuple[np.ndarray, np.ndarray]:
    """The caches, changed in place, with the new token of each sequence."""
    page, slot = new_places(args)
    caches[0][:, page, :, slot, :] = rounded(k).reshape(-1, ROWS, HEAD_DIM // 2, 2).swapaxes(0, 1)
    caches[1][:, page, slot, :] = rounded(v)
    return caches


def differing(caches: tuple[np.ndarray, np.ndarray], others: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """How many elements of each cache differ from the other's in any bit."""
    pairs = zip(caches, others, strict=True)
    return np.array([np.count_nonzero(a.view(np.uint16) != b.view(np.uint16)) for a, b in pairs], dtype=np.float64)


def changed_elsewhere(args: Any, golden: Any) -> list[int]:
    """How many elements of each cache differ, those of the new tokens aside."""
    caches, others = (args.key_cache, args.value_cache), (golden.key_cache, golden.value_cache)
    new = zip(new_tokens(args), new_tokens(golden), strict=True)
    of_new = [np.count_nonzero(a.value.view(np.uint16) != b.value.view(np.uint16)) for a, b in new]
    return [int(count) - of for count, of in zip(differing(caches, others), of_new, strict=True)]


def attention(q: np.ndarray, key_cache: np.ndarray, value_cache: np.ndarray, args: Any, sizes: Sizes) -> np.ndarray:
    """[16, heads, 5, 128]: softmax(q · kᵀ / √128) · v over the tokens of each sequence."""
    out = np.empty((ROWS, sizes.kv_heads, GROUP_HEADS, HEAD_DIM), dtype=np.float32)
    for row in range(ROWS):
        length = int(args.lengths[row])
        pages = args.page_table[row, : -(-length // PAGE_TOKENS)]
        for head in range(sizes.kv_heads):
            k = key_cache[head, pages].astype(np.float32).transpose(0, 2, 1, 3).reshape(-1, HEAD_DIM)[:length]
            v = value_cache[head, pages].astype(np.float32).reshape(-1, HEAD_DIM)[:length]
            scores = q[head, row].astype(np.float32) @ k.T / np.float32(np.sqrt(HEAD_DIM))
            weights = np.exp(scores - scores.max(axis=1, keepdims=True), dtype=np.float64)
            out[row, head] = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32) @ v
    return out
