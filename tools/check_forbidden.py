#!/usr/bin/env python3
"""What must not be in the tree: waiting by sleep or yield in src/, unfinished work, places of one machine, disabled tests."""

import re

from tree import CPP, arguments, files, finish, without_comments

CODE = (*CPP, ".py", ".cmake", ".sh", ".txt", ".toml", ".json", "Makefile", "quiet", "run")
# (what it is, where, in which files, pattern, comments included)
RULES = [
    ("waits by sleep or yield", ("src", "include"), CPP, r"\b(sched_yield|this_thread|sleep_for|sleep_until|u?sleep|(clock_)?nanosleep)\b", False),
    ("sleeps in a test", ("tests",), (*CPP, ".py"), r"\b(sleep_for|sleep_until|usleep|nanosleep|time\.sleep)\b", False),
    ("is unfinished", (".",), (*CODE, ".md"), r"\b(TODO|FIXME|XXX|HACK)\b", True),
    ("names a place of one machine", (".",), (*CODE, ".md"), r"(?<![\w.~])/(work|root|home/\w+)/", True),
    ("disables a test", ("tests",), CPP, r"\bDISABLED_", False),
]
# This file and its test say the words.
EXEMPT = {"tools/check_forbidden.py", "tests/tools/test_checks.py"}


def main():
    options = arguments(__doc__)
    findings, count = [], 0
    for what, folders, suffixes, pattern, comments in RULES:
        for path in files(options.root, folders, suffixes):
            if path.as_posix() in EXEMPT:
                continue
            text = (options.root / path).read_text(errors="replace")
            if not comments:
                text = without_comments(text, strings=False)
            count += 1
            for match in re.finditer(pattern, text):
                findings.append(f"{path.as_posix()}:{text.count(chr(10), 0, match.start()) + 1}: {match.group(0)}: {what}")
    finish(findings, f"{len(RULES)} rules hold")


if __name__ == "__main__":
    main()
