#!/bin/sh
# Installs the Debian packages of the named groups that are missing: tools/setup.sh build test
# As root or through sudo; otherwise prints the one command to run.
set -eu
here=$(dirname "$0")
missing=""
for group in "$@"; do
  for entry in $(awk -v g="$group" '$1 == g { print $2 ":" $3 }' "$here/packages.txt"); do
    package=${entry%%:*}
    program=${entry#*:}
    if [ -n "$program" ] && command -v "$program" >/dev/null 2>&1; then continue; fi
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
      missing="$missing $package"
  done
done
[ -n "$missing" ] || exit 0

command="apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null 2>&1; then
  echo "Missing:$missing. This machine has no apt-get: install them by hand (see README.md)." >&2
  exit 1
elif [ "$(id -u)" = 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root="sudo"
elif command -v sudo >/dev/null 2>&1 && [ -t 0 ]; then
  echo "Installing:$missing"
  as_root="sudo"
else
  echo "Packages are missing. Run this as root, then try again:" >&2
  echo "  apt-get update && $command" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive $command
