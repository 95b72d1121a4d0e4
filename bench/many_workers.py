"""Field case F05 measured: eight processes with a 72-core chip each, 100 runs of a 20-task graph, started at once, against one."""

import json
import os
import subprocess
import sys
import time

from taskmill import Worker
from twenty import TWENTY, run_twenty

ROUNDS = 100


def work():
    with Worker(platform="a2a3sim") as worker:
        run_twenty(worker, worker.register(TWENTY), ROUNDS)


def measure(count):
    """(wall seconds, mean CPU seconds of a process) of `count` processes started at once."""
    start = time.monotonic()
    children = [subprocess.Popen([sys.executable, __file__, "work"]) for _ in range(count)]
    cpu = 0.0
    for child in children:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"a worker ended with {child.returncode}")
        cpu += usage.ru_utime + usage.ru_stime
    return time.monotonic() - start, cpu / count


def main():
    if sys.argv[1:] == ["work"]:
        return work()
    work()  # fills the kernel cache
    one_wall, one_cpu = measure(1)
    wall, cpu = measure(8)
    print(
        json.dumps(
            {
                "benchmark": "many_workers",
                "one": {"wall_s": round(one_wall, 3), "cpu_s": round(one_cpu, 3)},
                "eight": {"wall_s": round(wall, 3), "cpu_s_each": round(cpu, 3)},
                "cpu_ratio": round(cpu / one_cpu, 2),
            }
        )
    )


if __name__ == "__main__":
    main()
