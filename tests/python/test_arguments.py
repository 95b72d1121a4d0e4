"""What a run accepts as an argument, and how it refuses what it does not."""

from __future__ import annotations

import array

import ml_dtypes
import numpy as np
import pytest
from taskmill import ArgumentError, Callable, In, Kernel, Out, RunConfig
from taskmill.arguments import host_array, scalar_bits


@pytest.fixture
def run(worker, sources):
    handle = worker.register(sources.add_scalar())
    return lambda *arguments: worker.run(handle, *arguments)


def floats(*shape):
    return np.zeros(shape, dtype=np.float32)


def test_too_few_and_too_many_arguments_are_told_with_both_counts(run):
    for arguments, given in (
        ((floats(4), floats(4)), "2 tensors and 0 scalars"),
        ((floats(4), floats(4), 1.0, 2.0), "2 tensors and 2 scalars"),
    ):
        with pytest.raises(ArgumentError, match=f'"add_scalar" takes 2 tensors and 1 scalar, given {given}') as raised:
            run(*arguments)
        assert raised.value.code == 200


def test_a_scalar_where_a_tensor_belongs_is_refused(run):
    with pytest.raises(ArgumentError, match='argument 0 \\("a"\\) of "add_scalar" is a tensor, given a scalar') as raised:
        run(1.0, floats(4), floats(4))
    assert raised.value.code == 201
    with pytest.raises(ArgumentError, match='argument 2 of "add_scalar" is a scalar, given a tensor'):
        run(floats(4), floats(4), floats(1))


def test_another_dtype_than_the_signatures_is_refused_by_name(run):
    with pytest.raises(ArgumentError, match='"a".*(int32.*float32|float32.*int32)') as raised:
        run(np.zeros(4, dtype=np.int32), floats(4), 1.0)
    assert raised.value.code == 201


@pytest.mark.parametrize("dtype", ["complex128", "float64", "U4"])
def test_a_dtype_that_no_device_knows_is_refused_by_argument(run, dtype):
    with pytest.raises(ArgumentError, match='argument 0 \\("a"\\) of "add_scalar".*known are float32') as raised:
        run(np.zeros(4, dtype=dtype), floats(4), 1.0)
    assert raised.value.code == 201


def test_a_view_with_gaps_is_refused(run):
    with pytest.raises(ArgumentError, match='argument 0 \\("a"\\).*not contiguous.*ascontiguousarray'):
        run(floats(8)[::2], floats(4), 1.0)
    with pytest.raises(ArgumentError, match="not contiguous"):
        run(floats(4, 4).T, floats(4, 4), 1.0)


def test_a_read_only_array_is_good_for_input_and_refused_for_output(run):
    fixed = floats(4)
    fixed.flags.writeable = False
    out = floats(4)
    run(fixed, out, 1.0)
    assert (out == 1).all()
    with pytest.raises(ArgumentError, match='argument 1 \\("out"\\).*read-only'):
        run(floats(4), fixed, 1.0)


def test_foreign_byte_order_is_refused(run):
    with pytest.raises(ArgumentError, match="byte order"):
        run(np.zeros(4, dtype=">f4"), floats(4), 1.0)


def test_an_object_without_memory_is_refused_by_type(run):
    with pytest.raises(ArgumentError, match='argument 0 \\("a"\\).*list'):
        run([1.0, 2.0], floats(2), 1.0)


def test_a_device_buffer_without_a_shape_is_refused(worker, run):
    with pytest.raises(ArgumentError, match=r"buffer\.tensor"):
        run(worker.malloc(16), floats(4), 1.0)


def test_anything_with_the_buffer_protocol_is_an_argument(run):
    out = array.array("f", [0.0] * 4)
    run(memoryview(array.array("f", [1, 2, 3, 4])), out, 1.0)
    assert list(out) == [2, 3, 4, 5]


