#!/usr/bin/env python3
"""Device programs ask for nothing from outside but memcpy, memmove, memset and memcmp: no heap, no locks, no clock, no C++ runtime."""

import subprocess
from pathlib import Path

from tree import arguments, finish

ALLOWED = {"memcpy", "memmove", "memset", "memcmp"}


def undefined_symbols(program):
    """Names that `program` needs, without version suffixes."""
    output = subprocess.run(["nm", "-D", "--undefined-only", program], check=True, capture_output=True, text=True).stdout
    return [line.split()[-1].split("@")[0] for line in output.splitlines() if line.strip()]


def main():
    options = arguments(__doc__, build={"type": Path, "help": "build tree (default: build/release)"})
    build = options.build or options.root / "build" / "release"
    programs = sorted((build / "device").glob("*.so"))
    findings = [] if programs else [f"{build}/device: no device programs"]
    for program in programs:
        findings += [f"{program.name}: undefined: {name}" for name in undefined_symbols(program) if name not in ALLOWED]
    finish(findings, f"{len(programs)} device programs need nothing but {', '.join(sorted(ALLOWED))}")


if __name__ == "__main__":
    main()
