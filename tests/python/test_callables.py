"""Registering: what compiles, what does not, and how the graph of an orchestration fails."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from taskmill import (
    ArgumentError,
    Callable,
    CompileError,
    DeviceError,
    DeviceLostError,
    GraphError,
    In,
    InOut,
    Kernel,
    LoadError,
    Out,
    RunConfig,
    Worker,
)

CRASH = '#include <taskmill/kernel.h>\nextern "C" void kernel_entry(int64_t*) { __builtin_trap(); }\n'


def entry(sources, body, kernels=None):
    """A callable with one float32 output, kernel 0 unless told otherwise, and this orchestration."""
    kernels = sources.add_scalar().kernels if kernels is None else kernels
    return Callable(orchestration=sources.orchestration(body), function="entry", signature=[Out("out", "float32")], kernels=kernels)


def run_entry(worker, callable):
    out = np.zeros(4, dtype=np.float32)
    worker.run(worker.register(callable), out)
    return out


def test_the_same_callable_registers_under_the_same_digest(worker, sources):
    first, second = worker.register(sources.add_scalar()), worker.register(sources.add_scalar())
    assert first.digest == second.digest
    assert len(first.digest) == 64 and int(first.digest, 16) >= 0
    other = replace(sources.add_scalar(), signature=[In("a"), Out("out")])
    assert worker.register(other).digest != first.digest


def test_a_callable_is_unloaded_when_every_registration_was_taken_back(worker, sources):
    a, out = np.ones(4, dtype=np.float32), np.zeros(4, dtype=np.float32)
    handle = worker.register(sources.add_scalar())
    assert worker.register(sources.add_scalar()) == handle
    worker.unregister(handle)
    worker.run(handle, a, out, 1.0)
    assert (out == 2).all()
    worker.unregister(handle)
    for use in (lambda: worker.run(handle, a, out, 1.0), lambda: worker.unregister(handle)):
        with pytest.raises(ArgumentError, match=handle.digest):
            use()


@pytest.mark.parametrize("given", ["environment", "argument"])
def test_compiled_objects_go_to_the_cache_directory_and_nowhere_else(sources, tmp_path, monkeypatch, given):
    elsewhere, cache = tmp_path / "elsewhere", tmp_path / "cache"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("TASKMILL_CACHE_DIR", str(cache if given == "environment" else elsewhere / "unused"))
    with Worker(cache_directory=cache if given == "argument" else None) as worker:
        worker.register(sources.add_scalar())
    assert any(path.is_file() for path in cache.rglob("*"))
    assert list(elsewhere.iterdir()) == []


def test_a_kernel_that_does_not_compile_is_told_with_file_and_line(worker, sources):
    broken = sources.write(
        "broken.cpp", '#include <taskmill/kernel.h>\nextern "C" void kernel_entry(int64_t* args) { nonsense; }\n'
    )
    with pytest.raises(CompileError, match=r"broken\.cpp:2.*nonsense") as raised:
        worker.register(sources.add_scalar(kernels=[Kernel(0, broken, name="broken")]))
    assert raised.value.code == 205 and "broken" in str(raised.value)


def test_an_orchestration_that_does_not_compile_is_told_with_file_and_line(worker, sources):
    with pytest.raises(CompileError, match=r"orchestration\.cpp:4.*nonsense") as raised:
        worker.register(entry(sources, "nonsense;"))
    assert raised.value.code == 205


def test_a_missing_orchestration_function_is_told_by_name(worker, sources):
    with pytest.raises(CompileError, match="add_vector") as raised:
        worker.register(sources.add_scalar(function="add_vector"))
    assert raised.value.code == 204


def test_a_kernel_without_an_entry_is_told(worker, sources):
    silent = sources.write("silent.cpp", 'extern "C" void kernel_exit() {}\n')
    with pytest.raises(CompileError, match="kernel_entry") as raised:
        worker.register(sources.add_scalar(kernels=[Kernel(0, silent)]))
    assert raised.value.code == 204


def test_a_missing_source_is_told_by_path(worker, sources):
    with pytest.raises(LoadError, match="absent.cpp") as raised:
        worker.register(sources.add_scalar(kernels=[Kernel(0, sources.folder / "absent.cpp")]))
    assert raised.value.code == 214


@pytest.mark.parametrize("ids", [(0, 0), (-1,), (1024,)])
def test_kernel_ids_outside_their_range_or_twice_are_refused(worker, sources, ids):
    kernel = sources.add_scalar().kernels[0]
    with pytest.raises(ArgumentError, match=str(ids[-1])) as raised:
        worker.register(sources.add_scalar(kernels=[replace(kernel, id=number) for number in ids]))
    assert raised.value.code == 203


def test_a_core_that_is_neither_aic_nor_aiv_is_refused(worker, sources):
    kernel = replace(sources.add_scalar().kernels[0], core="gpu")
    with pytest.raises(ArgumentError, match='gpu.*"aic" or "aiv"'):
        worker.register(sources.add_scalar(kernels=[kernel]))


def test_flags_reach_the_compiler(worker, sources):
    source = sources.write(
        "flagged.cpp",
        '#include <taskmill/kernel.h>\nextern "C" void kernel_entry(int64_t* args) { taskmill::data<float>(args, 0)[0] = VALUE; }\n',
    )
    kernels = [Kernel(0, source, core="aic", flags=["-DVALUE=42"])]
    out = run_entry(worker, entry(sources, "submit_aic_task(0, TaskArgs().add_output(args.tensor(0)));", kernels))
    assert out[0] == 42


def test_an_unknown_kernel_id_is_a_graph_error_that_names_it(worker, sources):
    with pytest.raises(GraphError, match="7") as raised:
        run_entry(worker, entry(sources, "submit_aiv_task(7, TaskArgs().add_output(args.tensor(0)));"))
    assert raised.value.code == 112


def test_a_fatal_report_is_a_graph_error_with_its_text(worker, sources):
    with pytest.raises(GraphError, match="out of ideas") as raised:
        run_entry(worker, entry(sources, 'report_fatal("out of ideas");'))
    assert raised.value.code == 9


def test_an_exception_of_the_orchestration_is_a_graph_error_with_its_text(worker, sources):
    body = 'struct Problem : std::exception { const char* what() const noexcept override { return "out of luck"; } };\nthrow Problem();'
    callable = entry(sources, body)
    callable.orchestration.write_text("#include <exception>\n" + callable.orchestration.read_text())
    with pytest.raises(GraphError, match="out of luck") as raised:
        run_entry(worker, callable)
    assert raised.value.code == 111


def test_a_worker_goes_on_after_a_graph_error(worker, sources):
    with pytest.raises(GraphError):
        run_entry(worker, entry(sources, 'report_fatal("no");'))
    a = np.ones(4, dtype=np.float32)
    out = np.zeros_like(a)
    worker.run(worker.register(sources.add_scalar()), a, out, 1.0)
    assert (out == 2).all()


def test_a_kernel_that_crashes_is_told_with_task_kernel_and_core_and_the_next_worker_is_fine(sources):
    crash = Kernel(0, sources.write("crash.cpp", CRASH), name="crash")
    body = "submit_aiv_task(0, TaskArgs().add_output(args.tensor(0)));"
    a = np.ones(4, dtype=np.float32)
    with Worker() as worker:
        with pytest.raises(DeviceError, match='"crash".*AIV') as raised:
            run_entry(worker, entry(sources, body, [crash]))
        assert raised.value.code == 110
        with pytest.raises(DeviceLostError):
            worker.run(worker.register(sources.add_scalar()), a, a.copy(), 1.0)
    with Worker() as worker:
        out = np.zeros_like(a)
        worker.run(worker.register(sources.add_scalar()), a, out, 1.0)
        assert (out == 2).all()


def test_a_handle_of_another_worker_is_unknown(sources):
    a = np.zeros(4, dtype=np.float32)
    with Worker() as one, Worker(device_id=1) as other:
        handle = one.register(sources.add_scalar())
        with pytest.raises(ArgumentError) as raised:
            other.run(handle, a, a.copy(), 1.0)
        assert raised.value.code == 216


def test_a_task_ring_too_small_for_a_scope_is_a_proven_deadlock(worker, sources):
    body = """
      const Tensor& out = args.tensor(0);
      const TensorSpec like(out.shapes, out.ndims, out.dtype);
      for (int i = 0; i < 8; ++i) submit_aiv_task(0, TaskArgs().add_input(out).add_output(like).add_scalar(1.0f));
    """
    callable = replace(entry(sources, body), signature=[In("in", "float32")])
    handle = worker.register(callable)
    with pytest.raises(GraphError, match="task ring") as raised:
        worker.run(handle, np.zeros(4, dtype=np.float32), config=RunConfig(task_window=4))
    assert raised.value.code == 1


# The second task names a buffer of a scope that was closed before it.
AFTER_SCOPE = """
  const Tensor& out = args.tensor(0);
  Tensor kept = {};
  TASKMILL_SCOPE() {
    const Outputs made = submit_aiv_task(
        0, TaskArgs().add_input(out).add_output(TensorSpec(out.shapes, out.ndims, out.dtype)).add_scalar(1.0f));
    kept = made[0];
  }
  submit_aiv_task(0, TaskArgs().add_input(kept).add_output(out).add_scalar(1.0f));
"""


def test_the_rules_of_a_callable_reach_its_runs_and_its_digest(worker, sources):
    native = replace(entry(sources, AFTER_SCOPE), signature=[InOut("x", "float32")])
    x = np.zeros(4, dtype=np.float32)
    with pytest.raises(GraphError, match="whose scope has ended") as raised:
        worker.run(worker.register(native), x)
    assert raised.value.code == 5
    ecosystem = replace(native, rules="ecosystem")
    worker.run(worker.register(ecosystem), x)
    assert (x == 2).all()
    assert worker.register(native).digest != worker.register(ecosystem).digest


def test_rules_that_do_not_exist_are_refused(worker, sources):
    with pytest.raises(ArgumentError, match='rules is \'loose\', must be "native" or "ecosystem"') as raised:
        worker.register(sources.add_scalar(rules="loose"))
    assert raised.value.code == 203


def test_a_dependency_that_was_never_given_out_is_a_graph_error_that_names_it(worker, sources):
    body = "const uint64_t never = 7;\nsubmit_order_task(TaskArgs().set_dependencies(&never, 1));"
    with pytest.raises(GraphError, match="dependency 0 of task 0 is task id 0x7") as raised:
        run_entry(worker, entry(sources, body))
    assert raised.value.code == 5
