#!/bin/bash
# bootstrap.sh GROUP...: installs what the groups need (requirements/debian-GROUP.txt, requirements/python-GROUP.txt into .venv).
# Says what it installs, does nothing when all is there. For Debian 12 and Ubuntu 24.04 or newer.
set -eu
cd "$(dirname "$0")/.."
log=$PWD/build/log/bootstrap.log
mkdir -p build/log

# Runs a command as root with its output in the log, shown if it fails.
as_root() {
  local sudo=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "bootstrap: not root and no sudo; install these packages yourself: $*" >&2; exit 1; }
    sudo=sudo
  fi
  logged $sudo env DEBIAN_FRONTEND=noninteractive "$@"
}

logged() {
  echo "+ $*" >>"$log"
  "$@" >>"$log" 2>&1 </dev/null && return
  tail -n 40 "$log" >&2
  echo "bootstrap: failed: $* (whole output in $log)" >&2
  exit 1
}

lines_of() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$1"; }

install_packages() {
  local group wanted=() missing=() package
  for group in "$@"; do
    [ -f "requirements/debian-$group.txt" ] && mapfile -t -O ${#wanted[@]} wanted < <(lines_of "requirements/debian-$group.txt")
  done
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null | sed -n 's/^installed //p' || true)
  for package in "${wanted[@]}"; do
    grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  echo "bootstrap: installing Debian packages: ${missing[*]}"
  # One unreachable third-party source must not stop the installation from the others.
  (logged true; as_root apt-get update) || true
  as_root apt-get install -y --no-install-recommends "${missing[@]}"
}

# One digest of what .venv was filled from, so that a second call is free.
install_python() {
  local group files=() python=/usr/bin/python3 digest
  for group in "$@"; do
    [ -f "requirements/python-$group.txt" ] && files+=("requirements/python-$group.txt")
  done
  [ ${#files[@]} -eq 0 ] && return
  [ -x $python ] || python=python3
  if [ ! -x .venv/bin/python ]; then
    echo "bootstrap: making .venv with $($python --version)"
    rm -rf .venv
    logged $python -m venv .venv
  fi
  for group in "${files[@]}"; do
    digest=$(cksum <"$group")
    [ "$(cat ".venv/$(basename "$group").done" 2>/dev/null)" = "$digest" ] && continue
    echo "bootstrap: installing Python packages: $(lines_of "$group" | tr '\n' ' ')"
    logged .venv/bin/python -m pip install --disable-pip-version-check --no-deps -r "$group"
    echo "$digest" >".venv/$(basename "$group").done"
  done
}

[ $# -gt 0 ] || { echo "usage: tools/bootstrap.sh GROUP... (demo test develop docs fresh)" >&2; exit 2; }
command -v apt-get >/dev/null || { echo "bootstrap: knows Debian and Ubuntu only; see README.md, Other systems" >&2; exit 1; }
install_packages "$@"
install_python "$@"
