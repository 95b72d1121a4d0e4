#!/bin/bash
# format.sh [--check]: formats every C++ file of the tree with clang-format, or tells which are not formatted.
set -eu
cd "$(dirname "$0")/.."
mode=-i
[ "${1:-}" = --check ] && mode="--dry-run -Werror"
find src include python tests bench examples \( -name '*.h' -o -name '*.cpp' \) -not -path '*/__pycache__/*' -print0 |
  xargs -0 -r -P "$(nproc)" -n 16 clang-format $mode --style=file
