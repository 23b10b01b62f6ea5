#!/bin/sh
# engine.sh PROGRAM: instructions that the message engines take for a request with its answer, with traffic on 10 of 10
# sessions and on 10 of 10,000. Fails if the latter takes more than a fifth more. Callgrind counts, so that the load of
# the machine does not matter.
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-engine.XXXXXX")
trap 'rm -rf "$work"' EXIT
# Callgrind does not understand all debugging information of Swift.
program=$work/engine-bench
strip -o "$program" "$1"
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
# What a further thousand messages take: the set-up of the sessions falls out.
message() {
    few=$(instructions "$1" 1000)
    many=$(instructions "$1" 2000)
    echo $(((many - few) / 1000))
}
small=$(message 10)
large=$(message 10000)
echo "engine: $small instructions a message pair with 10 sessions, $large with 10,000: $((100 * large / small)) %"
[ "$large" -le $((small * 6 / 5)) ]
