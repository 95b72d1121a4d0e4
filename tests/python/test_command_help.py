"""Help and version of the command ``taskmill``."""

from __future__ import annotations

import functools
import shlex
from importlib import metadata

import pytest
from command_line import COLUMNS, taskmill, taskmill_on_a_terminal

COMMANDS = ["", "run", "kernels", "devices", "doctor", "cache", "cache clear", "explain"]


@functools.cache
def help_of(command: str) -> str:
    """As wide terminals and pipes get it."""
    done = taskmill(*command.split(), "--help", COLUMNS="200")
    assert done.returncode == 0 and done.stderr == ""
    return done.stdout


def examples_in(text: str) -> list[list[str]]:
    """The words of each example after ``taskmill``; variables before it are left out."""
    lines = text.partition("  Examples:\n")[2].splitlines()
    return [shlex.split(line.partition("taskmill ")[2]) for line in lines]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_80_columns_tells_exit_codes_and_ends_with_examples(command):
    text = help_of(command)
    assert max(map(len, text.splitlines())) <= COLUMNS
    codes = text.partition("  Exit code:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in codes] in (["0", "1", "2"], ["0", "2"])
    assert len(examples_in(text)) >= 2


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_name_commands_and_options_that_exist(command):
    for words in examples_in(help_of(command)):
        name = " ".join(words[:2]) if words[:2] == ["cache", "clear"] else words[0]
        assert name in COMMANDS
        known = help_of(name)
        assert all(word in known for word in words if word.startswith("--"))


def test_every_command_is_listed_with_a_line_that_is_not_cut_off():
    text = help_of("")
    listed = [line.split()[0] for line in text.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()]
    assert sorted(listed) == ["cache", "devices", "doctor", "explain", "kernels", "run"]
    assert "..." not in text.partition("Commands:\n")[2]


def test_help_has_no_colours_on_a_terminal_either():
    code, shown = taskmill_on_a_terminal("--help")
    assert code == 0 and "\x1b" not in shown and max(map(len, shown.splitlines())) <= COLUMNS


def test_version_is_that_of_the_package():
    done = taskmill("--version")
    assert done.returncode == 0 and done.stdout == f"taskmill {metadata.version('taskmill')}\n"


def test_without_a_command_help_is_shown_and_it_ends_with_2():
    done = taskmill()
    assert done.returncode == 2 and "Commands:" in done.stdout + done.stderr
