"""``taskmill devices``."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass

import typer

from ..errors import TaskmillError
from ..worker import Worker
from .console import bytes_text, counted, output_console, plain_table, print_json, print_table, text

PLATFORMS = ("a2a3sim", "a5sim", "a2a3", "a5")


@dataclass(frozen=True)
class DeviceDescription:
    """What ``taskmill devices`` tells of a platform. Numbers are 0 for a platform that cannot be opened; ``reason`` says why."""

    platform: str
    available: bool
    simulated: bool
    clusters: int = 0
    aic_cores: int = 0
    aiv_cores: int = 0
    aicpu_threads: int = 0  # most control threads of one launch
    memory_bytes: int = 0
    executor: str = ""  # of a simulator: "pool" or "seeded"
    threads: int = 0  # of the pool
    seed: int | None = None  # of the seeded executor
    reason: str = ""

    def runs(self) -> str:
        """How it runs, in a few words."""
        if not self.available:
            return "not available"
        if not self.simulated:
            return "hardware"
        return f"simulated, pool of {counted(self.threads, 'thread')}" if self.executor == "pool" else f"simulated, seed {self.seed}"


def describe_device(platform: str) -> DeviceDescription:
    """Opens the first device of a platform and closes it again; a simulated one takes address space and next to no memory."""
    simulated = platform.endswith("sim")
    try:
        with Worker(platform=platform) as worker:
            info = worker.device_info
    except TaskmillError as problem:
        return DeviceDescription(platform, False, simulated, reason=problem.message.splitlines()[0])
    seeded = os.environ.get("TASKMILL_SIM_EXECUTOR") == "seeded"
    return DeviceDescription(
        platform,
        True,
        simulated,
        clusters=info.clusters,
        aic_cores=info.clusters,
        aiv_cores=info.cores - info.clusters,
        aicpu_threads=info.aicpu_threads,
        memory_bytes=info.memory_bytes,
        executor="" if not simulated else "seeded" if seeded else "pool",
        threads=0 if seeded or not simulated else _pool_threads(),
        seed=int(os.environ.get("TASKMILL_SIM_SEED") or 1) if seeded and simulated else None,
    )


def _pool_threads() -> int:
    """As the simulator counts them: what TASKMILL_SIM_THREADS says, else the CPUs of the process."""
    return int(os.environ.get("TASKMILL_SIM_THREADS") or len(os.sched_getaffinity(0)))


def devices(as_json: bool = typer.Option(False, "--json", help="Print one JSON object on standard output.")) -> None:
    """Lists the platforms: what each device is, how it runs, or why it is not available."""
    found = [describe_device(platform) for platform in PLATFORMS]
    if as_json:
        print_json({"devices": [asdict(device) for device in found]})
    else:
        _print(found)
    raise typer.Exit(0 if any(device.available for device in found) else 1)


def _print(found: list[DeviceDescription]) -> None:
    table = plain_table("platform", "clusters", "AIC", "AIV", "memory", "how it runs", right=("clusters", "AIC", "AIV", "memory"))
    for device in found:
        numbers = ["-"] * 4
        if device.available:
            numbers = [str(device.clusters), str(device.aic_cores), str(device.aiv_cores), bytes_text(device.memory_bytes)]
        table.add_row(device.platform, *numbers, text(device.runs(), "" if device.available else "dim"))
    console = output_console()
    print_table(console, table)
    for device in found:
        if device.reason:
            console.print(f"{device.platform}: {device.reason}", markup=False, soft_wrap=True)
