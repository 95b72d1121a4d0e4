"""Runs the command ``taskmill`` as users do: into a pipe, or on a terminal."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
import termios

import pytest

COLUMNS = 80
END_OF_INPUT = b"\x04"


def environment(**changes: str | None) -> dict[str, str]:
    """That of the tests with these changes; None takes a variable away. Nothing forces colours or a width."""
    variables = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")}
    variables |= {"TERM": "xterm-256color", **changes}
    return {name: value for name, value in variables.items() if value is not None}


def taskmill(*words: object, **changes: str | None) -> subprocess.CompletedProcess:
    """Into pipes, without standard input."""
    command = [sys.executable, "-m", "taskmill", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment(**changes))


def taskmill_on_a_terminal(*words: object, answer: str = "", **changes: str | None) -> tuple[int, str]:
    """Exit code and all that a terminal of 80 columns shows, lines ended by newlines, typed text left out.

    ``answer`` and the end of input are typed in advance: a command that asks for more does not wait.
    """
    try:
        ours, theirs = pty.openpty()
    except OSError as problem:  # a container without /dev/pts
        pytest.skip(f"no pseudo-terminal can be opened here: {problem}")
    termios.tcsetwinsize(theirs, (24, COLUMNS))
    attributes = termios.tcgetattr(theirs)
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    os.write(ours, answer.encode() + END_OF_INPUT)
    command = [sys.executable, "-m", "taskmill", *map(str, words)]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**changes)) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # the system's word for "nobody writes any more"
            while read := os.read(ours, 4096):
                shown += read
        os.close(ours)
    return process.returncode, shown.decode().replace("\r\n", "\n")
