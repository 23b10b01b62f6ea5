#!/bin/sh
# make_state.sh MATTERCTL EMULATOR FOLDER: writes what a release keeps, by playing with its own programs: FOLDER/home is the state
# directory, FOLDER/generations the numbers beside it, FOLDER/devices the state of the virtual devices that belong to it.
# See README.md here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
matterctl=$(realpath "$1") emulator=$(realpath "$2")
mkdir -p "$3"
folder=$(cd "$3" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-state.XXXXXX")
trap 'rm -rf "$work"' EXIT

"$here/../Lab/lab.sh" "$work/lab" sh -euc '
matterctl=$1 emulator=$2 folder=$3 work=$4
export MATTERCTL_HOME="$folder/home" XDG_STATE_HOME="$work/state"
mkdir -p "$folder/devices" "$work/trust"
programs=

wait_for() {
    n=0
    until grep -q "$2" "$1" 2>/dev/null; do
        n=$((n + 1))
        [ $n -lt 300 ] || { echo "waited in vain for $2 in $1" >&2; cat "$1"* >&2; exit 1; }
        sleep 0.1
    done
}
# device NAME PORT WORD …
device() {
    name=$1 port=$2
    shift 2
    "$matterctl" simulate "$@" --port "$port" --state "$folder/devices/$name" --mdns none --paa-out "$work/trust/$name.der" \
        --dac-out "$work/$name.dac" > "$work/$name" 2> "$work/$name.err" < /dev/null &
    programs="$programs $!"
    wait_for "$work/$name" "^ready"
}
code() { sed -n "s/^qr //p" "$work/$1"; }
# join NAME PORT WORD …
join() {
    name=$1 port=$2
    shift 2
    "$matterctl" commission "$(code "$name")" --address "[fd77::1]:$port" --name "$name" --trust "$work/trust" \
        --allow-test-devices "$@"
}

device kitchen 9701 dimmable-light --passcode 30303031 --discriminator 257
device hall 9702 on-off-light --passcode 30303032 --discriminator 513
device sleeper 9703 contact-sensor --passcode 30303033 --discriminator 769 --icd 2s
device porch 9704 dimmable-light --passcode 30303034 --discriminator 1025 --rainmaker --rainmaker-node-id keptLight01
device cut 9705 dimmable-light --passcode 30303035 --discriminator 1281 --fault slow-crypto:1500

"$matterctl" fabric create home
join kitchen 9701 --room Kitchen
join hall 9702 --room Hall
join sleeper 9703 --icd
"$matterctl" group create lamps
"$matterctl" group add lamps kitchen hall
"$matterctl" room add Cellar
printf "guests-01\n" > "$work/guests"
"$matterctl" network credentials add --wifi Guests --wifi-password "@$work/guests"
"$matterctl" on group:lamps
"$matterctl" toggle kitchen
"$matterctl" toggle hall

RAINMAKER_EMULATOR_PASSWORD=Correct-Horse-1 "$emulator" --state "$work/cloud" --port 18087 --user alice@example.com \
    --device "keptLight01=$work/porch.dac" > "$work/emulator" 2> "$work/emulator.err" < /dev/null &
programs="$programs $!"
wait_for "$work/emulator" "^http"
printf "Correct-Horse-1\n" > "$work/password"
"$matterctl" cloud login --user alice@example.com --password-file "$work/password" --url "$(cat "$work/emulator")"
"$matterctl" cloud group create "Lake House"
"$matterctl" fabric create lake --issuer rainmaker --group "Lake House"
join porch 9704 --fabric lake
"$matterctl" toggle porch --fabric lake
"$matterctl" fabric use home

# A commissioning that is cut off: its device takes long for each step, and knows nothing of the end.
"$matterctl" commission "$(code cut)" --address "[fd77::1]:9705" --name cut --trust "$work/trust" --allow-test-devices &
cut=$!
n=0
until [ -n "$(ls "$MATTERCTL_HOME/fabrics/home/pending" 2>/dev/null)" ]; do
    n=$((n + 1))
    [ $n -lt 300 ] || { echo "the commissioning did not begin" >&2; exit 1; }
    sleep 0.1
done
kill -9 $cut
"$matterctl" node ls
for program in $programs; do
    kill "$program"
    wait "$program" || true
done
cp -R "$work/state/matterctl/generations" "$folder/generations"
cp -R "$work/trust" "$folder/trust"
rm -rf "$folder"/home/locks "$folder"/devices/*/locks
' sh "$matterctl" "$emulator" "$folder" "$work"
