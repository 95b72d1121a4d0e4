#!/usr/bin/env python3
"""Includes point downwards only: a file may include its own folder, and what ranks lower in the order below."""

import re

from tree import CPP, arguments, files, finish, without_comments

# From low to high. A folder ranks as its longest prefix here; a folder and the one that holds it may include each other.
ORDER = [
    "include/taskmill/error.h include/taskmill/tensor.h",
    "src/base",
    "src/arch",
    "include/taskmill/kernel.h include/taskmill/orchestration.h",
    "src/wire",
    "src/trace",
    "src/graph",
    "src/device src/device/aicpu src/device/aicore",
    "src/variant/tmr/aicpu",
    "src/variant/aicpu_program.cpp src/variant/aicore_program.cpp",
    "include/taskmill/result.h",
    "src/support",
    "src/toolchain",
    "include/taskmill/driver.h",
    "src/driver src/driver/null src/driver/fault src/driver/sim",
    "src/variant/tmr/host",
    "src/diag",
    "include/taskmill/host.h",
    "src/host",
    "python",
]
RANKS = {place: rank for rank, places in enumerate(ORDER) for place in places.split()}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<(taskmill/[^>]+)>)', re.MULTILINE)


def place_of(path):
    """The entry of the order that `path` falls under, or None."""
    return max((p for p in RANKS if path == p or path.startswith(p + "/")), key=len, default=None)


def resolve(root, source, name):
    """The file that an include of `name` means, relative to root, or None. Only the bindings look beside themselves."""
    bases = ["src/", "include/"]
    if source.startswith("python/"):
        bases.append(source.rsplit("/", 1)[0] + "/")
    return next((base + name for base in bases if (root / (base + name)).is_file()), None)


def complaint(root, source, name):
    """Why `source` may not include `name`, or None."""
    target = resolve(root, source, name)
    if target is None:
        return f'"{name}" is no file below src/ or include/'
    if source.startswith("include/") and not target.startswith("include/"):
        return f'a public header includes "{name}", which is not installed'
    own, other = place_of(source), place_of(target)
    if other is None:
        return f'"{name}" has no rank in tools/check_includes.py'
    if RANKS[other] > RANKS[own]:
        return f'"{name}" lies above ({other} is above {own})'
    related = own == other or own.startswith(other + "/") or other.startswith(own + "/") or own.startswith("include/")
    if RANKS[other] == RANKS[own] and not related:
        return f'"{name}" lies in a sibling ({other} beside {own})'
    return None


def main():
    options = arguments(__doc__)
    findings, count = [], 0
    for path in files(options.root, ("src", "include", "python"), CPP):
        source = path.as_posix()
        if place_of(source) is None:
            findings.append(f"{source}: has no rank in tools/check_includes.py")
            continue
        text = without_comments((options.root / path).read_text())
        for match in INCLUDE.finditer(text):
            count += 1
            reason = complaint(options.root, source, match.group(1) or match.group(2))
            if reason:
                line = text.count("\n", 0, match.start()) + 1
                findings.append(f"{source}:{line}: {reason}")
    finish(findings, f"{count} includes point downwards")


if __name__ == "__main__":
    main()
