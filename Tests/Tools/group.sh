#!/bin/bash
# Runs a group of tests and, if it fails, says at the end once more what failed and where: of a long log often only the
# end is kept.
#
#     group.sh WORDS COMMAND [ARG ...] --filter|--skip NAMES       COMMAND: the program of the tests, alone or in a laboratory
#
# Up to three tests that failed run once more, one by one, with nothing beside them (docs/decisions/0032-once-more.md).
# Those that pass then are named. A crash, a fourth failure, or a second one of the same test fails the group.
# Where groups run beside each other, the output of others may follow: with MATTERCTL_FAILURES the same words also go to that file.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
group=$1
echo "== $group"
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
log=$work/log
failures() {
    {
        echo "== failed ($code): $group"
        grep -aE '^✘|^↳|^error:|Fatal error|signal code' "$log" | cut -c 1-600 | tail -n 60
    } | tee -a "${MATTERCTL_FAILURES:-/dev/null}"
}
"$@" --xunit-output "$work/tests.xml" 2>&1 | tee "$log"
code=${PIPESTATUS[0]}
[ "$code" = 0 ] && exit
failures
if ! names=$("$here/failed_tests.py" --at-most 3 "$log" "$work"/tests*.xml); then exit "$code"; fi
echo "== once more, one by one"
# Without the names of the group.
set -- "${@:1:$#-2}"
"$@" --no-parallel --filter "$names" 2>&1 | tee "$log"
code=${PIPESTATUS[0]}
if [ "$code" != 0 ]; then
    failures
    exit "$code"
fi
echo "== failed beside others and passed alone: $names"
