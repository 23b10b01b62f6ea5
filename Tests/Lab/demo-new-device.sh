#!/bin/sh
# demo-new-device.sh BINARY: a light straight out of its box, which is on no network, is found over Bluetooth, told the Wi-Fi,
# commissioned and switched. The light is the program's own virtual device, and BlueZoo plays the Bluetooth of both sides,
# on a private network and bus; nothing is left behind.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT

MATTERCTL=$1 BLUEZOO=${MATTERCTL_PEERS:-$root/.peers}/bin/bluezoo WORK=$work
MATTERCTL_HOME=$work/home XDG_STATE_HOME=$work/state PYTHONDONTWRITEBYTECODE=1
export MATTERCTL BLUEZOO WORK MATTERCTL_HOME XDG_STATE_HOME PYTHONDONTWRITEBYTECODE

"$here/lab.sh" "$work/lab" sh -euc '
bold= plain=
if [ -t 1 ]; then bold=$(printf "\033[1m") plain=$(printf "\033[0m"); fi
say() { printf "\n%s%s%s\n" "$bold" "$*" "$plain"; }
show() { printf "$ matterctl"; printf " %s" "$@"; echo; }
matterctl() {
    show "$@"
    "$MATTERCTL" "$@"
}
# until_ready COMMAND ...: for at most a minute
until_ready() {
    n=0
    until "$@" > "$WORK/ready" 2>&1; do
        n=$((n + 1))
        [ $n -lt 300 ] || { cat "$WORK/ready" "$WORK/light.err" >&2; exit 1; }
        sleep 0.2
    done
}

cd "$WORK"
"$BLUEZOO" --auto-enable --scan-interval 1 -a 00:00:00:11:11:11 -a 00:00:00:22:22:22 -a 00:00:00:33:33:33 \
    2> "$WORK/bluezoo.log" &
until_ready "$MATTERCTL" discover --ble --timeout 300ms

say "A light is unpacked: a virtual device with Bluetooth and Wi-Fi, which is on no network."
mkdir trust
show simulate dimmable-light --network wifi --ble --state light --paa-out trust/light.der "&"
"$MATTERCTL" simulate dimmable-light --network wifi --ble --ble-adapter hci0 --state "$WORK/state" \
    --paa-out trust/light.der > light 2> light.err < /dev/null &
light=$!
until_ready grep -q "ready" light
code=$(grep -o "MT:[-.A-Z0-9]*" light | head -n 1)
echo "It shows its setup code: $code"

say "What can be commissioned here?"
matterctl discover --ble --ble-adapter hci2 --timeout 5s

say "Commission it by that code, and have it join the Wi-Fi."
(umask 077; echo simulated-password > wifi.txt)
matterctl commission "$code" --name kitchen --wifi simulated --wifi-password @wifi.txt --ble-adapter hci1 \
    --trust trust --allow-test-devices

say "Switch it, over the Wi-Fi."
matterctl toggle kitchen
show read kitchen 1/on-off/on-off
on=$("$MATTERCTL" read kitchen 1/on-off/on-off)
echo "$on"
matterctl net status kitchen
kill $light
[ "$on" = true ]
say "Done: found over Bluetooth, joined to the Wi-Fi, commissioned and toggled. Nothing of it is left."
'
