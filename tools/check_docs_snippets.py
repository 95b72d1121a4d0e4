#!/usr/bin/env python3
"""Fenced blocks of README.md, docs/ and examples/ do what they say, and relative links lead somewhere.

cpp            compiles against include/; cpp no-run is not looked at
python         runs; the blocks of one page run in order, in one folder of their own, where examples/ is too
python no-run  compiles only
... file=NAME  is written to NAME in that folder as well, for the blocks after it (NAME: c.cpp, kernels/add.cpp)
sh             `taskmill`, `python` and `pytest` run in that folder and succeed; what `make` is given are targets of the Makefile
sh heavy       runs with --heavy; without it options and subcommands exist: for a command that takes long
sh install     is not looked at: it installs, builds, or needs hardware
text output    is what the block before it prints; `...` stands for anything
text, json     are not looked at

An indented block is not looked at, so none may hold a command. Kernels are compiled into a cache that is new in each run of this check."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tree import arguments, files, finish

MARKS = {"cpp": {"no-run"}, "python": {"no-run"}, "sh": {"heavy", "install"}, "text": {"output"}, "json": set()}
FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^(?:[ \t]+```|(?: {4}|\t)\s*(?:\$ )?(?:taskmill|python3?|pytest|make)(?:\s|$)).*", re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def run(command, folder):
    """What is wrong ('' on success), and the output."""
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, timeout=600
    )
    return "" if done.returncode == 0 else done.stdout.strip() or f"exit code {done.returncode}", done.stdout


def check_cpp(root, body):
    command = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{root}/include", "-x", "c++", "-"]
    done = subprocess.run(command, input=body, capture_output=True, text=True)
    return done.stderr.strip() if done.returncode else ""


def check_syntax(body):
    try:
        compile(body, "snippet", "exec")
    except SyntaxError as error:
        return str(error)
    return ""


def check_output(shown, output):
    """The text of a block against what the block before it printed."""
    shown, printed = ("\n".join(map(str.rstrip, text.strip().splitlines())) for text in (shown, output))
    pattern = ".*".join(map(re.escape, shown.split("...")))
    return "" if re.fullmatch(pattern, printed, re.DOTALL) else f"the block before this one prints\n{printed}"


def check_options(words):
    """A taskmill command of which only the words are looked at."""
    subcommand = [word for word in words[:1] if not word.startswith("-")]
    told = subprocess.run([sys.executable, "-m", "taskmill", *subcommand, "--help"], capture_output=True, text=True)
    if told.returncode:
        return (told.stdout + told.stderr).strip()
    flags = {word.split("=")[0] for word in words if word.startswith("--")}
    return "".join(f"taskmill {' '.join(subcommand)} has no {flag}\n" for flag in sorted(flags) if flag not in told.stdout).strip()


def check_command(root, folder, command, run_it):
    """What is wrong with a line of a shell block, and what it printed."""
    words = shlex.split(command, comments=True)
    while words and re.fullmatch(r"\w+=.*", words[0]):
        words = words[1:]
    if not words:
        return "", ""
    program, rest = os.path.basename(words[0]), words[1:]
    if program == "make":
        targets = [w for w in rest if "=" not in w and not w.startswith("-")]
        known = re.findall(r"^([\w-]+):", (root / "Makefile").read_text(), re.MULTILINE)
        return "".join(f"no target {t} in the Makefile\n" for t in targets if t not in known).strip(), ""
    if program not in ("taskmill", "python", "pytest"):
        return f"{program} is none of make, taskmill, python and pytest (mark the block `sh install` to leave it out)", ""
    if not run_it:
        return check_options(rest) if program == "taskmill" else "", ""
    told, output = run(["bash", "-c", command], folder)
    return told and f"{command}\n{told}", output


def check_block(options, folder, language, marks, body, before):
    """What is wrong with a block, and what it printed: None if it did not run and would with --heavy. `before`: the same of the last block."""
    if language == "cpp" and "no-run" not in marks:
        return check_cpp(options.root, body), ""
    if language == "python":
        return (check_syntax(body), "") if "no-run" in marks else run([sys.executable, "-c", body], folder)
    if language == "sh" and "install" not in marks:
        run_it = options.heavy or "heavy" not in marks
        lines = re.sub(r"\\\n", " ", body).splitlines() or [""]
        told, printed = zip(*(check_command(options.root, folder, line.removeprefix("$ "), run_it) for line in lines))
        return "\n".join(filter(None, told)), "".join(printed) if run_it else None
    if "output" in marks and before is not None:
        return check_output(body, before), ""
    return "", ""


def check_page(options, page):
    """Findings of one page, and how many blocks it has."""
    text, findings, output = (options.root / page).read_text(), [], ""
    with tempfile.TemporaryDirectory() as folder:
        if (options.root / "examples").is_dir():
            Path(folder, "examples").symlink_to(options.root / "examples")
        for match in FENCE.finditer(text):
            language, *marks = match["info"].split() or [""]
            for name in [mark[5:] for mark in marks if mark.startswith("file=")]:
                marks.remove(f"file={name}")
                Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, name).write_text(match["body"])
            told, output = check_block(options, folder, language, marks, match["body"], output)
            if language not in MARKS or set(marks) - MARKS[language]:
                told = f"the check knows no `{match['info']}`"
            if told:
                findings.append(f"{page}:{text.count(chr(10), 0, match.start()) + 1}: {told}")
    prose = FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)
    for match in INDENTED.finditer(prose):
        findings.append(f"{page}:{prose.count(chr(10), 0, match.start()) + 1}: is indented, so nothing runs it: {match[0].strip()}")
    for link in LINK.findall(prose):
        if "://" not in link and not link.startswith("mailto:") and not (options.root / page.parent / link).exists():
            findings.append(f"{page}: the link to {link} leads nowhere")
    return findings, len(FENCE.findall(text))


def main():
    options = arguments(__doc__.split("\n")[0], heavy={"action": "store_true", "help": "run `sh heavy` blocks too"})
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    # The command's help comes unbroken and uncoloured, and nothing is left in examples/.
    os.environ.update(COLUMNS="200", _TYPER_FORCE_DISABLE_TERMINAL="1", PATH=path, PYTHONDONTWRITEBYTECODE="1")
    pages = [p for p in files(options.root, (".",), (".md",)) if p.parts[0] in ("README.md", "CHANGELOG.md", "docs", "examples")]
    with tempfile.TemporaryDirectory() as cache, ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        os.environ["TASKMILL_CACHE_DIR"] = cache
        checked = list(pool.map(lambda page: check_page(options, page), pages))
    findings = [finding for told, _ in checked for finding in told]
    finish(findings, f"{sum(blocks for _, blocks in checked)} blocks in {len(pages)} pages hold")


if __name__ == "__main__":
    main()
