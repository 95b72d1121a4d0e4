"""tools/quiet: one line for a step that passes, everything for one that fails."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def quiet(logs, *arguments):
    environment = {**os.environ, "TASKMILL_LOG_DIR": str(logs)}
    done = subprocess.run([ROOT / "tools" / "quiet", *arguments], capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout


def test_a_passing_step_prints_one_line_and_logs_its_output(tmp_path):
    code, told = quiet(tmp_path, "step", "sh", "-c", "echo much; echo more >&2")
    assert code == 0
    assert told.count("\n") == 1 and told.startswith("step ") and " ok " in told
    assert (tmp_path / "step.log").read_text() == "much\nmore\n"


def test_a_passing_step_shows_the_lines_that_were_asked_for(tmp_path):
    _, told = quiet(tmp_path, "step", "--show", "^[0-9]+ passed", "sh", "-c", "echo noise; echo 7 passed")
    assert told.splitlines()[1:] == ["7 passed"]


def test_a_failing_step_shows_its_output_and_passes_its_code_on(tmp_path):
    code, told = quiet(tmp_path, "step", "sh", "-c", "echo the reason; exit 3")
    assert code == 3
    assert told.startswith("the reason\n") and "step: FAILED with 3" in told


def test_bootstrap_says_nothing_when_all_is_there():
    done = subprocess.run([ROOT / "tools" / "bootstrap.sh", "demo", "test"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
