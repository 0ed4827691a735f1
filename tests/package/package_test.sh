#!/bin/sh
# Installs the build into a folder, builds a consumer against it and runs both.
# package_test.sh BUILD SOURCE
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/prefix" >/dev/null
cmake -S "$2/tests/package" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/consumer"
cd "$work"
"$work/prefix/bin/hydrolith" gallery | grep -q fountain
