#!/bin/bash
# bench.sh BUILD: runs every benchmark, the C++ ones of BUILD/bench and bench/*.py, and prints what each measured.
set -eu
cd "$(dirname "$0")/.."
build=$1
if [ -d "$build/bench" ]; then
  find "$build/bench" -maxdepth 1 -type f -name '*_bench' -perm -u+x | sort | while read -r program; do
    echo "== ${program##*/}"
    "$program"
  done
fi
for script in bench/*.py; do
  grep -q '__main__' "$script" || continue
  echo "== $script"
  .venv/bin/python "$script"
done
