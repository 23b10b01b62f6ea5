#!/bin/sh
# demo.sh BINARY [virtual|circuitmatter]: a light is found, commissioned by its QR code and switched, on a private
# network; nothing is left behind. The light is the program's own virtual device, or CircuitMatter's from .peers.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT

MATTERCTL=$1 LIGHT=${2:-virtual} PYTHON=${MATTERCTL_PEERS:-$root/.peers}/bin/python HERE=$here WORK=$work
MATTERCTL_HOME=$work/home XDG_STATE_HOME=$work/state PYTHONDONTWRITEBYTECODE=1
export MATTERCTL LIGHT PYTHON HERE WORK MATTERCTL_HOME XDG_STATE_HOME PYTHONDONTWRITEBYTECODE

"$here/lab.sh" "$work/lab" sh -euc '
bold= plain=
if [ -t 1 ]; then bold=$(printf "\033[1m") plain=$(printf "\033[0m"); fi
say() { printf "\n%s%s%s\n" "$bold" "$*" "$plain"; }
show() { printf "$ matterctl"; printf " %s" "$@"; echo; }
matterctl() {
    show "$@"
    "$MATTERCTL" "$@"
}

: > "$WORK/light"
case $LIGHT in
virtual)
    say "A light is switched on: a virtual device on a private network with Avahi."
    mkdir "$WORK/trust"
    show simulate dimmable-light --state light --paa-out trust/light.der "&"
    "$MATTERCTL" simulate dimmable-light --state "$WORK/state" --paa-out "$WORK/trust/light.der" \
        > "$WORK/light" 2> "$WORK/light.err" < /dev/null &
    ;;
circuitmatter)
    say "A light is switched on: a CircuitMatter device on a private network with Avahi."
    "$PYTHON" "$HERE/cm_device.py" --state "$WORK/light.json" > "$WORK/light" 2> "$WORK/light.err" &
    ;;
*)
    echo "there is no light called $LIGHT" >&2
    exit 64
    ;;
esac
light=$!
n=0
until grep -q "ready" "$WORK/light"; do
    n=$((n + 1))
    [ $n -lt 300 ] || { cat "$WORK/light.err" >&2; exit 1; }
    sleep 0.1
done
code=$(grep -o "MT:[-.A-Z0-9]*" "$WORK/light" | head -n 1)
echo "It shows its setup code: $code"

say "What can be commissioned here?"
matterctl discover

if [ "$LIGHT" = virtual ]; then
    say "Commission it by that code. It is a development device: its authority and its test certificates must be trusted."
    cd "$WORK"
    matterctl commission "$code" --name kitchen --trust trust --allow-test-devices
else
    say "Commission it by that code. It is a development device, so its test certificates must be allowed."
    matterctl commission "$code" --name kitchen --allow-test-devices
fi

say "Switch and dim it."
matterctl toggle kitchen
matterctl level kitchen 50%

say "Read back."
show read kitchen 1/on-off/on-off
on=$("$MATTERCTL" read kitchen 1/on-off/on-off)
echo "$on"
show read kitchen 1/level-control/current-level
level=$("$MATTERCTL" read kitchen 1/level-control/current-level)
echo "$level"

say "What the light itself saw:"
grep -E "^(light|level|complete|1/|.*on-off|.*level)" "$WORK/light" || true
kill $light
nodes=$("$MATTERCTL" node ls | wc -l)
[ "$nodes" = 1 ] && [ "$on" = true ] && [ "$level" = 127 ]
say "Done: found, commissioned as node 1, toggled on, dimmed to 50 % (127 of 254) and read back. Nothing of it is left."
'
