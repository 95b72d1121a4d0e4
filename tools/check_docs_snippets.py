#!/usr/bin/env python3
"""Fenced blocks of README.md, docs/ and examples/ do what they say, and relative links lead somewhere.

cpp            compiles against include/; cpp no-run is not looked at
python         runs; the blocks of one page run in order, in one folder of their own, where examples/ is too
... file=NAME  is written to NAME in that folder as well, for the blocks after it (NAME: c.cpp, kernels/add.cpp)
python no-run  compiles only
sh             `taskmill` and `python` commands run in that folder and succeed; what `make` is given are targets of the Makefile
sh no-run      options and subcommands exist: for a command that takes long
sh install     is not looked at: it installs, or needs hardware (nor are other languages)

Kernels are compiled into a cache that is new in each run of this check."""

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


def check_options(words):
    """A taskmill command of which only the words are looked at."""
    subcommand = [word for word in words[:1] if not word.startswith("-")]
    told = subprocess.run([sys.executable, "-m", "taskmill", *subcommand, "--help"], capture_output=True, text=True)
    if told.returncode:
        return (told.stdout + told.stderr).strip()
    flags = {word.split("=")[0] for word in words if word.startswith("--")}
    return "".join(f"taskmill {' '.join(subcommand)} has no {flag}\n" for flag in sorted(flags) if flag not in told.stdout).strip()


def check_command(root, folder, command, run_it):
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
    if program not in ("taskmill", "python"):
        return f"{program} is none of make, taskmill and python (mark the block `sh install` to leave it out)"
    if not run_it:
        return check_options(rest) if program == "taskmill" else ""
    told = run(["bash", "-c", command], cwd=folder, timeout=300)
    return told and f"{command}\n{told}"


def check_sh(root, folder, body, run_it):
    commands = re.sub(r"\\\n", " ", body).splitlines()
    return "\n".join(filter(None, (check_command(root, folder, c.removeprefix("$ "), run_it) for c in commands)))


def check_block(root, folder, info, body):
    """'' if the block does what it says."""
    language, *marks = info.split() or [""]
    for mark in marks:
        if mark.startswith("file="):
            target = Path(folder, mark[5:])
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(body)
    if language == "cpp" and "no-run" not in marks:
        return check_cpp(root, body)
    if language == "python":
        return check_python(folder, body, "no-run" not in marks)
    if language == "sh" and "install" not in marks:
        return check_sh(root, folder, body, "no-run" not in marks)
    return ""


def check_page(root, page):
    """Findings of one page, and how many blocks it has."""
    text = (root / page).read_text()
    findings, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        if (root / "examples").is_dir():
            Path(folder, "examples").symlink_to(root / "examples")
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
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    # The command's help comes unbroken and uncoloured, and nothing is left in examples/.
    os.environ.update(COLUMNS="200", _TYPER_FORCE_DISABLE_TERMINAL="1", PATH=path, PYTHONDONTWRITEBYTECODE="1")
    pages = [p for p in files(options.root, (".",), (".md",)) if p.parts[0] in ("README.md", "CHANGELOG.md", "docs", "examples")]
    findings, count = [], 0
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TASKMILL_CACHE_DIR"] = cache
        for page in pages:
            told, blocks = check_page(options.root, page)
            findings += told
            count += blocks
    finish(findings, f"{count} blocks in {len(pages)} pages hold")


if __name__ == "__main__":
    main()
