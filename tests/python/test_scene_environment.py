"""What surrounds a scene's hooks and runs: environment variables, threads of array libraries, workers."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from taskmill import Worker
from taskmill.scene import In, Out, RunOptions, SceneTestCase, TaskArgsBuilder, TensorArg, run_scene, scene_test
from taskmill.scene.threads import cpu_count, threads_within_cpus
from taskmill.scene.workers import Workers
from threadpoolctl import threadpool_info, threadpool_limits

ADDEND_FROM_THE_ENVIRONMENT = """\
#include <cstdlib>
#include <taskmill/kernel.h>
extern "C" void kernel_entry(int64_t* args) {
  const char* addend = std::getenv("SCENE_ADDEND");
  taskmill::data<float>(args, 1)[0] = taskmill::data<float>(args, 0)[0] + (addend ? std::atof(addend) : -1);
}
"""
CRASH = """\
#include <taskmill/kernel.h>
extern "C" void kernel_entry(int64_t*) { *reinterpret_cast<volatile int*>(8) = 1; }
"""
COPY = "submit_aiv_task(0, TaskArgs().add_input(args.tensor(0)).add_output(args.tensor(1)));"


@pytest.fixture
def scene_class(sources):
    """out[0] = a[0] + $SCENE_ADDEND for a = 1; ``scene.seen`` are the values of $SCENE_ADDEND that its hooks saw."""
    sources.orchestration(COPY)
    sources.write("kernel.cpp", ADDEND_FROM_THE_ENVIRONMENT)

    class Addend(SceneTestCase):
        CALLABLE = {
            "orchestration": {"source": "orchestration.cpp", "function_name": "entry", "signature": [In, Out]},
            "incores": [{"func_id": 0, "source": "kernel.cpp", "core_type": "aiv"}],
        }
        CASES = [{"name": "only", "platforms": ["a2a3sim"], "params": {"golden": 3.5}}]
        RUNTIME_ENV = {"SCENE_ADDEND": "2.5"}
        seen = []

        def generate_args(self, params):
            self.seen.append(os.environ.get("SCENE_ADDEND"))
            return TaskArgsBuilder(*(TensorArg(name, np.ones(1, dtype=np.float32)) for name in ("a", "out")))

        def compute_golden(self, args, params):
            self.seen.append(os.environ.get("SCENE_ADDEND"))
            args.out[0] = params["golden"]

    declared = scene_test()(Addend)
    declared._scene_folder = sources.folder
    return declared


def run(scene, workers=None, **options):
    return run_scene(scene, scene.CASES[0], "a2a3sim", RunOptions(**options), workers)


def test_the_runtime_environment_is_set_around_runs_only(scene_class, monkeypatch):
    monkeypatch.delenv("SCENE_ADDEND", raising=False)
    result = run(scene_class, rounds=2)
    assert result.status == "passed", result.error
    assert scene_class.seen == [None, None] and "SCENE_ADDEND" not in os.environ


def test_a_variable_that_was_set_comes_back_even_after_a_run_that_failed(scene_class, sources, monkeypatch):
    monkeypatch.setenv("SCENE_ADDEND", "9")
    sources.write("kernel.cpp", CRASH)
    assert run(scene_class).status == "error"
    assert scene_class.seen == ["9", "9"] and os.environ["SCENE_ADDEND"] == "9"


def test_relative_directories_and_paths_start_at_the_classs_folder(scene_class, monkeypatch, sources):
    scene_class.RUNTIME_ENV = {
        "SCENE_ADDEND": "2.5",
        "SCENE_DATA_DIR": "data",
        "SCENE_FILE_PATH": Path("data") / "x",
        "SCENE_ROOT_DIR": "/data",
        "SCENE_NAME": "data",
    }
    seen = {}
    run_native = Worker.run

    def watched(self, *arguments, **keywords):
        seen.update({name: os.environ[name] for name in scene_class.RUNTIME_ENV})
        return run_native(self, *arguments, **keywords)

    monkeypatch.setattr(Worker, "run", watched)
    assert run(scene_class).status == "passed"
    assert seen == {
        "SCENE_ADDEND": "2.5",
        "SCENE_DATA_DIR": str(sources.folder / "data"),
        "SCENE_FILE_PATH": str(sources.folder / "data" / "x"),
        "SCENE_ROOT_DIR": "/data",
        "SCENE_NAME": "data",
    }


@pytest.mark.parametrize(("variables", "told"), [(["A"], "is a list, must be a mapping"), ({"A": 1}, "has 'A': 1, must be a name")])
def test_a_runtime_environment_of_other_things_than_strings_is_refused(variables, told):
    class Odd(SceneTestCase):
        RUNTIME_ENV = variables

    with pytest.raises(TypeError, match=f"^Odd: RUNTIME_ENV {told}"):
        scene_test()(Odd)


def blas_threads():
    return {info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"}


def test_hooks_run_with_no_more_array_threads_than_cpus(scene_class):
    scene_class.compute_golden = lambda self, args, params: self.seen.append(blas_threads())
    scene_class.compare_outputs = lambda self, *arguments: self.seen.append(blas_threads())
    with threadpool_limits(limits=64):
        before = blas_threads()
        assert run(scene_class).status == "passed"
        assert scene_class.seen[1:] == [{cpu_count()}, {cpu_count()}] and blas_threads() == before == {64}


def test_fewer_array_threads_than_cpus_stay_fewer(monkeypatch):
    monkeypatch.setattr("taskmill.scene.threads.cpu_count", lambda: 8)
    with threadpool_limits(limits=3), threads_within_cpus():
        assert blas_threads() == {3}


def test_cpus_are_those_of_the_affinity_within_the_quota_of_the_container(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: range(4))
    assert cpu_count(tmp_path) == 4
    for folder, text in (("proc/self", "0::/user.slice\n"), ("sys/fs/cgroup/user.slice", "")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "cgroup").write_text(text)
    for told, cpus in (("max 100000", 4), ("250000 100000", 2), ("50000 100000", 1), ("900000 100000", 4)):
        (tmp_path / "sys/fs/cgroup/user.slice/cpu.max").write_text(told)
        assert cpu_count(tmp_path) == cpus


def test_cases_share_the_worker_of_their_platform_until_it_is_closed(scene_class):
    with Workers() as workers:
        with workers.lend("a2a3sim") as first, workers.lend("a5sim") as other:
            assert first.platform == "a2a3sim" and other.platform == "a5sim"
        assert run(scene_class, workers).status == "passed"
        assert run(scene_class, workers, params={"golden": 1.0}).status == "failed"
        with workers.lend("a2a3sim") as again:
            assert again is first and not first.closed
    assert first.closed and other.closed


def test_a_device_that_failed_is_opened_anew_for_the_next_case(scene_class, sources):
    with Workers() as workers:
        with workers.lend("a2a3sim") as first:
            pass
        sources.write("kernel.cpp", CRASH)
        assert "KernelCrashed" in run(scene_class, workers).error
        assert first.closed
        sources.write("kernel.cpp", ADDEND_FROM_THE_ENVIRONMENT)
        assert run(scene_class, workers).status == "passed"
