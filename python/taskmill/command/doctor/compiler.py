"""The C++ compiler that kernels are built with: which, what it knows, and whether a kernel gets through it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...callables import Callable, In, Kernel, Out
from ...errors import CompileError, TaskmillError
from ...worker import Worker
from .check import NOTE, OK, PROBLEM, Check, worst

_OLDEST_GCC = 12
_CPP20 = 202002
_SECONDS = 60
_INSTALL = "install g++ 12 or newer (Debian, Ubuntu: apt install g++), or set TASKMILL_CXX to one"

_KERNEL = """\
#include <taskmill/kernel.h>
extern "C" void kernel_entry(int64_t* args) {
  for (uint64_t i = 0; i < taskmill::tensor(args, 1).numel(); ++i)
    taskmill::data<float>(args, 1)[i] = taskmill::data<float>(args, 0)[i] + 1;
}
"""
_ORCHESTRATION = """\
#include <taskmill/orchestration.h>
extern "C" void add_one(const taskmill::OrchestrationArgs& args) {
  taskmill::submit_aiv_task(0, taskmill::TaskArgs().add_input(args.tensor(0)).add_output(args.tensor(1)));
}
"""


@dataclass(frozen=True)
class Compiler:
    """A compiler as ``command`` finds it. ``macros`` are those that it predefines with ``-std=c++20 -march=native``."""

    command: str
    path: str
    macros: dict[str, str] = field(default_factory=dict)
    architecture: str = ""  # what -march=native is to it

    @property
    def is_gcc(self) -> bool:
        return "__GNUC__" in self.macros and "__clang__" not in self.macros

    @property
    def version(self) -> str:
        parts = ("__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__")
        if not self.is_gcc:
            parts = ("__clang_major__", "__clang_minor__", "__clang_patchlevel__")
        return ".".join(self.macros.get(part, "?") for part in parts)

    @property
    def knows_cpp20(self) -> bool:
        digits = re.match(r"\d+", self.macros.get("__cplusplus", ""))
        return digits is not None and int(digits.group()) >= _CPP20


def kernel_compiler_command() -> str:
    """As the kernel compiler chooses: $TASKMILL_CXX, else g++."""
    return os.environ.get("TASKMILL_CXX") or "g++"


def find_compiler(command: str) -> Compiler | None:
    """None if there is no such command."""
    path = shutil.which(command)
    if path is None:
        return None
    asked = _ask([path, "-std=c++20", "-march=native", "-dM", "-E", "-x", "c++", os.devnull])
    macros = dict(re.findall(r"^#define (\w+) (.*)$", asked, re.MULTILINE))
    driver = _ask([path, "-march=native", "-E", "-###", "-x", "c++", os.devnull])
    names = re.findall(r'"?-march=([\w.+-]+)"?|"-target-cpu" "([^"]+)"', driver)
    resolved = [gcc or clang for gcc, clang in names if (gcc or clang) != "native"]
    return Compiler(command, path, macros, resolved[0] if resolved else "")


def _ask(command: list[str]) -> str:
    options = {"text": True, "errors": "replace", "stdin": subprocess.DEVNULL, "env": {**os.environ, "LC_ALL": "C"}}
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, **options)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout + done.stderr


def check_compiler(compiler: Compiler | None, others: list[Compiler]) -> Check:
    command = kernel_compiler_command()
    if compiler is None:
        return Check("compiler", PROBLEM, f'there is no "{command}"', _INSTALL)
    if not compiler.knows_cpp20:
        found = f"{compiler.path} {compiler.version} does not compile C++20"
        return Check("compiler", PROBLEM, found, _INSTALL)
    also = f" (also there: {', '.join(f'{other.command} {other.version}' for other in others)})" if others else ""
    found = f"{compiler.path} {compiler.version}{also}, C++20, -march=native is {compiler.architecture or 'not told'}"
    remarks = []
    if not compiler.is_gcc:
        remarks.append((NOTE, "not g++, which is what Taskmill is tested with", "unset TASKMILL_CXX, or set it to a g++"))
    elif int(compiler.macros["__GNUC__"]) < _OLDEST_GCC:
        remarks.append((NOTE, f"older than g++ {_OLDEST_GCC}, untested", _INSTALL))
    return worst("compiler", found, remarks)


def check_kernel(platform: str = "a2a3sim") -> Check:
    """Compiles, loads and runs a kernel that adds 1, past the user's cache."""
    name = "first kernel"
    with tempfile.TemporaryDirectory(prefix="taskmill-doctor-") as folder:
        kernel, orchestration = Path(folder, "kernel.cpp"), Path(folder, "orchestration.cpp")
        kernel.write_text(_KERNEL)
        orchestration.write_text(_ORCHESTRATION)
        x, y = np.arange(16, dtype=np.float32), np.zeros(16, dtype=np.float32)
        try:
            with Worker(platform=platform, cache_directory=Path(folder, "cache")) as worker:
                callable = Callable(orchestration, "add_one", [In("x"), Out("y")], [Kernel(0, kernel)])
                worker.run(worker.register(callable), x, y)
        except TaskmillError as problem:
            first = problem.message.splitlines()[0]
            told = " ".join((problem.message if first.endswith(":") else first).split())
            see = f"see `taskmill explain {problem.code}`"
            advice = f"{_INSTALL}; {see}" if isinstance(problem, CompileError) else see
            return Check(name, PROBLEM, f"{told} [{problem.name}, {problem.code}]", advice)
    if not np.array_equal(y, x + 1):
        return Check(name, PROBLEM, f"ran on {platform} and gave wrong numbers", f"report it, with the CPU and {kernel_compiler_command()}")
    return Check(name, OK, f"compiled, loaded and ran on {platform}")
