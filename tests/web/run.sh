#!/bin/sh
# Runs a test with node: run.sh FILE. 77 (skipped) where node, the packages of web/ or a browser are
# missing; `make test` installs them.
set -eu
command -v node >/dev/null || { echo "node is missing"; exit 77; }
[ -d "$HYDROLITH_SOURCE/web/node_modules" ] || { echo "web/node_modules is missing: make web-packages"; exit 77; }
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || { echo "chromium is missing"; exit 77; }
exec node "$1"
