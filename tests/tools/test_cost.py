"""check_cost.py says which recorded figure crept, and by how much one may."""

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_cost.py"
FIXTURES = TOOL.parent / "fixtures" / "cost"


def compare(figures):
    command = [sys.executable, TOOL, "--figures", FIXTURES / figures, "--recorded", FIXTURES / "recorded.json"]
    return subprocess.run(command, capture_output=True, text=True)


def test_figures_within_tolerance_pass():
    done = compare("good.json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "within the recorded figures" in done.stdout


def test_a_figure_that_crept_fails_and_is_named_with_both_numbers():
    done = compare("bad.json")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "chain: submit takes 103.0 instructions, recorded 100.0" in done.stdout
    assert "dispatch takes" not in done.stdout
