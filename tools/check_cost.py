#!/usr/bin/env python3
"""Instructions per submit, dispatch and completion, counted by callgrind on the seeded executor, against recorded figures.

A count is the difference between a run of 2n tasks and one of n, over n: what start-up costs falls out. Counts repeat for one
compiler; with another version than the recorded one they are printed and not compared.

    tools/check_cost.py --build build/cost             compare with bench/cost/recorded.json
    tools/check_cost.py --build build/cost --record    record what this machine counts

Graphs that a careless index would make quadratic are run at n, 2n and 4n tasks: a submit of the largest may take GROWTH times
as many instructions as one of the smallest.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TASKS = 1000
TOLERANCE = 0.02  # of the recorded figure: rounding, and hash tables that land elsewhere
GRAPHS = ("chain", "fan", "tiles")
SCALING = {"writers": 2000, "held": 2000, "slices": 1500, "readers": 2000, "views": 1024}  # graph -> n
GROWTH = 1.25
# What is counted: the inclusive cost of device functions, less what the executor does inside them when it is called through a
# port (there it hands over to another thread, whose wake-up takes more or fewer instructions).
COSTS = {
    "submit": ([r"graph::Builder<.*>::submit\("], [r"Ports::notify\(", r"Ports::block\("]),
    "dispatch": ([r"aicpu::Scheduler::dispatch_ready\("], [r"Ports::dispatch\("]),
    "completion": ([r"aicpu::Scheduler::collect_completions\(", r"aicpu::Scheduler::release_consumers\("], []),
    "core": ([r"aicore::core_step\("], []),
}


def count(program, graph, tasks, scratch):
    """Instructions of each of COSTS in one run of `tasks` tasks."""
    profile = scratch / f"{graph}-{tasks}.callgrind"
    environment = dict(os.environ, TASKMILL_SIM_EXECUTOR="seeded", TASKMILL_SIM_SEED="1", TASKMILL_CACHE_DIR=str(scratch / "cache"))
    command = ["valgrind", "--tool=callgrind", "--quiet", "--fair-sched=yes", f"--callgrind-out-file={profile}"]
    subprocess.run([*command, program, graph, str(tasks)], env=environment, check=True)
    annotate = ["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--show-percs=no", str(profile)]
    lines = subprocess.run(annotate, check=True, capture_output=True, text=True).stdout.splitlines()
    inclusive = [(int(m[1].replace(",", "")), m[2]) for line in lines if (m := re.match(r"\s*([\d,]+)\s+\S*?:(.*)", line))]

    def most(pattern, needed):
        hits = [cost for cost, name in inclusive if re.search(pattern, name)]
        if needed and not hits:
            sys.exit(f"check_cost: callgrind saw no function like {pattern} in graph {graph}: was it inlined or renamed?")
        return max(hits, default=0)

    return {name: sum(most(p, True) for p in own) - sum(most(p, False) for p in ports) for name, (own, ports) in COSTS.items()}


def measure(build):
    program = str(build / "bench" / "cost" / "cost_graph")
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        for graph in GRAPHS:
            once, twice = (count(program, graph, n, Path(folder)) for n in (TASKS, 2 * TASKS))
            figures[graph] = {cost: round((twice[cost] - once[cost]) / TASKS, 1) for cost in COSTS}
    return figures


def measure_scaling(build, scale):
    """graph -> instructions per submit at n, 2n and 4n tasks; n is that of SCALING times `scale`."""
    program = str(build / "bench" / "cost" / "cost_graph")
    with tempfile.TemporaryDirectory() as folder:
        return {
            graph: {n * factor: round(count(program, graph, n * factor, Path(folder))["submit"] / (n * factor), 1) for factor in (1, 2, 4)}
            for graph, n in ((graph, n * scale) for graph, n in SCALING.items())
        }


def grown(scaling):
    """Lines that say which graph's submits grow with it."""
    growth = {graph: list(costs.values())[-1] / list(costs.values())[0] for graph, costs in scaling.items()}
    return [f"{graph}: a submit grows {ratio:.2f} times from n to 4n tasks" for graph, ratio in growth.items() if ratio > GROWTH]


def compiler_version(build):
    cache = (build / "CMakeCache.txt").read_text()
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache, re.M)[1]
    return subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0].rsplit("/", 1)[-1]


def compare(figures, recorded):
    """Lines that say where a figure crept."""
    return [
        f"{graph}: {cost} takes {now} instructions, recorded {recorded[graph][cost]}"
        for graph, costs in figures.items()
        for cost, now in costs.items()
        if now > recorded[graph][cost] * (1 + TOLERANCE)
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "cost")
    parser.add_argument("--recorded", type=Path, default=ROOT / "bench" / "cost" / "recorded.json")
    parser.add_argument("--figures", type=Path, help="compare these instead of measuring")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--scale", type=int, default=1, help="times the sizes of SCALING")
    options = parser.parse_args()
    figures = json.loads(options.figures.read_text()) if options.figures else measure(options.build)
    compiler = None if options.figures else compiler_version(options.build)
    for graph, costs in figures.items():
        print(f"{graph}: " + ", ".join(f"{cost} {value}" for cost, value in costs.items()))
    scaling = {} if options.figures else measure_scaling(options.build, options.scale)
    for graph, costs in scaling.items():
        print(f"{graph}: submit " + ", ".join(f"{value} at {tasks:,} tasks" for tasks, value in costs.items()))
    if options.record:
        options.recorded.write_text(json.dumps({"compiler": compiler, "figures": figures}, indent=2) + "\n")
        return 0
    recorded = json.loads(options.recorded.read_text())
    if compiler not in (None, recorded["compiler"]):
        print(f"recorded with {recorded['compiler']}, built with {compiler}: not compared")
        return 0
    crept = compare(figures, recorded["figures"]) + grown(scaling)
    print("\n".join(crept) if crept else "within the recorded figures")
    return 1 if crept else 0


if __name__ == "__main__":
    sys.exit(main())
