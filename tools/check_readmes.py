#!/usr/bin/env python3
"""Every layer folder of src/ has a README.md of 10 to 30 lines."""

from tree import CPP, arguments, files, finish

SHORTEST, LONGEST = 10, 30


def main():
    options = arguments(__doc__)
    layers = sorted({path.parts[1] for path in files(options.root, ("src",), CPP) if len(path.parts) > 2})
    findings = []
    for layer in layers:
        readme = options.root / "src" / layer / "README.md"
        if not readme.is_file():
            findings.append(f"src/{layer}: has no README.md")
            continue
        lines = len(readme.read_text().splitlines())
        if not SHORTEST <= lines <= LONGEST:
            findings.append(f"src/{layer}/README.md: {lines} lines, {SHORTEST} to {LONGEST} are wanted")
    finish(findings, f"{len(layers)} layers have a README")


if __name__ == "__main__":
    main()
