#!/usr/bin/env python3
"""Fenced blocks of README.md and docs/ do what they say, and relative links lead somewhere.

cpp            compiles against include/
python         runs; the blocks of one page run in order, in one folder
... file=NAME  is written to NAME in that folder as well, for the blocks after it (NAME: c.cpp, kernels/add.cpp)
python no-run  compiles only
sh             each command is a target of the Makefile or a `taskmill` command that exists
sh install     is not looked at (nor are other languages)"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from tree import arguments, files, finish

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def run(command, **keywords):
    """'' on success, else the output."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, **keywords)
    return "" if done.returncode == 0 else done.stdout.strip() or f"exit code {done.returncode}"


def check_cpp(root, body):
    command = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{root}/include", "-x", "c++", "-"]
    done = subprocess.run(command, input=body, capture_output=True, text=True)
    return done.stderr.strip() if done.returncode else ""


def check_python(folder, body, run_it):
    if run_it:
        return run([sys.executable, "-c", body], cwd=folder, timeout=300)
    try:
        compile(body, "snippet", "exec")
    except SyntaxError as error:
        return str(error)
    return ""


def check_command(root, command):
    words = shlex.split(command, comments=True)
    while words and re.fullmatch(r"\w+=.*", words[0]):
        words = words[1:]
    if not words:
        return ""
    program, rest = os.path.basename(words[0]), words[1:]
    if program == "make":
        targets = [w for w in rest if "=" not in w and not w.startswith("-")]
        known = re.findall(r"^([\w-]+):", (root / "Makefile").read_text(), re.MULTILINE)
        return "".join(f"no target {t} in the Makefile\n" for t in targets if t not in known).strip()
    if program == "taskmill":
        executable = Path(sys.executable).parent / "taskmill"
        if not executable.exists():
            return f"{executable} is not there to ask (make build installs it)"
        subcommand = rest[:1] if rest and not rest[0].startswith("-") else []
        help_text = subprocess.run([executable, *subcommand, "--help"], capture_output=True, text=True)
        if help_text.returncode:
            return (help_text.stdout + help_text.stderr).strip()
        flags = {w.split("=")[0] for w in rest if w.startswith("--")}
        return "".join(f"taskmill {' '.join(subcommand)} has no {f}\n" for f in sorted(flags) if f not in help_text.stdout).strip()
    return f"{program} is neither make nor taskmill (mark the block `sh install` to leave it out)"


def check_sh(root, body):
    commands = re.sub(r"\\\n", " ", body).splitlines()
    return "\n".join(filter(None, (check_command(root, c.removeprefix("$ ")) for c in commands)))


def check_block(root, folder, info, body):
    """'' if the block does what it says."""
    language, *marks = info.split() or [""]
    for mark in marks:
        if mark.startswith("file="):
            target = Path(folder, mark[5:])
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(body)
    if language == "cpp":
        return check_cpp(root, body)
    if language == "python":
        return check_python(folder, body, "no-run" not in marks)
    if language == "sh" and "install" not in marks:
        return check_sh(root, body)
    return ""


def check_page(root, page):
    """Findings of one page, and how many blocks it has."""
    text = (root / page).read_text()
    findings, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for match in FENCE.finditer(text):
            count += 1
            told = check_block(root, folder, match.group("info"), match.group("body"))
            if told:
                findings.append(f"{page}:{text.count(chr(10), 0, match.start()) + 1}: {told}")
    for link in LINK.findall(FENCE.sub("", text)):
        if "://" not in link and not link.startswith("mailto:") and not (root / page.parent / link).exists():
            findings.append(f"{page}: the link to {link} leads nowhere")
    return findings, count


def main():
    options = arguments(__doc__.split("\n")[0])
    os.environ.update(COLUMNS="200", _TYPER_FORCE_DISABLE_TERMINAL="1")  # the command's help comes unbroken and uncoloured
    pages = [p for p in files(options.root, (".",), (".md",)) if p.parts[0] in ("README.md", "CHANGELOG.md", "docs", "examples")]
    findings, count = [], 0
    for page in pages:
        told, blocks = check_page(options.root, page)
        findings += told
        count += blocks
    finish(findings, f"{count} blocks in {len(pages)} pages hold")


if __name__ == "__main__":
    main()
