#!/usr/bin/env python3
"""No text of 20 lines or more occurs twice, comments, blank lines, includes and white space aside."""

import re

from tree import CPP, arguments, files, finish, without_comments

FOLDERS = ("src", "include", "tests", "python", "bench", "examples", "tools")
LENGTH = 20


def normal_lines(path, text):
    """[(line number, text without white space)] of the lines that count."""
    if path.suffix == ".py":
        text = re.sub(r"^[ \t]*#.*|[ \t]+#[^'\"\n]*$", "", text, flags=re.MULTILINE)
        dropped = re.compile(r"import |from \S+ import ")
    else:
        text = without_comments(text)
        dropped = re.compile(r"#\s*(include|pragma)")
    lines = ((number, line.strip()) for number, line in enumerate(text.split("\n"), 1))
    return [(number, re.sub(r"\s+", "", line)) for number, line in lines if line and not dropped.match(line)]


def clones(sources):
    """Longest runs of equal lines: {(path, line, other path, other line): length}."""
    first, found, open_runs = {}, {}, {}
    for path, lines in sources.items():
        open_runs.clear()
        for start in range(len(lines) - LENGTH + 1):
            window = tuple(text for _, text in lines[start : start + LENGTH])
            origin = first.setdefault(window, (path, start))
            if origin == (path, start) or (origin[0] == path and start - origin[1] < LENGTH):
                continue
            run = open_runs.pop((origin[0], origin[1] - 1), None)
            if run is None:
                run = (path, lines[start][0], origin[0], sources[origin[0]][origin[1]][0])
                found[run] = LENGTH - 1
            found[run] += 1
            open_runs[origin] = run
    return found


def main():
    options = arguments(__doc__)
    sources = {}
    for path in files(options.root, FOLDERS, (*CPP, ".py")):
        sources[path.as_posix()] = normal_lines(path, (options.root / path).read_text())
    findings = [
        f"{path}:{line}: {length} lines are also at {other}:{other_line}"
        for (path, line, other, other_line), length in clones(sources).items()
    ]
    finish(findings, f"no clone of {LENGTH} lines in {len(sources)} files")


if __name__ == "__main__":
    main()
