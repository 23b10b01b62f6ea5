#!/bin/sh
# attestation.sh PROGRAM MATTERCTL: what a verdict on an attestation costs, and the trusted keys that it rests on. Fails if
# that is too much, or if a command that needs no authority looks at the table of them.
set -eu
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-attestation.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$1" "$work/state"
# Callgrind does not understand all debugging information of Swift, but needs the names.
strip -g -o "$work/matterctl" "$2"
looks() {
    MATTERCTL_HOME=$work/home valgrind --tool=callgrind --callgrind-out-file="$work/calls" "$work/matterctl" "$@" \
        >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
    grep -c ProductionAuthorit "$work/calls" || true
}
[ "$(looks trust ls)" -gt 0 ] || { echo "trust ls does not show up; the names are missing" >&2; exit 1; }
for words in "node ls" "fabric ls" "payload parse 34970112332" "clusters on-off"; do
    # shellcheck disable=SC2086
    count=$(looks $words)
    [ "$count" -eq 0 ] || { echo "$words looks at the table of authorities" >&2; exit 1; }
done
echo "attestation: other commands never look at the table of authorities"
