#!/bin/bash
# Runs the README's two commands, `make demo` and `make test`, in a new Debian 12 that holds git and make and nothing else.
# Needs root. Clones HEAD; what is not committed is not seen. Sources, certificates and pip's configuration of this machine go in,
# so that it works wherever this machine can install packages. Cleans up after itself, whatever happens.
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "fresh: needs root (debootstrap, chroot)" >&2; exit 1; }
# Namespaces of its own: nobody else sees what is mounted here, and this script is process 1, so that it can end all that it started.
if [ $$ -ne 1 ]; then
  exec unshare --mount --propagation private --pid --fork --mount-proc --kill-child=TERM tools/fresh.sh "$@"
fi
commands=("${@:-}")
[ -n "${commands[0]}" ] || commands=("make demo" "make test")

place=$(mktemp -d "${TASKMILL_FRESH_DIR:-/var/tmp}/taskmill-fresh.XXXXXX")
root=$place/root
log=$PWD/build/log/fresh.log
mkdir -p build/log "$root"

# Nothing is removed while anything is mounted below: the files of a bind mount would go with it.
clean_up() {
  local status=$? target
  trap - EXIT INT TERM
  kill -KILL -1 2>/dev/null || true # all processes of this namespace but this one
  wait 2>/dev/null || true
  awk -v place="$place/" 'index($2, place) == 1 { print $2 }' /proc/self/mounts | tac | while read -r target; do
    umount "$target" || umount -l "$target" || true
  done
  if grep -qF " $place/" /proc/self/mounts; then
    echo "fresh: something is still mounted below $place; left as it is" >&2
    exit 1
  fi
  rm -rf --one-file-system "$place"
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# mount_in TARGET ARGUMENTS...: mounts at TARGET in the new system.
mount_in() {
  local target=$root$1
  shift
  mkdir -p "$target"
  mount "$@" "$target"
}

# The first archive for Debian that this machine's own sources name.
mirror() {
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    sed -n -e 's/^deb \(\[[^]]*\] \)\?\([^ ]*\/debian\/\?\) .*/\2/p' -e 's/^URIs: *\([^ ]*\/debian\/\?\) *$/\1/p' | head -n 1
}

copy_configuration() {
  local file
  for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
    [ -e $file ] && cp -L $file "$root$file"
  done
  if [ -d /usr/local/share/ca-certificates ]; then
    cp -rL /usr/local/share/ca-certificates "$root/usr/local/share/"
  fi
  # Debian's own sources only; proxies and the like of apt as they are, but not the clean-up rules of container images.
  grep -l '/debian' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | while read -r file; do
    cp -L "$file" "$root$file"
  done
  grep -lE 'Acquire' /etc/apt/apt.conf.d/* 2>/dev/null | while read -r file; do
    cp -L "$file" "$root$file"
  done
  # One certificate bundle for apt, pip and git: this machine's, kept when packages rebuild the system's.
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/taskmill-ca.crt"
}

# Variables that say how this machine reaches its package index and nothing else.
passed_on() {
  env | grep -iE '^(https?_proxy|no_proxy|all_proxy|PIP_(INDEX_URL|EXTRA_INDEX_URL|TRUSTED_HOST|DEFAULT_TIMEOUT|RETRIES))=' || true
  echo PIP_CERT=/etc/taskmill-ca.crt
}

inside() {
  local variables
  mapfile -t variables < <(passed_on)
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM="${TERM:-dumb}" "${variables[@]}" \
    /bin/bash -c "$1"
}

# In the background, so that a signal is heard at once.
timed() {
  local start=$SECONDS
  "${@:2}" &
  wait $!
  echo "fresh: $1 took $((SECONDS - start)) s"
}

archive=$(mirror)
[ -n "$archive" ] || { echo "fresh: this machine's package sources name no Debian archive" >&2; exit 1; }
echo "fresh: making a Debian 12 with git and make"
if ! timed debootstrap debootstrap --variant=minbase --include=git,make,ca-certificates bookworm "$root" "$archive" >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  exit 1
fi
copy_configuration
mount_in /proc -t proc proc
mount_in /sys -t sysfs -o ro sysfs
mount_in /dev/shm -t tmpfs tmpfs
mount_in /dev/pts -t devpts -o newinstance,ptmxmode=0666 devpts
ln -sf pts/ptmx "$root/dev/ptmx"
git clone -q --no-hardlinks . "$root/taskmill"
for command in "${commands[@]}"; do
  echo "fresh: \$ $command"
  timed "$command" inside "cd /taskmill && $command"
done
echo "fresh: both commands work in a new Debian 12"
