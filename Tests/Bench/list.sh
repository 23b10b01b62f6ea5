#!/bin/sh
# list.sh BINARY [COUNT [ONE-BY-ONE]]: a list of virtual lights commissioned by one process, against some of them one by one; then
# all of them switched by one command, with sessions to resume and from nothing. On a private network with Avahi, which has
# announced the lights before.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
binary=$1 count=${2:-100} single=${3:-20}

if [ "${MATTERCTL_LAB:-}" != 1 ]; then
    work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-list.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    "$root/Tests/Lab/lab.sh" "$work/lab" "$0" "$binary" "$count" "$single"
    exit
fi

lights=$MATTERCTL_LAB_DIR/lights result=$MATTERCTL_LAB_DIR/result usage=$MATTERCTL_LAB_DIR/usage
MATTERCTL_HOME=$MATTERCTL_LAB_DIR/home XDG_STATE_HOME=$MATTERCTL_LAB_DIR/xdg
export MATTERCTL_HOME XDG_STATE_HOME
: >"$lights"
"$binary" simulate on-off-light --count $((count + single)) --port 5600 --discriminator 0 \
    --state "$MATTERCTL_LAB_DIR/state" >"$lights" 2>&1 </dev/null &
device=$!
until [ "$(grep -c 'MT:' "$lights")" -ge $((count + single)) ]; do
    kill -0 $device || { cat "$lights" >&2; exit 1; }
    sleep 0.1
done
sleep 5
"$binary" fabric create home >/dev/null
codes() { grep -o 'MT:[^ ]*' "$lights"; }

# run EXPECTED WORD …: runs a command that has to print so many lines with `done`; its time is $ms, and $usage has the rest.
run() {
    expected=$1
    shift
    begun=$(date +%s%N)
    /usr/bin/time -f '%U %S %M' -o "$usage" "$binary" "$@" >"$result" 2>"$result.err" || cat "$result.err" >&2
    ms=$((($(date +%s%N) - begun) / 1000000))
    [ "$(grep -c 'done$' "$result")" = "$expected" ] || { echo "list.sh: $* did not do all of it" >&2; exit 1; }
}
row() { awk -v what="$1" -v ms="$2" '{ printf "  %-34s %6d ms, %5.0f ms CPU, %5.1f MiB\n", what, ms, ($1 + $2) * 1000, $3 / 1024 }' "$usage"; }

echo "$count virtual lights from one process"
begun=$(date +%s%N)
for code in $(codes | tail -n "$single"); do
    "$binary" commission "$code" --attestation skip --progress none >/dev/null
done
each=$((($(date +%s%N) - begun) / 1000000 / single))
printf '  %-34s %6d ms each\n' 'commission, a process each' "$each"
codes | head -n "$count" >"$MATTERCTL_LAB_DIR/list"
run "$count" commission --from "$MATTERCTL_LAB_DIR/list" --attestation skip --progress none
row "commission --from" $ms
list=$ms memory=$(awk '{ print $3 }' "$usage")
run $((count + single)) off --all
row "off --all" $ms
resumed=$ms
rm -rf "$MATTERCTL_HOME"/fabrics/home/sessions "${XDG_RUNTIME_DIR:-/nowhere}/matterctl"
run $((count + single)) off --all
row "off --all, full handshakes" $ms
full=$ms
kill $device
wait $device || true

fail() { echo "list.sh: $*" >&2; exit 1; }
[ $((list * 2)) -le $((each * count)) ] || fail "the list took $list ms, the aim is half of $count x $each ms"
[ "$memory" -le 40960 ] || fail "the list took $memory KiB, the aim is 40 MiB"
[ "$resumed" -le 1000 ] || fail "off --all took $resumed ms, the aim is 1000 ms"
[ "$full" -le 3000 ] || fail "off --all took $full ms from nothing, the aim is 3000 ms"
