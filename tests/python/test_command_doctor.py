"""The command ``taskmill doctor``: what it prints, and each of its checks on machines that are not this one."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace

import pytest
from command_line import taskmill, taskmill_on_a_terminal
from taskmill import system
from taskmill.command.doctor import run_checks
from taskmill.command.doctor.check import NOTE, OK, PROBLEM, Check, attempt, worst
from taskmill.command.doctor.compiler import Compiler, check_compiler, find_compiler
from taskmill.command.doctor.folders import check_cache, check_temporary_folder
from taskmill.command.doctor.machine import (
    check_cpu_features,
    check_cpus,
    check_huge_pages,
    check_limits,
    check_memory,
    simulated_bytes,
    soft_limits,
)
from taskmill.command.doctor.packages import check_packages

GIB = 1 << 30
NAMES = "compiler,first kernel,packages,CPU features,CPUs,memory,huge pages,limits,cache,temporary folder".split(",")
GCC = {"__GNUC__": "12", "__GNUC_MINOR__": "2", "__GNUC_PATCHLEVEL__": "0", "__cplusplus": "202002L", "__AVX2__": "1"}
CLANG = {**GCC, "__clang__": "1", "__clang_major__": "14", "__clang_minor__": "0", "__clang_patchlevel__": "6"}
ROOMY = {"stack": 8 << 20, "address space": None, "open files": 1024, "processes": None}


@pytest.fixture
def machine(tmp_path):
    """Writes files below a root folder and returns it: machine({"proc/cpuinfo": "..."})."""

    def write(files):
        for path, contents in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(contents)
        return tmp_path

    return write


def meminfo(total, available):
    return f"MemTotal:       {total // 1024} kB\nMemFree:        1 kB\nMemAvailable:   {available // 1024} kB\n"


# ---- the command


def test_json_has_every_check_and_the_exit_code_tells_whether_there_is_a_problem():
    done = taskmill("doctor", "--json")
    told = json.loads(done.stdout)
    states = {check["name"]: check["state"] for check in told["checks"]}
    assert list(states) == NAMES and states["first kernel"] == OK and states["compiler"] != PROBLEM
    assert told["problems"] == list(states.values()).count(PROBLEM) and told["notes"] == list(states.values()).count(NOTE)
    assert done.returncode == (1 if told["problems"] else 0)
    assert all(bool(check["advice"]) == (check["state"] != OK) for check in told["checks"])


def test_without_a_compiler_it_ends_with_1_and_says_what_to_install():
    done = taskmill("doctor", TASKMILL_CXX="no-such-compiler")
    rows = [re.split(r"  +", line.strip(), maxsplit=2) for line in done.stdout.splitlines()]
    assert done.returncode == 1 and done.stderr == "" and "\x1b" not in done.stdout
    assert rows[0] == ["problem", "compiler", 'there is no "no-such-compiler"']
    assert rows[1][0].startswith("-> install g++ 12 or newer")
    assert rows[2][:2] == ["problem", "first kernel"] and "[CompileFailed, 205]" in rows[2][2]
    assert re.fullmatch(r"2 problems, \d+ notes?", done.stdout.splitlines()[-1])


def test_a_terminal_gets_colours_unless_NO_COLOR_is_set():
    code, shown = taskmill_on_a_terminal("doctor", TASKMILL_CXX="no-such-compiler")
    assert code == 1 and "\x1b[1;31mproblem\x1b[0m" in shown
    _, plain = taskmill_on_a_terminal("doctor", TASKMILL_CXX="no-such-compiler", NO_COLOR="1")
    assert not re.search("\x1b\\[[0-9;]*3[0-7]", plain) and "problem" in plain


def test_a_limit_on_addresses_is_found_where_the_simulator_fails_on_it():
    command = f"ulimit -v {simulated_bytes() // 1024}; exec {sys.executable} -m taskmill doctor --json"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert done.returncode == 1 and checks["first kernel"]["state"] == checks["limits"]["state"] == PROBLEM
    assert "of addresses, the simulator reserves" in checks["limits"]["found"] and checks["limits"]["advice"] == "ulimit -v unlimited"


def test_a_setting_that_no_simulator_takes_is_a_problem_of_the_first_kernel():
    done = taskmill("doctor", "--json", TASKMILL_SIM_EXECUTOR="random")
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert done.returncode == 1 and checks["first kernel"]["state"] == PROBLEM
    assert 'TASKMILL_SIM_EXECUTOR="random"' in checks["first kernel"]["found"]
    assert checks["first kernel"]["advice"] == "see `taskmill explain 203`"


@pytest.mark.parametrize("words", [["--fast"], ["compiler"]])
def test_a_mistake_in_its_use_ends_with_2(words):
    done = taskmill("doctor", *words)
    assert done.returncode == 2 and words[0] in done.stderr and done.stdout == ""


def test_no_check_raises_on_a_system_without_proc_and_sys(tmp_path):
    found = {check.name: check for check in run_checks(tmp_path)}
    assert list(found) == NAMES
    assert [found[name].state for name in ("CPU features", "memory", "huge pages")] == [NOTE] * 3
    assert all(not check.found.startswith("could not be checked") for check in found.values())


def test_a_check_that_fails_itself_is_a_note():
    def broken():
        raise KeyError("x")

    assert attempt("memory", broken) == Check("memory", NOTE, "could not be checked: KeyError: 'x'", "nothing, if all else works")


def test_the_worst_remark_is_the_state_and_all_are_told():
    assert worst("x", "a", []) == Check("x", OK, "a")
    assert worst("x", "a", [(NOTE, "b", "do b"), (PROBLEM, "c", "do c")]) == Check("x", PROBLEM, "a; b; c", "do b; do c")


# ---- compiler


def test_the_compiler_of_this_machine_is_found_with_version_and_architecture():
    found = find_compiler("g++")
    assert found.is_gcc and found.knows_cpp20 and re.fullmatch(r"\d+\.\d+\.\d+", found.version)
    assert found.architecture not in ("", "native")
    assert find_compiler("no-such-compiler") is None


@pytest.mark.parametrize(
    ("macros", "state", "told"),
    [
        (GCC, OK, "12.2.0, C++20, -march=native is skylake"),
        (GCC | {"__GNUC__": "11"}, NOTE, "older than g++ 12"),
        (GCC | {"__cplusplus": "201709L"}, PROBLEM, "does not compile C++20"),
        (CLANG, NOTE, "14.0.6, C++20"),
        ({}, PROBLEM, "does not compile C++20"),
    ],
)
def test_a_compiler_is_judged_by_what_it_predefines(macros, state, told):
    found = check_compiler(Compiler("g++", "/usr/bin/g++", macros, "skylake"), [])
    assert found.state == state and told in found.found and bool(found.advice) == (state != OK)


def test_other_compilers_are_named():
    found = check_compiler(Compiler("g++", "/usr/bin/g++", GCC, "skylake"), [Compiler("clang++", "/usr/bin/clang++", CLANG)])
    assert "(also there: clang++ 14.0.6)" in found.found


# ---- packages

VERSIONS = {"numpy": "2.4.6", "rich": "15.0.0"}


def version_of(name):
    if name not in VERSIONS:
        raise PackageNotFoundError(name)
    return VERSIONS[name]


@pytest.mark.parametrize(
    ("requires", "python", "state", "told", "advice"),
    [
        (["numpy>=2.0", "rich>=13"], ">=3.11", OK, "numpy 2.4.6, rich 15.0.0", ""),
        (["numpy>=2.5"], ">=3.11", PROBLEM, "numpy>=2.5 is asked for", "pip install 'numpy>=2.5'"),
        (["typer>=0.15"], ">=3.11", PROBLEM, "typer>=0.15 is missing", "pip install 'typer>=0.15'"),
        (["typer>=0.15; extra == 'x'"], ">=3.11", OK, "Python 3.", ""),
        (["numpy"], ">=4", PROBLEM, "Taskmill asks for Python >=4", "make an environment with Python >=4"),
    ],
)
def test_packages_are_held_against_what_is_asked_for(requires, python, state, told, advice):
    found = check_packages(requires, python, version_of)
    assert (found.state, found.advice) == (state, advice) and told in found.found


# ---- proc and sys


@pytest.mark.parametrize(("online", "count"), [("0-3,6\n", 5), ("0\n", 1), ("0-1,8-9\n", 4), ("", None)])
def test_online_cpus_are_counted(machine, online, count):
    assert system.online_cpus(machine({"sys/devices/system/cpu/online": online})) == count


def test_a_limit_of_cgroup_version_2_is_the_smallest_on_the_way_up(machine):
    root = machine(
        {
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/b/memory.max": "max\n",
            "sys/fs/cgroup/a/memory.max": "2147483648\n",
            "sys/fs/cgroup/memory.max": "4294967296\n",
            "sys/fs/cgroup/a/b/cpu.max": "150000 100000\n",
            "sys/fs/cgroup/a/cpu.max": "max 100000\n",
            "sys/fs/cgroup/a/pids.max": "64\n",
            "sys/fs/cgroup/c/memory.max": "1\n",
        }
    )
    assert (system.memory_limit(root), system.cpu_limit(root), system.task_limit(root)) == (2 * GIB, 1.5, 64)


def test_a_limit_of_cgroup_version_1_lies_with_its_controller(machine):
    root = machine(
        {
            "proc/self/cgroup": "5:memory:/box\n4:cpu,cpuacct:/box\n3:pids:/\n1:name=systemd:/\n0::/\n",
            "sys/fs/cgroup/memory/box/memory.limit_in_bytes": f"{GIB}\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            "sys/fs/cgroup/cpu/box/cpu.cfs_quota_us": "50000\n",
            "sys/fs/cgroup/cpu/box/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/pids/pids.max": "max\n",
        }
    )
    assert (system.memory_limit(root), system.cpu_limit(root), system.task_limit(root)) == (GIB, 0.5, None)


def test_a_container_that_sees_its_own_cgroup_as_the_root_has_its_limits_there(machine):
    root = machine({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": f"{GIB}\n"})
    assert system.memory_limit(root) == GIB


def test_no_limit_is_none(machine):
    for files in ({}, {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}):
        root = machine(files)
        assert (system.memory_limit(root), system.cpu_limit(root), system.task_limit(root)) == (None, None, None)


def test_files_that_make_no_sense_are_as_good_as_none(machine):
    root = machine(
        {
            "proc/self/cgroup": "nonsense\n0::\n",
            "sys/fs/cgroup/memory.max": "lots\n",
            "sys/fs/cgroup/cpu.max": "1 0\n",
            "proc/meminfo": "MemTotal: much\n",
            "proc/cpuinfo": "\n",
            "sys/kernel/mm/transparent_hugepage/enabled": "yes\n",
        }
    )
    assert (system.memory_limit(root), system.cpu_limit(root), system.memory_bytes(root, "MemTotal")) == (None, None, None)
    assert (system.cpu_flags(root), system.huge_page_mode(root)) == (frozenset(), None)


# ---- the machine


@pytest.mark.parametrize(
    ("flags", "macros", "state", "told"),
    [
        ("avx2 avx512f avx512_bf16 amx_tile", "__AVX2__ __AVX512F__ __AVX512BF16__ __AMX_TILE__", OK, "AVX2, AVX-512, AVX512_BF16, AMX"),
        ("avx2 avx512f", "__AVX2__ __AVX512F__", NOTE, "AVX2, AVX-512; no AVX512_BF16, AMX"),
        ("sse2", "", NOTE, "none that kernels profit from; no AVX2"),
        ("avx2 avx512f avx512_bf16 amx_tile", "__AVX2__ __AVX512F__ __AVX512BF16__", NOTE, "the compiler does not use AMX"),
    ],
)
def test_cpu_features_are_those_that_the_cpu_has_and_the_compiler_uses(machine, flags, macros, state, told):
    root = machine({"proc/cpuinfo": f"processor\t: 0\nflags\t\t: fpu {flags}\n\nprocessor\t: 1\nflags\t\t: fpu\n"})
    found = check_cpu_features(root, dict.fromkeys(macros.split(), "1"))
    assert found.state == state and told in found.found and bool(found.advice) == (state != OK)


@pytest.mark.parametrize(
    ("quota", "usable", "state", "told", "advice"),
    [
        ("max 100000", 8, OK, "8 of 8 usable", ""),
        ("max 100000", 2, NOTE, "2 of 8 usable", "taskset"),
        ("250000 100000", 8, NOTE, "the time of 2.5", "TASKMILL_SIM_THREADS=2"),
        ("50000 100000", 8, NOTE, "the time of 0.5", "TASKMILL_SIM_THREADS=1"),
    ],
)
def test_cpus_are_held_against_the_machine_and_the_cgroup(machine, quota, usable, state, told, advice):
    root = machine({"sys/devices/system/cpu/online": "0-7\n", "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": f"{quota}\n"})
    found = check_cpus(root, usable)
    assert found.state == state and told in found.found and advice in found.advice


@pytest.mark.parametrize(
    ("available", "limit", "state", "told"),
    [
        (20 * GIB, "max", OK, "20.0 GiB of 32.0 GiB free; a simulated device offers 24.0 GiB"),
        (GIB // 2, "max", NOTE, "less than 1.0 GiB"),
        (20 * GIB, 8 * GIB, NOTE, "the cgroup allows 8.0 GiB"),
        (20 * GIB, GIB // 2, NOTE, "less than 1.0 GiB"),
        (20 * GIB, 30 * GIB, OK, "the cgroup allows 30.0 GiB"),
    ],
)
def test_memory_is_held_against_the_device_and_the_cgroup(machine, available, limit, state, told):
    root = machine(
        {"proc/meminfo": meminfo(32 * GIB, available), "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": f"{limit}\n"}
    )
    found = check_memory(root, 24 * GIB)
    assert found.state == state and told in found.found and bool(found.advice) == (state != OK)


def test_the_memory_of_a_simulated_device_is_known_without_opening_one(worker):
    assert simulated_bytes() == worker.device_info.memory_bytes


@pytest.mark.parametrize(
    ("setting", "state", "told"),
    [
        ("always [madvise] never", OK, "madvise: device memory of the simulator from 4.0 MiB on"),
        ("[always] madvise never", OK, "always: "),
        ("always madvise [never]", NOTE, "never: "),
        ("", NOTE, "no transparent huge pages"),
    ],
)
def test_huge_pages_are_judged_by_the_setting(machine, setting, state, told):
    found = check_huge_pages(machine({"sys/kernel/mm/transparent_hugepage/enabled": setting}))
    assert found.state == state and told in found.found


@pytest.mark.parametrize(
    ("changes", "state", "told", "advice"),
    [
        ({}, OK, "stack 8.0 MiB, 1,024 open files, any number of threads", ""),
        ({"stack": None, "open files": None}, OK, "stack unlimited, any number of open files", ""),
        ({"stack": 256 << 10}, NOTE, "stack 256.0 KiB", "ulimit -s"),
        ({"address space": 4 * GIB}, PROBLEM, "the simulator reserves 36.0 GiB", "ulimit -v"),
        ({"address space": 64 * GIB}, OK, "stack 8.0 MiB", ""),
        ({"open files": 64}, NOTE, "64 open files", "ulimit -n"),
        ({"processes": 100}, NOTE, "100 threads", "ulimit -u"),
    ],
)
def test_limits_matter_where_the_simulator_meets_them(tmp_path, changes, state, told, advice):
    found = check_limits(tmp_path, ROOMY | changes, 24 * GIB)
    assert found.state == state and told in found.found and advice in found.advice


def test_the_threads_that_a_cgroup_allows_are_a_limit_too(machine):
    root = machine({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/pids.max": "50\n"})
    assert check_limits(root, ROOMY | {"processes": 1000}, 0).found.startswith("stack 8.0 MiB, 1,024 open files, 50 threads")
    assert set(soft_limits()) == set(ROOMY)


# ---- folders


def test_a_cache_that_can_be_written_is_told_with_its_size(monkeypatch, tmp_path):
    monkeypatch.setenv("TASKMILL_CACHE_DIR", str(tmp_path / "not" / "there"))
    found = check_cache()
    assert found.state == OK and found.found == f"{tmp_path}/not/there, 0 entries, 0 bytes"


def test_a_cache_that_cannot_be_written_is_a_note(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TASKMILL_CACHE_DIR", str(tmp_path / "file" / "cache"))
    found = check_cache()
    assert found.state == NOTE and f"{tmp_path}/file/cache cannot be written" in found.found and "TASKMILL_CACHE_DIR" in found.advice


def test_no_folder_for_the_cache_is_a_problem(monkeypatch):
    for name in ("TASKMILL_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    assert check_cache().state == PROBLEM


def test_a_temporary_folder_that_is_not_there_is_a_problem(monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert check_temporary_folder().found.startswith(f"{tmp_path}, ")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "absent"))
    found = check_temporary_folder()
    assert found.state == PROBLEM and "No such file or directory" in found.found and "TMPDIR" in found.advice
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_folder_from_which_nothing_can_be_loaded_is_a_problem(monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(os, "statvfs", lambda path: SimpleNamespace(f_flag=os.ST_NOEXEC))
    found = check_temporary_folder()
    assert found.state == PROBLEM and f"{tmp_path} is mounted noexec" in found.found


@pytest.mark.parametrize("check", [check_cache, check_temporary_folder])
def test_a_disk_that_is_nearly_full_is_a_note(monkeypatch, tmp_path, check):
    monkeypatch.setenv("TASKMILL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1 << 20))
    found = check()
    assert found.state == NOTE and "1.0 MiB free" in found.found and "make room" in found.advice
