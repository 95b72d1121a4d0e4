"""What the checks share: which files are looked at, C++ without comments, and how findings are told."""

import argparse
import os
import re
import sys
from pathlib import Path

SKIPPED = {"build", ".venv", ".git", "outputs", "site", "__pycache__", "tools/fixtures"}
CPP = (".h", ".cpp")


def arguments(description, **extra):
    """--root and whatever a check adds: name -> keywords of add_argument."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="tree to look at")
    for name, keywords in extra.items():
        parser.add_argument("--" + name.replace("_", "-"), **keywords)
    return parser.parse_args()


def files(root, folders=(".",), suffixes=()):
    """Files below `folders` of `root` whose names end in one of `suffixes`, as sorted relative paths; generated folders are left out."""
    found = set()
    for folder in folders:
        for directory, names, leaves in os.walk(root / folder):
            relative = Path(directory).relative_to(root)
            names[:] = [n for n in names if n not in SKIPPED and (relative / n).as_posix() not in SKIPPED]
            found.update(relative / leaf for leaf in leaves if leaf.endswith(tuple(suffixes)))
    return sorted(found)


_CPP_TOKEN = re.compile(
    r"""R"(?P<tag>[^()\\\s]{0,16})\((?:.|\n)*?\)(?P=tag)"|//(?:[^\n\\]|\\.|\\\n)*|/\*(?:.|\n)*?\*/|"(?:[^"\\\n]|\\.|\\\n)*"|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'"""
)


def without_comments(text, strings=True):
    """C++ source with comments blanked, line numbers kept; with strings=False literals become empty ones."""

    def blank(match):
        token = match.group(0)
        newlines = "\n" * token.count("\n")
        if token.startswith(("//", "/*")):
            return " " + newlines
        return token if strings else token[-1] * 2 + newlines

    return _CPP_TOKEN.sub(blank, text)


def finish(findings, done):
    """Prints the findings, or what was done, and ends the program."""
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings" if findings else done)
    sys.exit(1 if findings else 0)
