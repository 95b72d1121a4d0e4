"""The table of the kernels that a run spends its time in."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import numpy as np
import pytest
from command_line import taskmill
from rich.console import Console
from taskmill import RunConfig, Worker
from taskmill.command.kernels_table import kernels_json, print_kernels
from taskmill.kernel_times import KernelTime, kernel_times, kernel_times_of_trace

NO_SPANS = '{"traceEvents": []}'
NO_LANE = '{"traceEvents": [{"ph": "X", "name": "k", "pid": 3, "tid": 1, "dur": 1}], "otherData": {"dropped_spans": 0}}'


def report(*spans, dropped_spans=0):
    return SimpleNamespace(spans=spans, dropped_spans=dropped_spans)


def span(lane, name, start_ns, end_ns):
    return SimpleNamespace(lane=lane, name=name, start_ns=start_ns, end_ns=end_ns, task=0)


def squeezed(text):
    return [" ".join(line.split()) for line in text.splitlines()]


def printed(times, **options):
    stream = io.StringIO()
    print_kernels(Console(file=stream, width=200), times, **options)
    return squeezed(stream.getvalue())


@pytest.fixture
def traced(worker, sources):
    """The report of a run of one task."""
    a, out = np.arange(64, dtype=np.float32), np.empty(64, dtype=np.float32)
    return worker.run(worker.register(sources.add_scalar()), a, out, 1.0, config=RunConfig(trace=True))


def test_kernels_are_ranked_by_their_total_time():
    times = kernel_times(
        report(span("AIV 0", "add", 0, 1_000_000), span("AIC 3", "matmul", 500, 5_000_500), span("AIV 1", "add", 10, 2_000_010))
    )
    assert times.kernels == [KernelTime("matmul", 1, 5_000_000, 0.625, 5_000_000), KernelTime("add", 2, 3_000_000, 0.375, 2_000_000)]
    assert printed(times) == [
        "kernel count total share mean longest",
        "matmul 1 5.00 ms 62.5 % 5.000 ms 5.000 ms",
        "add 2 3.00 ms 37.5 % 1.500 ms 2.000 ms",
    ]


def test_only_what_cores_did_counts():
    spans = [span(lane, lane, 0, 9) for lane in ("Host", "Orchestrator", "Scheduler 0", "AIC 0", "AIV 17")]
    assert [kernel.name for kernel in kernel_times(report(*spans)).kernels] == ["AIC 0", "AIV 17"]


def test_ten_are_shown_and_the_others_are_summed_up():
    spans = [span("AIV 0", f"kernel {i}", 0, 100 - i) for i in range(12)]
    times = kernel_times(report(*spans, dropped_spans=3))
    lines = printed(times, title="kernels of X")
    assert lines[0] == "kernels of X" and lines[2].startswith("kernel 0 ") and lines[11].startswith("kernel 9 ")
    share = 100 * (90 + 89) / sum(100 - i for i in range(12))
    assert lines[12:] == [
        f"and 2 other kernels, {share:.1f} % of the time",
        "3 spans found no room in the timeline and count nowhere",
    ]
    shown = kernels_json(times)
    assert [kernel["name"] for kernel in shown["longest"]] == [f"kernel {i}" for i in range(10)]
    assert (shown["kernels"], shown["dropped_spans"]) == (12, 3)


def test_kernels_that_took_no_time_have_no_share():
    (kernel,) = kernel_times(report(span("AIV 0", "k", 5, 5))).kernels
    assert (kernel.share, kernel.mean_ns, kernel.longest_ns) == (0.0, 0.0, 0)
    nothing = kernel_times(report())
    assert nothing.kernels == [] and kernels_json(nothing)["longest"] == []
    assert printed(nothing) == ["kernel count total share mean longest"]


def test_a_run_and_the_timeline_that_it_writes_tell_the_same(traced, tmp_path):
    traced.write_trace(tmp_path / "trace.json")
    times = kernel_times(traced)
    assert [(kernel.name, kernel.count, kernel.share) for kernel in times.kernels] == [("add_scalar", 1, 1.0)]
    (on_core,) = [span for span in traced.spans if span.lane.startswith("AIV")]
    assert times.kernels[0].total_ns == times.kernels[0].longest_ns == on_core.end_ns - on_core.start_ns
    assert times.dropped_spans == 0 and kernel_times_of_trace(tmp_path / "trace.json") == times


def test_the_command_shows_the_kernels_of_a_timeline(traced, tmp_path):
    file = tmp_path / "trace.json"
    traced.write_trace(file)
    done = taskmill("kernels", file)
    assert done.returncode == 0 and done.stderr == "" and "\x1b" not in done.stdout
    assert squeezed(done.stdout) == printed(kernel_times(traced))
    done = taskmill("kernels", file, "--json")
    assert done.returncode == 0 and json.loads(done.stdout) == kernels_json(kernel_times(traced))


@pytest.mark.parametrize(
    "contents",
    ["", "no json", "[]", "{}", "1", NO_SPANS, NO_LANE],
)
def test_a_file_that_is_no_timeline_is_named_and_ends_the_command_with_2(tmp_path, contents):
    file = tmp_path / "trace.json"
    file.write_text(contents)
    with pytest.raises(ValueError, match=f"{file} is not a timeline"):
        kernel_times_of_trace(file)
    done = taskmill("kernels", file)
    assert done.returncode == 2 and done.stdout == "" and "is not a timeline that a run wrote" in " ".join(done.stderr.split())


@pytest.mark.parametrize("words", [[], ["absent.json"], ["."]])
def test_a_mistake_in_its_use_ends_with_2(words):
    done = taskmill("kernels", *words)
    assert done.returncode == 2 and "FILE" in done.stderr and done.stdout == ""
