"""What an open worker costs while nobody runs anything: wake-ups and CPU time of its threads over 10 s."""

import json
import os
import time
from pathlib import Path

from taskmill import Worker
from twenty import TWENTY, run_twenty

SECONDS = 10


def worker_threads():
    """thread id -> (times it was switched to, CPU ticks), the Python thread left out."""
    found = {}
    for task in Path("/proc/self/task").iterdir():
        if int(task.name) == os.getpid():
            continue
        status = dict(line.split(":\t", 1) for line in (task / "status").read_text().splitlines() if ":\t" in line)
        fields = (task / "stat").read_text().rsplit(")", 1)[1].split()
        switches = int(status["voluntary_ctxt_switches"]) + int(status["nonvoluntary_ctxt_switches"])
        found[task.name] = (switches, int(fields[11]) + int(fields[12]))
    return found


def main():
    with Worker(platform="a2a3sim") as worker:
        run_twenty(worker, worker.register(TWENTY), 1)
        time.sleep(0.5)  # threads that were added for the run retire
        before = worker_threads()
        time.sleep(SECONDS)
        after = worker_threads()
    none = (0, 0)
    wake_ups = sum(after[t][0] - before.get(t, none)[0] for t in after)
    ticks = sum(after[t][1] - before.get(t, none)[1] for t in after)
    print(
        json.dumps(
            {
                "benchmark": "idle_worker",
                "threads": len(after),
                "wake_ups_per_s": wake_ups / SECONDS,
                "cpu_ms_per_s": 1000 * ticks / os.sysconf("SC_CLK_TCK") / SECONDS,
            }
        )
    )


if __name__ == "__main__":
    main()
