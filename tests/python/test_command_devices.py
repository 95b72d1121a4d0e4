"""The command ``taskmill devices``."""

from __future__ import annotations

import json
import re

import pytest
from command_line import taskmill, taskmill_on_a_terminal
from taskmill import TaskmillError, Worker
from taskmill.command.devices import PLATFORMS


def described(**changes):
    done = taskmill("devices", "--json", **changes)
    return done.returncode, {device["platform"]: device for device in json.loads(done.stdout)["devices"]}


def test_a_simulated_device_is_described_as_a_worker_finds_it(platform):
    code, devices = described(TASKMILL_SIM_THREADS="3")
    with Worker(platform=platform) as worker:
        info = worker.device_info
    device = devices[platform]
    assert code == 0 and device["available"] and device["simulated"] and device["reason"] == ""
    assert (device["clusters"], device["aic_cores"] + device["aiv_cores"]) == (info.clusters, info.cores)
    assert device["aiv_cores"] == 2 * device["aic_cores"]
    assert (device["memory_bytes"], device["aicpu_threads"]) == (info.memory_bytes, info.aicpu_threads)
    assert (device["executor"], device["threads"], device["seed"]) == ("pool", 3, None)


def test_a_seeded_simulator_is_told_with_its_seed():
    _, devices = described(TASKMILL_SIM_EXECUTOR="seeded", TASKMILL_SIM_SEED="7")
    assert [(devices[name]["executor"], devices[name]["threads"], devices[name]["seed"]) for name in ("a2a3sim", "a5sim")] == [
        ("seeded", 0, 7)
    ] * 2


@pytest.mark.parametrize("name", ["a2a3", "a5"])
def test_a_platform_without_a_driver_is_listed_with_the_reason_that_opening_it_gives(name):
    with pytest.raises(TaskmillError) as refused:
        Worker(platform=name)
    _, devices = described()
    assert not devices[name]["available"] and not devices[name]["simulated"] and devices[name]["clusters"] == 0
    assert devices[name]["reason"] == refused.value.message


def test_the_exit_code_is_1_if_no_device_can_be_used():
    code, devices = described(TASKMILL_SIM_EXECUTOR="random")
    assert code == 1 and list(devices) == list(PLATFORMS)
    assert not any(device["available"] for device in devices.values())
    assert "TASKMILL_SIM_EXECUTOR" in devices["a2a3sim"]["reason"]


def test_the_table_has_a_row_for_each_platform_without_colours_or_blanks_at_ends():
    done = taskmill("devices")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and done.stderr == "" and "\x1b" not in done.stdout
    assert lines[0].split() == ["platform", "clusters", "AIC", "AIV", "memory", "how", "it", "runs"]
    assert [line.split()[0] for line in lines[1:5]] == list(PLATFORMS)
    assert lines[1].split()[1:4] == ["24", "24", "48"] and lines[2].split()[1:4] == ["36", "36", "72"]
    assert all(line == line.rstrip() for line in lines)


def test_a_terminal_gets_styles_and_no_colours_if_NO_COLOR_is_set():
    code, shown = taskmill_on_a_terminal("devices", TASKMILL_CXX="no-such-compiler")
    assert code == 1 and len(re.findall("\x1b\\[2mnot available", shown)) == len(PLATFORMS)
    _, plain = taskmill_on_a_terminal("devices", TASKMILL_CXX="no-such-compiler", NO_COLOR="1")
    assert not re.search("\x1b\\[[0-9;]*3[0-7]", plain) and plain.count("not available") == len(PLATFORMS)


@pytest.mark.parametrize("words", [["--fast"], ["a5sim"]])
def test_a_mistake_in_its_use_ends_with_2(words):
    done = taskmill("devices", *words)
    assert done.returncode == 2 and words[0] in done.stderr and done.stdout == ""
