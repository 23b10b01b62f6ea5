#!/bin/sh
# nodes.sh BINARY [COUNT]: what many virtual devices in one process take: memory and idle CPU of each, on a private
# network with Avahi.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
binary=$1 count=${2:-100}
seconds=10

if [ "${MATTERCTL_LAB:-}" != 1 ]; then
    work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-nodes.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    "$root/Tests/Lab/lab.sh" "$work/lab" "$0" "$binary" "$count"
    exit
fi

# What a process has used of the CPU, in clock ticks.
ticks() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'; }
# Its own memory in KiB: what is resident and not shared.
memory() { awk '/^(Private_Clean|Private_Dirty):/ { sum += $2 } END { print sum }' "/proc/$1/smaps_rollup"; }

# start COUNT: that many lights, all ready; their process is $device.
start() {
    out=$MATTERCTL_LAB_DIR/nodes.out
    "$binary" simulate on-off-light --count "$1" --port 5600 --state "$MATTERCTL_LAB_DIR/nodes-$1" >"$out" 2>&1 </dev/null &
    device=$!
    until [ "$(grep -c 'MT:' "$out")" -ge "$1" ]; do
        kill -0 $device || { cat "$out" >&2; exit 1; }
        sleep 0.1
    done
}

start 1
sleep 2
one=$(memory $device)
kill $device
wait $device || true

begun=$(date +%s%N)
start "$count"
ended=$(date +%s%N)
# What follows the start, advertising above all, is not idling.
before=-1
until [ "$before" = "$(ticks $device)" ] || [ "$(date +%s%N)" -gt $((ended + 30000000000)) ]; do
    before=$(ticks $device)
    sleep 1
done
before=$(ticks $device)
sleep $seconds
after=$(ticks $device)
many=$(memory $device)
descriptors=$(ls "/proc/$device/fd" | wc -l)
threads=$(ls "/proc/$device/task" | wc -l)
kill $device
wait $device || true

awk -v count="$count" -v one="$one" -v many="$many" -v ticks=$((after - before)) -v hertz="$(getconf CLK_TCK)" \
    -v seconds=$seconds -v start=$(((ended - begun) / 1000000)) -v descriptors="$descriptors" -v threads="$threads" 'BEGIN {
    printf "%d virtual devices in one process\n", count
    printf "  start                 %d ms, %.1f ms each\n", start, start / count
    printf "  memory of the process %.1f MiB, with one device %.1f MiB\n", many / 1024, one / 1024
    printf "  memory of each        %.0f KiB (aim: below 1024)\n", (many - one) / (count - 1)
    printf "  idle CPU              %.2f %% of a core for all, over %d s\n", 100 * ticks / hertz / seconds, seconds
    printf "  descriptors, threads  %d, %d\n", descriptors, threads
}'
