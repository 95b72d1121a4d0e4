"""One decode step of attention over a paged KV cache: bfloat16 in and out, float32 sums."""

import ml_dtypes
import numpy as np
from taskmill.scene import In, Out, Scalar, SceneTestCase, TaskArgsBuilder, TensorArg, scene_test

PLATFORMS = ["a2a3sim", "a5sim"]
DIM_STEP = 32  # elements that the kernels take at once
SPARE_PAGES = 7  # of the cache, in no sequence
NO_PAGE = -1  # in the page table, beyond a sequence's last page

# Qwen3-14B: 40 query heads share 8 KV heads of 128.
QWEN3_14B = {"heads": 40, "kv_heads": 8, "dim": 128, "page_tokens": 128, "block_pages": 7, "task_heads": 2, "seed": 14}
# One token, whole pages, whole blocks (896 tokens), one token less and one more.
RAGGED = [1, 2, 127, 128, 129, 895, 896, 897, 1024, 1791, 1792, 2048, 2500, 3001, 3456, 3500]


def pages_of(tokens, page_tokens):
    return -(-tokens // page_tokens)


def check(params):
    """Raises ValueError for sizes that do not fit together."""
    for name in ("kv_heads", "page_tokens", "block_pages", "task_heads"):
        if params[name] < 1:
            raise ValueError(f"{name} must be at least 1, got {params[name]}")
    lengths = params["lengths"]
    if not isinstance(lengths, list) or not lengths or min(lengths) < 1:
        raise ValueError(f"lengths must be a list of one number per sequence, each at least 1, got {lengths}")
    if params["heads"] < 1 or params["heads"] % params["kv_heads"]:
        raise ValueError(f"heads must be a multiple of kv_heads, got {params['heads']} and {params['kv_heads']}")
    if params["dim"] < 1 or params["dim"] % DIM_STEP:
        raise ValueError(f"dim must be a multiple of {DIM_STEP}, got {params['dim']}")


def scattered_pages(generator, lengths, page_tokens):
    """A page table [batch, most pages] that deals out the pages of a cache in random order, and the cache's number of pages."""
    counts = [pages_of(length, page_tokens) for length in lengths]
    total = sum(counts) + SPARE_PAGES
    order = iter(generator.permutation(total))
    table = np.full((len(lengths), max(counts)), NO_PAGE, dtype=np.int32)
    for row, count in zip(table, counts, strict=True):
        row[:count] = [next(order) for _ in range(count)]
    return table, total


def filled_cache(generator, table, total, params):
    """Normal values where a sequence has a token, nan in every other slot."""
    kv_heads, page_tokens, dim = params["kv_heads"], params["page_tokens"], params["dim"]
    cache = np.full((total, kv_heads, page_tokens, dim), np.nan, dtype=ml_dtypes.bfloat16)
    for row, length in zip(table, params["lengths"], strict=True):
        for place, page in enumerate(row[: pages_of(length, page_tokens)]):
            used = min(page_tokens, length - place * page_tokens)
            cache[page, :, :used] = generator.standard_normal((kv_heads, used, dim), dtype=np.float32)
    return cache


def tokens_of(cache, pages, length):
    """The rows of a sequence as float64 [kv_heads, length, dim]."""
    _, kv_heads, _, dim = cache.shape
    return cache[pages].transpose(1, 0, 2, 3).reshape(kv_heads, -1, dim)[:, :length].astype(np.float64)


@scene_test(level=2, runtime="tensormap_and_ringbuffer")
class PagedAttention(SceneTestCase):
    CALLABLE = {
        "orchestration": {
            "source": "orchestration.cpp",
            "function_name": "paged_attention",
            "signature": [In, In, In, In, In, Out],  # q, k_cache, v_cache, page_table, lengths, out
        },
        "incores": [
            {"func_id": 0, "name": "scores", "source": "kernels/scores.cpp", "core_type": "aic"},
            {"func_id": 1, "name": "softmax", "source": "kernels/softmax.cpp", "core_type": "aiv"},
            {"func_id": 2, "name": "values", "source": "kernels/values.cpp", "core_type": "aic"},
            {"func_id": 3, "name": "merge", "source": "kernels/merge.cpp", "core_type": "aiv"},
        ],
    }
    CASES = [
        {"name": name, "platforms": PLATFORMS, "params": {**QWEN3_14B, "lengths": lengths}, "config": {"heap_bytes": 4 << 20}}
        for name, lengths in (("batch_16", [3500] * 16), ("ragged", RAGGED))
    ]
    # The device and the reference round to bfloat16 what differs by float32 rounding: they are at most one step apart.
    RTOL = 2.0**-7
    ATOL = 1e-5

    def generate_args(self, params):
        check(params)
        generator = np.random.Generator(np.random.SFC64(params["seed"]))
        shape = len(params["lengths"]), params["heads"], params["dim"]
        table, total = scattered_pages(generator, params["lengths"], params["page_tokens"])
        return TaskArgsBuilder(
            TensorArg("q", generator.standard_normal(shape, dtype=np.float32).astype(ml_dtypes.bfloat16)),
            TensorArg("k_cache", filled_cache(generator, table, total, params)),
            TensorArg("v_cache", filled_cache(generator, table, total, params)),
            TensorArg("page_table", table),
            TensorArg("lengths", np.array(params["lengths"], dtype=np.int32)),
            TensorArg("out", np.zeros(shape, dtype=ml_dtypes.bfloat16)),
            Scalar("block_pages", params["block_pages"]),
            Scalar("task_heads", params["task_heads"]),
        )

    def compute_golden(self, args, params):
        kv_heads, dim = params["kv_heads"], params["dim"]
        for sequence, length in enumerate(args.lengths):
            pages = args.page_table[sequence, : pages_of(length, params["page_tokens"])]
            keys, values = tokens_of(args.k_cache, pages, length), tokens_of(args.v_cache, pages, length)
            q = args.q[sequence].astype(np.float64).reshape(kv_heads, -1, dim)
            scores = q @ keys.transpose(0, 2, 1) / np.sqrt(dim)
            weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
            attended = weights @ values / weights.sum(axis=-1, keepdims=True)
            args.out[sequence] = attended.reshape(-1, dim)
