#!/bin/sh
# Builds the fuzz targets with clang and runs each for some seconds: fuzz_test.sh SOURCE SECONDS
set -eu
source=$1
seconds=$2
cd "$source"
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target fuzz_targets
LSAN_OPTIONS="suppressions=$source/tests/fuzz/leaks.txt:print_suppressions=0"
export LSAN_OPTIONS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for target in build/fuzz/tests/fuzz/*_fuzz; do
  name=$(basename "$target")
  mkdir "$work/$name"
  seeds="tests/fuzz/corpus/$name"
  [ -d "$seeds" ] || seeds=""
  words="tests/fuzz/$name.dict"
  [ -f "$words" ] && words="-dict=$words" || words=""
  echo "$name: $seconds s"
  # A failing input is kept where the next person finds it.
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$source/build/fuzz/$name-" $words "$work/$name" $seeds >"$work/$name.log" 2>&1 ||
    { tail -n 60 "$work/$name.log"; exit 1; }
  grep -E 'stat::(number_of_executed_units|average_exec_per_sec)' "$work/$name.log"
done
