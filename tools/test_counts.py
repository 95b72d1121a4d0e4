#!/usr/bin/env python3
"""test_counts.py BUILD --against BASE: the test programs of BUILD ran the tests that those of BASE hold, or skipped them with a reason.

BUILD/gtest holds a report of each program's run (taskmill_test of cmake/GoogleTest.cmake); BASE's programs are asked for their lists."""

import argparse
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def programs(build):
    """name -> (command, or None if it was not built, and labels) of the tests of `build` that leave a report."""
    command = ["ctest", "--test-dir", build, "--show-only=json-v1"]
    tests = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["tests"]
    found = {}
    for test in tests:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        if any(variable.startswith("GTEST_OUTPUT=") for variable in properties.get("ENVIRONMENT", [])):
            found[test["name"]] = (test.get("command"), properties.get("LABELS", []))
    return found


def listed(command):
    """Names of the tests that a program holds."""
    output = subprocess.run([*command, "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout
    names, suite = set(), ""
    for line in output.splitlines():
        text = line.split("#")[0].rstrip()
        if line.startswith("  "):
            names.add(suite + text.strip())
        elif text.endswith("."):
            suite = text
    return names


def ran(report):
    """(names of the tests in a report, {skipped name: reason})."""
    names, skipped = set(), {}
    for case in xml.parse(report).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        names.add(name)
        skip = case.find("skipped")
        if skip is not None:
            skipped[name] = " ".join((skip.get("message") or "").splitlines()[1:]).strip()
    return names, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--against", type=Path, required=True)
    parser.add_argument("--labels", default=".", help="ctest label expression: compare these programs only")
    parser.add_argument("--device-only", action="store_true", help="BUILD holds device tests only")
    options = parser.parse_args()

    own, base = programs(options.build), programs(options.against)
    wanted = {n for n, (_, labels) in base.items() if any(re.search(options.labels, label) for label in labels)}
    if options.device_only:
        wanted &= own.keys()
    findings, total, all_skipped = [], 0, {}
    for name in sorted(wanted):
        report = options.build / "gtest" / f"{name}.xml"
        if not report.is_file():
            findings.append(f"{name}: left no report in {options.build}/gtest")
            continue
        names, skipped = ran(report)
        expected = listed(base[name][0])
        findings += [f"{name}: {test} did not run" for test in sorted(expected - names)]
        findings += [f"{name}: {test} is not in {options.against}" for test in sorted(names - expected)]
        findings += [f"{name}: {test} was skipped without a reason" for test, reason in sorted(skipped.items()) if not reason]
        total += len(names)
        all_skipped |= skipped
    if total == 0:
        findings.append("no test ran")
    for finding in findings:
        print(finding)
    for test, reason in sorted(all_skipped.items()):
        print(f"skipped: {test}: {reason}")
    print(f"{options.build}: {total} tests in {len(wanted)} programs, as in {options.against}; {len(all_skipped)} skipped with a reason")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
