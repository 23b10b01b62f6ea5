#!/bin/sh
# demo.sh BINARY: a light is found, commissioned by its QR code and switched, on a private network; nothing is left behind.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT

MATTERCTL=$1 PYTHON=${MATTERCTL_PEERS:-$root/.peers}/bin/python HERE=$here WORK=$work MATTERCTL_HOME=$work/home
PYTHONDONTWRITEBYTECODE=1
export MATTERCTL PYTHON HERE WORK MATTERCTL_HOME PYTHONDONTWRITEBYTECODE

"$here/lab.sh" "$work/lab" sh -euc '
bold= plain=
if [ -t 1 ]; then bold=$(printf "\033[1m") plain=$(printf "\033[0m"); fi
say() { printf "\n%s%s%s\n" "$bold" "$*" "$plain"; }
matterctl() {
    printf "$ matterctl"; printf " %s" "$@"; echo
    "$MATTERCTL" "$@"
}
heard() { grep -E "^(light|level|complete)" "$WORK/light" || true; }

say "A light is switched on: a CircuitMatter device on a private network with Avahi."
: > "$WORK/light"
"$PYTHON" "$HERE/cm_device.py" --state "$WORK/light.json" > "$WORK/light" 2> "$WORK/light.err" &
light=$!
n=0
until grep -q "^ready" "$WORK/light"; do
    n=$((n + 1))
    [ $n -lt 300 ] || { cat "$WORK/light.err" >&2; exit 1; }
    sleep 0.1
done
code=$(sed -n "s/^qr //p" "$WORK/light")
echo "It shows its setup code: $code (or $(sed -n "s/^manual //p" "$WORK/light"))"

say "What can be commissioned here?"
matterctl discover

say "Commission it by that code. It is a development device, so its test certificates must be allowed."
matterctl commission "$code" --name kitchen --allow-test-devices

say "Switch and dim it."
matterctl toggle kitchen
matterctl level kitchen 50%

say "Read back."
matterctl read kitchen 1/on-off/on-off
matterctl read kitchen 1/level-control/current-level

say "What the light itself saw:"
heard
kill $light
on=$("$MATTERCTL" node ls | wc -l)
[ "$on" = 1 ] && heard | grep -qx "light on" && heard | grep -qx "level 127"
say "Done: found, commissioned as node 1, toggled on, dimmed to 50 % (127 of 254) and read back. Nothing of it is left."
'
