#!/usr/bin/env python3
"""The table in include/taskmill/error.h against the tree: a code that some source returns is active, an active code is returned,
explained in docs/errors.md and provoked by a test; every other number is reserved."""

import re

from tree import CPP, arguments, files, finish, without_comments

TABLE = "include/taskmill/error.h"
DOCS = "docs/errors.md"
ENTRY = re.compile(r'X\(\s*(\d+)\s*,\s*(\w+)\s*,\s*(\w+)\s*,\s*"')
PARTS = ("**Meaning.**", "**Cause.**", "**What to do.**")


def read_table(root):
    """name -> (number, state)"""
    return {name: (int(number), state) for number, name, state in ENTRY.findall((root / TABLE).read_text())}


def returned(root):
    """name -> first place where a source uses the code."""
    places = {}
    for path in files(root, ("src", "python", "include"), CPP):
        if path.as_posix() == TABLE:
            continue
        for name in re.findall(r"\bErrorCode::k(\w+)", without_comments((root / path).read_text())):
            places.setdefault(name, path.as_posix())
    return places


def tested(root, names):
    """Those of `names` that a test names."""
    text = "\n".join((root / path).read_text() for path in files(root, ("tests",), (".cpp", ".h", ".py")))
    return {name for name in names if re.search(rf"\bk?{name}\b", text)}


def sections(root):
    """name -> (number, text) of each section `## 207 NotADeviceAddress`."""
    path = root / DOCS
    text = path.read_text() if path.is_file() else ""
    parts = re.split(r"^#+ (\d+) (\w+)[ \t]*$", text, flags=re.MULTILINE)
    return {name: (int(number), body) for number, name, body in zip(parts[1::3], parts[2::3], parts[3::3])}


def table_findings(table):
    numbers = [number for number, _ in table.values()]
    yield from (f"{TABLE}: number {n} occurs twice" for n in sorted({n for n in numbers if numbers.count(n) > 1}))
    for name, (_, state) in table.items():
        if state not in ("active", "reserved"):
            yield f"{TABLE}: {name} is {state}, not active or reserved"


def use_findings(root, table):
    places = returned(root)
    for name, place in places.items():
        if name not in table:
            yield f"{place}: ErrorCode::k{name} is not in {TABLE}"
        elif table[name][1] != "active":
            yield f"{place}: ErrorCode::k{name} is used, its state is {table[name][1]}"
    active = [name for name, (_, state) in table.items() if state == "active" and name != "Ok"]
    provoked = tested(root, active)
    for name in active:
        if name not in places:
            yield f"{TABLE}: {name} is active and no source returns it"
        if name not in provoked:
            yield f"{TABLE}: {name} is active and no test provokes it"


def docs_findings(root, table):
    documented = sections(root)
    for name, (number, state) in table.items():
        if state != "active" or name == "Ok":
            continue
        if name not in documented:
            yield f"{DOCS}: has no section `{number} {name}`"
            continue
        told_number, body = documented[name]
        if told_number != number:
            yield f"{DOCS}: gives {name} the number {told_number}, the table says {number}"
        yield from (f"{DOCS}: the section of {name} lacks {part}" for part in PARTS if part not in body)
    for name in documented:
        if name not in table or table[name][1] != "active":
            yield f"{DOCS}: explains {name}, which is not active"


def main():
    options = arguments(__doc__)
    table = read_table(options.root)
    findings = [*table_findings(table), *use_findings(options.root, table), *docs_findings(options.root, table)]
    if not table:
        findings.append(f"{TABLE}: no entry found")
    finish(findings, f"{len(table)} codes agree with sources, docs and tests")


if __name__ == "__main__":
    main()