def test_half_overlapping_arrays_with_a_writer_are_refused(run):
    whole = floats(12)
    with pytest.raises(ArgumentError) as raised:
        run(whole[:8], whole[4:], 1.0)
    assert raised.value.code == 217


def test_the_same_array_is_input_and_output(run):
    both = np.ones(4, dtype=np.float32)
    run(both, both, 1.0)
    assert (both == 2).all()


COPY_SCALARS = """\
#include <taskmill/kernel.h>
extern "C" void kernel_entry(int64_t* args) {
  uint64_t* out = taskmill::data<uint64_t>(args, 0);
  for (int i = 0; i < 4; ++i) out[i] = taskmill::scalar<uint64_t>(args, 1 + i);
}
"""


def test_scalars_arrive_as_the_bits_of_their_types(worker, sources):
    handle = worker.register(
        Callable(
            orchestration=sources.orchestration(
                "TaskArgs task; task.add_output(args.tensor(0));"
                "for (uint32_t i = 0; i < 4; ++i) task.add_scalar(args.scalar(i));"
                "submit_aiv_task(0, task);"
            ),
            function="entry",
            signature=[Out("out", "uint64")],
            scalar_count=4,
            kernels=[Kernel(0, sources.write("copy.cpp", COPY_SCALARS))],
        )
    )
    out = np.zeros(4, dtype=np.uint64)
    worker.run(handle, out, -1, 1.5, np.float64(1.5), True)
    assert list(out) == [2**64 - 1, 0x3FC00000, 0x3FF8000000000000, 1]


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (7, 7),
        (-2, 2**64 - 2),
        (2**64 - 1, 2**64 - 1),
        (1.0, 0x3F800000),
        (np.float32(1), 0x3F800000),
        (np.float16(1), 0x3C00),
        (ml_dtypes.bfloat16(1), 0x3F80),
        (np.int8(-1), 2**64 - 1),
        (np.uint16(65535), 65535),
        (np.bool_(True), 1),
    ],
)
def test_a_number_becomes_its_bits(value, bits):
    assert scalar_bits(value, "it") == bits


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, 1e300, np.complex128(1)])
def test_a_number_that_does_not_fit_is_refused(value):
    with pytest.raises(ArgumentError, match="argument 9"):
        scalar_bits(value, "argument 9")


DOUBLE_BYTES = """\
#include <taskmill/kernel.h>
extern "C" void kernel_entry(int64_t* args) {
  const uint8_t* a = taskmill::data<uint8_t>(args, 0);
  uint8_t* out = taskmill::data<uint8_t>(args, 1);
  const uint64_t bytes = taskmill::tensor(args, 0).nbytes();
  for (uint64_t i = 0; i < bytes; ++i) out[i] = a[i];
}
"""


@pytest.mark.parametrize(
    "dtype",
    [
        np.float32,
        np.float16,
        ml_dtypes.bfloat16,
        np.int64,
        np.int32,
        np.int16,
        np.int8,
        np.uint64,
        np.uint32,
        np.uint16,
        np.uint8,
        np.bool_,
    ]
    + [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e8m0fnu],
)
def test_every_dtype_of_the_device_travels_unchanged(worker, sources, dtype):
    handle = worker.register(
        Callable(
            orchestration=sources.orchestration(
                "submit_aiv_task(0, TaskArgs().add_input(args.tensor(0)).add_output(args.tensor(1)));"
            ),
            function="entry",
            signature=[In("a"), Out("out", dtype)],
            kernels=[Kernel(0, sources.write("copy.cpp", DOUBLE_BYTES))],
        )
    )
    a = np.arange(1, 13).reshape(3, 4).astype(dtype)
    out = np.zeros_like(a)
    worker.run(handle, a, out, config=RunConfig())
    np.testing.assert_array_equal(out.view(np.uint8), a.view(np.uint8))


def test_a_host_array_is_never_a_copy():
    a = np.zeros(4, dtype=np.float32)
    assert host_array(a, "it") is a
    assert np.shares_memory(host_array(memoryview(a), "it"), a)
