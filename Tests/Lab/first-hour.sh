#!/bin/sh
# first-hour.sh BINARY: the first hour of a person who has not read the pages, with the virtual devices of
# docs/your-first-house.md on a private network: what is tried, wrong words included, and what comes of it. Nothing is left behind.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-hour.XXXXXX")
trap 'rm -rf "$work"' EXIT
MATTERCTL=$1 WORK=$work MATTERCTL_HOME=$work/home XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
export MATTERCTL WORK MATTERCTL_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
mkdir -m 700 "$work/run"

"$here/lab.sh" "$work/lab" sh -euc '
bold= plain=
if [ -t 1 ]; then bold=$(printf "\033[1m") plain=$(printf "\033[0m"); fi
say() { printf "\n%s# %s%s\n" "$bold" "$*" "$plain"; }
status=0
ends() {
    wanted=$1
    shift
    printf "$ matterctl"
    for word in "$@"; do case $word in *[!A-Za-z0-9._/:+%=-]*) printf " \047%s\047" "$word" ;; *) printf " %s" "$word" ;; esac; done
    echo
    status=0
    "$MATTERCTL" "$@" || status=$?
    [ "$wanted" = "$status" ] || { echo "first-hour.sh: this should have ended with $wanted, not with $status" >&2; exit 1; }
    [ "$status" = 0 ] || echo "(exit $status)"
}
works() { ends 0 "$@"; }
device() {
    name=$1
    shift
    "$MATTERCTL" simulate "$@" --state "$WORK/$name.state" --paa-out "$WORK/trust/$name.der" > "$WORK/$name" 2>&1 < /dev/null &
    devices="$devices $!"
    n=0
    until grep -q "^ready" "$WORK/$name"; do n=$((n + 1)); [ $n -lt 300 ] || { cat "$WORK/$name" >&2; exit 1; }; sleep 0.1; done
}
devices=
mkdir "$WORK/trust"
cd "$WORK"
device porch contact-sensor,temperature-sensor --port 5541 --discriminator 257 --passcode 10203040
device door door-lock --port 5542 --discriminator 513 --passcode 10203041
device heating thermostat --port 5543 --discriminator 769 --passcode 10203042
device lamp color-temperature-light --port 5544 --discriminator 1281 --passcode 10203044
code() { grep -o "MT:[-.A-Z0-9]*" "$WORK/$1" | head -n 1; }

say "What is here?"
ends 64 scan
works discover
works node ls
ends 64 commision "$(code lamp)"

say "The first lamp."
ends 64 commission 34970112333
ends 7 commission "$(code lamp)" --name Lamp
works commission "$(code lamp)" --name Lamp --room Kitchen --trust trust --allow-test-devices
works turn on lamp
ends 64 on lamp --brightness 50
works level lamp 50%
ends 64 level lamp 150%
works color lamp "warm white"
ends 64 color lamp purplish
ends 3 on Lmp
ends 64 onn lamp
works status

say "More of the house."
works commission "$(code door)" --name door --room Hall --trust trust --allow-test-devices
works commission "$(code heating)" --name heating --room Hall --trust trust --allow-test-devices
works commission "$(code porch)" --name porch --room Porch --trust trust --allow-test-devices
ends 64 node lsit
works node ls
works lock door
ends 64 lock door --pin 1234
works unlock door
ends 64 thermostat heating 21
works thermostat mode heating heat
works thermostat heating 21
ends 64 thermostat heat heating 99
works thermostat heating
works sensor porch

say "Reading and writing."
ends 64 read lamp on-off/on-of
works read lamp on-off/on-off
ends 5 write lamp 1/on-off/on-off true
works write lamp 1/level-control/on-level 50%
ends 64 invoke lamp 1/level-control/move-to-level level=x speed=3
works invoke lamp 1/level-control/move-to-level level=50% transition-time=1s
ends 64 read lamp 9
works describe lamp

say "Rooms and several at once."
ends 3 off --room Kitchn
works off --room kitchen
ends 64 off
works status
works node fabrics lamp

say "A lamp without power."
kill "${devices##* }"
ends 4 read lamp on-off/on-off --patience 3s
works status --patience 3s
kill ${devices% *} 2> /dev/null || true
'
