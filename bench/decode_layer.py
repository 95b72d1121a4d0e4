"""The decoder layer beside what this machine can do: time against bandwidth and dot products, probed in the same run.

    .venv/bin/python bench/decode_layer.py [--rounds N] [--platform P] [--json]
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from taskmill.scene import RunOptions, find_scenes, run_scene

ROOT = Path(__file__).resolve().parent.parent


def load_probe() -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "probe.so"
        source = ROOT / "bench" / "roofline" / "probe.cpp"
        command = ["g++", "-std=c++20", "-O3", "-march=native", "-shared", "-fPIC", "-pthread", str(source), "-o", str(library)]
        subprocess.run(command, check=True)
        probe = ctypes.CDLL(str(library))
    probe.read_bandwidth.restype = probe.dot_product_peak.restype = ctypes.c_double
    return probe


def measure(probe: ctypes.CDLL, threads: int) -> tuple[float, float]:
    """Bytes and operations per second of all threads together."""
    data = np.ones(2**27, dtype=np.uint64)
    bandwidth = probe.read_bandwidth(threads, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(data.nbytes))
    return bandwidth, probe.dot_product_peak(threads)


def work(params: dict[str, int]) -> tuple[float, float]:
    """Bytes that the layer must read and operations that it must do for 16 sequences."""
    rows, head, group = 16, 128, 5
    hidden, intermediate, kv = params["hidden"], params["intermediate"], params["kv_heads"] * head
    weights = hidden * (kv * group + 2 * kv) + kv * group * hidden + 3 * hidden * intermediate
    tokens = rows * params["context"]
    return 2.0 * (weights + 2 * tokens * kv), 2.0 * (rows * weights + 2 * tokens * kv * group)


def busy_ms(trace: Path) -> float:
    """For how long at least one kernel ran."""
    events = [event for event in json.loads(trace.read_text())["traceEvents"] if event["ph"] == "X" and event["pid"] == 3]
    busy, end = 0.0, 0.0
    for event in sorted(events, key=lambda event: event["ts"]):
        finish = event["ts"] + event["dur"]
        busy += max(0.0, finish - max(end, event["ts"]))
        end = max(end, finish)
    return busy / 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--platform", default="a2a3sim")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    threads = len(os.sched_getaffinity(0))
    scene = find_scenes(ROOT / "examples" / "qwen3_14b_decode" / "qwen3_14b_decode.py")[0]
    case = scene.CASES[0]
    probe = load_probe()
    before = measure(probe, threads)
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        result = run_scene(scene, case, options.platform, RunOptions(rounds=options.rounds, trace=trace, kernels=True))
        if result.status != "passed":
            raise SystemExit(f"{result.name}: {result.error}")
        busy = busy_ms(trace)
    after = measure(probe, threads)
    bandwidth, peak = (max(pair) for pair in zip(before, after, strict=True))
    read, operations = work(case["params"])
    rounds = [phases["execute"] for phases in result.rounds]
    bound = 1e3 * max(read / bandwidth, operations / peak)
    figures = {
        "threads": threads,
        "bandwidth_gb_s": bandwidth / 1e9,
        "dot_product_gflop_s": peak / 1e9,
        "read_ms": 1e3 * read / bandwidth,
        "multiply_ms": 1e3 * operations / peak,
        "execute_ms": {"best": min(rounds), "median": statistics.median(rounds)},
        "over_bound": {"best": min(rounds) / bound, "median": statistics.median(rounds) / bound},
        "without_kernel": 1 - busy / rounds[-1],
        "kernels_ms": {kernel.name: [kernel.count, kernel.total_ns / 1e6] for kernel in result.kernels.kernels},
    }
    print(json.dumps(figures) if options.json else text_of(figures, result.tasks))


def text_of(figures: dict, tasks: int) -> str:
    execute, over = figures["execute_ms"], figures["over_bound"]
    lines = [
        f"{figures['threads']} threads read {figures['bandwidth_gb_s']:.1f} GB/s and multiply {figures['dot_product_gflop_s']:.0f} GFLOP/s",
        f"the layer must read for {figures['read_ms']:.0f} ms and multiply for {figures['multiply_ms']:.0f} ms",
        f"{tasks} tasks took {execute['best']:.0f} ms at best, {execute['median']:.0f} ms as the median: "
        f"{over['best']:.2f} and {over['median']:.2f} times the larger",
        f"no kernel ran for {100 * figures['without_kernel']:.1f} % of the last round",
    ]
    lines += [f"  {name:15} {count:4} runs {total:8.1f} ms" for name, (count, total) in figures["kernels_ms"].items()]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
