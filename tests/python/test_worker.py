"""A worker's life, its device memory and its runs."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from taskmill import (
    ArgumentError,
    ClosedError,
    DeviceAddressError,
    DeviceTensor,
    Kernel,
    Out,
    OutOfDeviceMemoryError,
    RunConfig,
    TaskmillError,
    Worker,
    _taskmill,
)


def add_scalar(worker, sources, a, out, s=1.0, config=None):
    return worker.run(worker.register(sources.add_scalar()), a, out, s, config=config)


def test_a_run_computes_and_reports(platform, sources):
    a = np.arange(100, dtype=np.float32).reshape(10, 10)
    out = np.zeros_like(a)
    with Worker(level=2, platform=platform) as worker:
        report = add_scalar(worker, sources, a, out, 2.5)
    np.testing.assert_array_equal(out, a + np.float32(2.5))
    assert report.tasks == 1
    assert report.copied_in_bytes == a.nbytes and report.copied_back_bytes == out.nbytes
    assert report.rings[0].task_slots.peak == 1 and report.rings[0].task_slots.size == 16383
    assert report.spans == []


def test_a_level_other_than_2_is_refused():
    with pytest.raises(ValueError, match="only level 2"):
        Worker(level=3)


def test_an_unknown_platform_is_refused_by_name():
    with pytest.raises(TaskmillError, match="a7sim"):
        Worker(platform="a7sim")


def test_a_context_manager_closes_the_worker():
    with Worker() as worker:
        assert not worker.closed
        assert "a2a3sim" in repr(worker)
    assert worker.closed
    assert "closed" in repr(worker)


def test_closing_twice_is_an_error_that_says_closed():
    worker = Worker()
    worker.close()
    with pytest.raises(ClosedError) as raised:
        worker.close()
    assert raised.value.code == 208 and raised.value.name == "Closed"


def test_a_worker_closed_inside_its_context_is_not_closed_again():
    with Worker() as worker:
        worker.close()


def test_every_use_after_close_says_closed(sources):
    a = np.zeros(4, dtype=np.float32)
    with Worker() as worker:
        handle = worker.register(sources.add_scalar())
        buffer = worker.malloc(16)
    uses = [
        lambda: worker.run(handle, a, a.copy(), 1.0),
        lambda: worker.register(sources.add_scalar()),
        lambda: worker.malloc(16),
        lambda: worker.free(buffer),
        lambda: worker.copy_to(buffer, a),
        lambda: worker.copy_from(a, buffer),
        lambda: worker.statistics,
        lambda: worker.device_info,
    ]
    for use in uses:
        with pytest.raises(ClosedError):
            use()


def test_device_info_describes_a_full_size_chip():
    for platform, clusters in (("a2a3sim", 24), ("a5sim", 36)):
        with Worker(platform=platform) as worker:
            info = worker.device_info
            assert (info.platform, info.clusters, info.cores) == (platform, clusters, 3 * clusters)


def test_device_memory_round_trips_and_is_given_back(worker):
    data = np.random.default_rng(1).integers(0, 256, 4096, dtype=np.uint8)
    before = worker.statistics.live_allocations
    buffer = worker.malloc(data.nbytes)
    worker.copy_to(buffer, data)
    back = np.empty_like(data)
    worker.copy_from(back, buffer)
    np.testing.assert_array_equal(back, data)
    buffer.free()
    assert worker.statistics.live_allocations == before


def test_a_device_tensor_is_used_where_it_lies(worker, sources):
    a = np.arange(64, dtype=np.float32)
    source, target = worker.malloc(a.nbytes), worker.malloc(a.nbytes)
    worker.copy_to(source, a)
    handle = worker.register(sources.add_scalar())
    report = worker.run(handle, source.tensor((64,), "float32"), target.tensor((64,), np.float32), 1.0)
    assert report.copied_in_bytes == 0 and report.copied_back_bytes == 0
    out = np.empty_like(a)
    worker.copy_from(out, target)
    np.testing.assert_array_equal(out, a + 1)


def test_freeing_twice_names_the_address(worker):
    buffer = worker.malloc(64)
    worker.free(buffer)
    with pytest.raises(DeviceAddressError) as raised:
        worker.free(buffer)
    assert raised.value.code == 207


def test_more_memory_than_the_device_has_is_a_memory_error_with_the_numbers(worker):
    with pytest.raises(OutOfDeviceMemoryError, match=r"\d") as raised:
        worker.malloc(1 << 50)
    assert raised.value.code == 206 and isinstance(raised.value, MemoryError)


def test_no_bytes_and_negative_bytes_are_refused(worker):
    for nbytes in (0, -1):
        with pytest.raises(ValueError):
            worker.malloc(nbytes)


def test_a_host_pointer_is_no_device_address(worker, sources):
    a = np.zeros(16, dtype=np.float32)
    fake = DeviceTensor(a.ctypes.data, a.shape, a.dtype)
    handle = worker.register(sources.add_scalar())
    attempts = [
        lambda: worker.run(handle, fake, np.zeros_like(a), 1.0),
        lambda: worker.copy_to(a.ctypes.data, a),
        lambda: worker.copy_from(np.zeros_like(a), fake),
        lambda: worker.free(a.ctypes.data),
    ]
    for attempt in attempts:
        with pytest.raises(DeviceAddressError) as raised:
            attempt()
        assert raised.value.code == 207


def test_a_copy_longer_than_the_buffer_is_refused_with_both_sizes(worker):
    buffer = worker.malloc(64)
    with pytest.raises(ValueError, match="128 bytes.*64"):
        worker.copy_to(buffer, np.zeros(128, dtype=np.uint8))
    with pytest.raises(ValueError, match="65 bytes.*64"):
        worker.copy_from(np.zeros(65, dtype=np.uint8), buffer)


def test_a_tensor_larger_than_its_buffer_is_refused_with_both_sizes(worker):
    buffer = worker.malloc(1000)
    with pytest.raises(ValueError, match=r"16 x 16 float32 from byte 0 needs 1,024 bytes, the buffer has 1,000"):
        buffer.tensor((16, 16), "float32")
    assert buffer.tensor((16,), "bfloat16", offset=968).nbytes == 32
    with pytest.raises(ValueError, match="1,001"):
        buffer.tensor((1,), "uint8", offset=1000)


def test_the_configuration_reaches_the_run(worker, sources):
    a = np.zeros(8, dtype=np.float32)
    report = add_scalar(worker, sources, a, a.copy(), config=RunConfig(task_window=64, heap_bytes=1 << 20, edge_nodes=128))
    assert [ring.task_slots.size for ring in report.rings] == [63] * 4
    assert [ring.heap_bytes.size for ring in report.rings] == [1 << 20] * 4
    assert [ring.edge_nodes.size for ring in report.rings] == [128] * 4
    with pytest.raises(ValueError, match="task_window of scope depth 0 is 48"):
        add_scalar(worker, sources, a, a.copy(), config=RunConfig(task_window=48))


def test_a_size_may_differ_by_scope_depth_and_the_report_tells_each_ring(worker, sources):
    a = np.zeros(8, dtype=np.float32)
    config = RunConfig(task_window=[4, 8, 16, 0], heap_bytes=(1024, 2048, 0, 4096), argument_lines=np.int64(64))
    report = add_scalar(worker, sources, a, a.copy(), config=config)
    assert [ring.task_slots.size for ring in report.rings] == [3, 7, 15, 16383]
    assert [ring.heap_bytes.size for ring in report.rings] == [1024, 2048, 256 << 20, 4096]
    assert [ring.argument_lines.size for ring in report.rings] == [64] * 4
    assert [ring.task_slots.peak for ring in report.rings] == [1, 0, 0, 0]
    assert report.rings[0].task_slots.enough == 4 and report.rings[0].edge_nodes.enough == 4


def test_a_size_reads_as_four_numbers_and_can_be_set_later():
    config = RunConfig(task_window=32)
    assert config.task_window == [32] * 4 and config.heap_bytes == [0] * 4
    config.heap_bytes = [0, 1024, 0, 0]
    assert config.heap_bytes == [0, 1024, 0, 0]


@pytest.mark.parametrize("field", ["task_window", "heap_bytes", "edge_nodes", "argument_lines"])
@pytest.mark.parametrize("value", [[64] * 3, [64] * 5, [64, 64, "64", 64], "64", 64.0, None, -1, 2**64, True, np.zeros(4, dtype=int)])
def test_a_size_that_is_neither_a_number_nor_four_is_refused_by_its_name(field, value):
    with pytest.raises(ArgumentError) as raised:
        RunConfig(**{field: value})
    assert raised.value.code == 203
    assert f"{field} is {value!r}, it must be a number from 0, or a list of 4" in str(raised.value)
    config = RunConfig()
    with pytest.raises(ArgumentError, match=field):
        setattr(config, field, value)
    assert getattr(config, field) == [0] * 4


def test_a_trace_has_a_span_for_the_task(worker, sources, tmp_path):
    a = np.zeros(8, dtype=np.float32)
    report = add_scalar(worker, sources, a, a.copy(), config=RunConfig(trace=True))
    spans = [span for span in report.spans if span.lane.startswith("AIV")]
    assert len(spans) == 1 and spans[0].name == "add_scalar" and spans[0].end_ns >= spans[0].start_ns


def test_runs_of_several_threads_each_compute_their_own(worker, sources):
    handle = worker.register(sources.add_scalar())
    results = [np.zeros(1000, dtype=np.float32) for _ in range(8)]

    def work(out, s):
        worker.run(handle, np.zeros(1000, dtype=np.float32), out, float(s))

    threads = [threading.Thread(target=work, args=(out, number)) for number, out in enumerate(results)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, out in enumerate(results):
        assert (out == number).all()


# Says that it runs, then waits for an answer, for a bounded number of looks.
ASK_AND_WAIT = """\
#include <taskmill/kernel.h>
extern "C" void kernel_entry(int64_t* args) {
  auto* words = reinterpret_cast<uint32_t*>(args[1]);
  __atomic_store_n(&words[0], 1, __ATOMIC_RELEASE);
  uint32_t answer = 0;
  for (uint64_t looks = 0; answer == 0 && looks < (uint64_t{1} << 34); ++looks) answer = __atomic_load_n(&words[1], __ATOMIC_ACQUIRE);
  taskmill::data<uint32_t>(args, 0)[0] = answer;
}
"""


def test_other_python_threads_go_on_while_a_run_is_in_progress(worker, sources):
    callable = sources.add_scalar(
        orchestration=sources.orchestration(
            "submit_aiv_task(0, TaskArgs().add_output(args.tensor(0)).add_scalar(args.scalar(0)));"
        ),
        function="entry",
        signature=[Out("answer", "uint32")],
        kernels=[Kernel(0, sources.write("ask.cpp", ASK_AND_WAIT))],
    )
    handle = worker.register(callable)
    words, answer = np.zeros(2, dtype=np.uint32), np.zeros(1, dtype=np.uint32)
    runner = threading.Thread(target=worker.run, args=(handle, answer, words.ctypes.data))
    runner.start()
    while words[0] == 0 and runner.is_alive():
        pass
    words[1] = 42
    runner.join()
    assert answer[0] == 42


def test_memory_shorter_than_its_tensor_is_refused_with_both_sizes(worker, sources):
    handle = worker.register(sources.add_scalar())
    buffer = worker.malloc(1024)
    with pytest.raises(TaskmillError, match="4,096") as raised:
        worker.run(handle, DeviceTensor(buffer.address, (1024,), np.float32), np.zeros(1024, dtype=np.float32), 1.0)
    assert raised.value.code in (202, 207)
    a = np.zeros(2, dtype=np.float32)
    short = _taskmill.HostTensor(a.ctypes.data, a.nbytes, [4], _taskmill.DataType.float32)
    with pytest.raises(ArgumentError, match='"a".*16.*8') as raised:
        worker._native.run(handle.digest, [short, short, 0], RunConfig())
    assert raised.value.code == 202
