"""The table of the kernels that a run spends its time in."""

from __future__ import annotations

import io
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console
from taskmill import RunConfig, Worker
from taskmill.command.kernels_table import kernels_json, print_kernels
from taskmill.kernel_times import KernelTime, kernel_times, kernel_times_of_trace


def span(lane, name, start_ns, end_ns):
    return SimpleNamespace(lane=lane, name=name, start_ns=start_ns, end_ns=end_ns, task=0)


def printed(times, **options):
    stream = io.StringIO()
    print_kernels(Console(file=stream, width=200), times, **options)
    return [" ".join(line.split()) for line in stream.getvalue().splitlines()]


def test_kernels_are_ranked_by_their_total_time():
    spans = [span("AIV 0", "add", 0, 1_000_000), span("AIC 3", "matmul", 500, 5_000_500), span("AIV 1", "add", 10, 2_000_010)]
    assert kernel_times(spans) == [KernelTime("matmul", 1, 5_000_000, 0.625, 5_000_000), KernelTime("add", 2, 3_000_000, 0.375, 2_000_000)]
    assert printed(kernel_times(spans)) == [
        "kernel count total share mean longest",
        "matmul 1 5.00 ms 62.5 % 5.000 ms 5.000 ms",
        "add 2 3.00 ms 37.5 % 1.500 ms 2.000 ms",
    ]


def test_only_what_cores_did_counts():
    spans = [span(lane, lane, 0, 9) for lane in ("Host", "Orchestrator", "Scheduler 0", "AIC 0", "AIV 17")]
    assert [kernel.name for kernel in kernel_times(spans)] == ["AIC 0", "AIV 17"]


def test_ten_are_shown_and_the_others_are_summed_up():
    spans = [span("AIV 0", f"kernel {i}", 0, 100 - i) for i in range(12)]
    times = kernel_times(spans)
    lines = printed(times, title="kernels of X", dropped_spans=3)
    assert lines[0] == "kernels of X" and lines[2].startswith("kernel 0 ") and lines[11].startswith("kernel 9 ")
    share = 100 * (90 + 89) / sum(100 - i for i in range(12))
    assert lines[12] == f"and 2 other kernels, {share:.1f} % of the time"
    assert lines[13] == "3 tasks did not fit into the timeline and are not counted" and len(lines) == 14
    shown = kernels_json(times, dropped_spans=3)
    assert [kernel["name"] for kernel in shown["longest"]] == [f"kernel {i}" for i in range(10)]
    assert (shown["kernels"], shown["dropped_spans"]) == (12, 3)


def test_kernels_that_took_no_time_have_no_share():
    (kernel,) = kernel_times([span("AIV 0", "k", 5, 5)])
    assert (kernel.share, kernel.mean_ns, kernel.longest_ns) == (0.0, 0.0, 0)
    assert kernel_times([]) == [] and kernels_json([])["longest"] == [] and printed([]) == ["kernel count total share mean longest"]


def test_a_run_and_the_trace_that_it_writes_tell_the_same(worker, sources, tmp_path):
    a, out = np.arange(64, dtype=np.float32), np.empty(64, dtype=np.float32)
    report = worker.run(worker.register(sources.add_scalar()), a, out, 1.0, config=RunConfig(trace=True))
    report.write_trace(tmp_path / "trace.json")
    times = kernel_times(report.spans)
    assert [(kernel.name, kernel.count, kernel.share) for kernel in times] == [("add_scalar", 1, 1.0)]
    (core_span,) = [span for span in report.spans if span.lane.startswith("AIV")]
    assert times[0].total_ns == times[0].longest_ns == core_span.end_ns - core_span.start_ns
    assert kernel_times_of_trace(tmp_path / "trace.json") == times


@pytest.mark.parametrize("contents", ["", "[]", "{}", "no json"])
def test_a_file_that_is_no_trace_is_named(tmp_path, contents):
    file = tmp_path / "trace.json"
    file.write_text(contents)
    with pytest.raises(ValueError, match=f"{file} is not a trace"):
        kernel_times_of_trace(file)
