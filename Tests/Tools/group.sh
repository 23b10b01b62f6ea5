#!/bin/bash
# Runs a group of tests and, if it fails, says at the end once more what failed and where: of a long log often only the
# end is kept.
#
#     group.sh WORDS COMMAND [ARG ...]
set -uo pipefail
echo "== $1"
shift
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log"
code=${PIPESTATUS[0]}
if [ "$code" != 0 ]; then
    echo "== failed ($code):"
    grep -aE '^✘|^↳|^error:|Fatal error|signal code' "$log" | cut -c 1-600 | tail -n 60
fi
exit "$code"
