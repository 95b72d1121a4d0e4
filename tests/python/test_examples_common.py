"""What the kernels of several examples share: bfloat16, and loops that become vector code."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from taskmill import Callable, In, Kernel, Out, Worker

FORWARD = """\
#include <taskmill/orchestration.h>
using namespace taskmill;
extern "C" void forward(const OrchestrationArgs& args) {
  submit_aiv_task(0, TaskArgs().add_input(args.tensor(0)).add_output(args.tensor(1)));
}
"""
KERNEL = """\
#include <taskmill/kernel.h>
#include "bfloat16.h"
#include "lanes.h"
using namespace examples;
extern "C" void kernel_entry(int64_t* args) {{
  const auto* in = taskmill::data<{source}>(args, 0);
  auto* out = taskmill::data<{target}>(args, 1);
  const uint32_t count = taskmill::tensor(args, 0).numel();
  {body}
}}
"""
CPUS = [(), ("-mno-avx512bf16",)]


@pytest.fixture
def apply(sources, examples):
    """Runs a kernel with this body, whose input is ``in[count]`` and whose output is ``out``."""

    def run(body, values, out, source="float", target="float", flags=()):
        kernel = sources.write("kernel.cpp", KERNEL.format(body=body, source=source, target=target))
        callable = Callable(
            orchestration=sources.write("forward.cpp", FORWARD),
            function="forward",
            signature=[In("in"), Out("out")],
            kernels=[Kernel(0, kernel, core="aiv", flags=(f"-I{examples / 'common'}", *flags))],
        )
        with Worker(platform="a2a3sim") as worker:
            worker.run(worker.register(callable), values, out)
        return out

    return run


def test_rounding_to_bfloat16_is_that_of_ml_dtypes(apply):
    bits = np.random.default_rng(1).integers(0, 1 << 32, 1 << 16, dtype=np.uint32)
    ties = (np.arange(1 << 16, dtype=np.uint32) << 16) | 0x8000
    values = np.concatenate([bits, ties, np.arange(1 << 16, dtype=np.uint32) << 16]).view(np.float32)
    rounded = np.empty(values.shape, dtype=ml_dtypes.bfloat16)
    apply("for (uint32_t i = 0; i < count; ++i) out[i] = round_to_bfloat16(in[i]);", values, rounded, target="uint16_t")
    with np.errstate(invalid="ignore"):
        expected = values.astype(ml_dtypes.bfloat16)
    assert (np.isnan(rounded) == np.isnan(values)).all()
    numbers = ~np.isnan(values)
    assert (rounded.view(np.uint16)[numbers] == expected.view(np.uint16)[numbers]).all()


def test_widening_gives_every_bfloat16_exactly(apply):
    values = np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16)
    wide = np.empty(values.shape, dtype=np.float32)
    apply("for (uint32_t i = 0; i < count; ++i) out[i] = widen(in[i]);", values, wide, source="uint16_t")
    assert np.array_equal(wide, values.astype(np.float32), equal_nan=True)


@pytest.mark.parametrize("flags", CPUS)
def test_products_of_pairs_are_added_lane_by_lane(apply, flags):
    a, b = np.random.default_rng(2).integers(-8, 8, (2, 16, 2)).astype(ml_dtypes.bfloat16)
    sums = apply(
        "const Floats sums = add_products(Floats{} + 1, load_pairs(in), load_pairs(in + count / 2)); std::memcpy(out, &sums, sizeof sums);",
        np.stack([a, b]),
        np.empty(16, dtype=np.float32),
        source="uint16_t",
        flags=flags,
    )
    assert (sums == 1 + (a.astype(np.float32) * b.astype(np.float32)).sum(axis=1)).all()


def test_exp_is_within_3e_7_of_the_value_over_its_range(apply):
    values = np.concatenate([np.linspace(-87, 88, 1 << 16), np.linspace(-1e-3, 1e-3, 4001)]).astype(np.float32)
    powers = np.empty_like(values)
    apply("for (uint32_t i = 0; i < count; ++i) out[i] = exp_in_range(in[i]);", values, powers)
    expected = np.exp(values.astype(np.float64))
    assert (np.abs(powers / expected - 1)).max() <= 3e-7


def test_exp_below_its_range_is_the_smallest_of_the_range(apply):
    values = np.array([-87, -88, -1e4, -np.inf], dtype=np.float32)
    powers = np.empty_like(values)
    apply("for (uint32_t i = 0; i < count; ++i) out[i] = exp_in_range(in[i]);", values, powers)
    assert (powers == powers[0]).all() and 0 < powers[0] < 1e-37


@pytest.mark.parametrize("count", [1, 15, 16, 17, 100])
def test_reduce_joins_every_value_once(apply, count):
    values = np.arange(1, count + 1, dtype=np.float32)
    body = "*out = reduce(in, count, 0, [](float a, float b) { return a + b; });"
    assert apply(body, values, np.empty(1, dtype=np.float32))[0] == count * (count + 1) // 2
