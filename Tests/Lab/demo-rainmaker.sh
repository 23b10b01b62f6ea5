#!/bin/sh
# demo-rainmaker.sh MATTERCTL EMULATOR: a RainMaker-style cloud and a virtual light on a private network; a fabric is
# made in the cloud, the light commissioned into it and switched by two users; nothing is left behind.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT

MATTERCTL=$1 EMULATOR=$2 WORK=$work
XDG_STATE_HOME=$WORK/state
export MATTERCTL EMULATOR WORK XDG_STATE_HOME

"$here/lab.sh" "$work/lab" sh -euc '
bold= plain=
if [ -t 1 ]; then bold=$(printf "\033[1m") plain=$(printf "\033[0m"); fi
say() { printf "\n%s%s%s\n" "$bold" "$*" "$plain"; }
# as USER WORD …: matterctl with the state directory of a user
as() {
    user=$1; shift
    printf "%s$ matterctl" "$user"
    for word; do case $word in *" "*) printf " \"%s\"" "$word" ;; *) printf " %s" "$word" ;; esac; done
    echo
    MATTERCTL_HOME=$WORK/$user "$MATTERCTL" "$@"
}
wait_for() {
    n=0
    until grep -q "$2" "$1" 2>/dev/null; do
        n=$((n + 1))
        [ $n -lt 300 ] || { echo "waited in vain for $2" >&2; cat "$1.err" >&2; exit 1; }
        sleep 0.1
    done
}
refused() { if "$@"; then echo "this should have been refused" >&2; exit 1; else echo "(refused, exit code $?)"; fi; }

say "A virtual light with the RainMaker cluster is switched on: matterctl simulate."
"$MATTERCTL" simulate dimmable-light --rainmaker --rainmaker-node-id demoLight01 --state "$WORK/light.state" \
    --paa-out "$WORK/paa.der" --dac-out "$WORK/dac.der" > "$WORK/light" 2> "$WORK/light.err" < /dev/null &
light=$!
wait_for "$WORK/light" "^ready"
code=$(sed -n "s/^qr //p" "$WORK/light")
echo "It shows its setup code: $code"

say "A cloud for this machine: rainmaker-emulator. It knows two users, and the light by its certificate."
RAINMAKER_EMULATOR_PASSWORD=Correct-Horse-1 "$EMULATOR" --state "$WORK/cloud.state" --user alice@example.com \
    --user bob@example.com --device "demoLight01=$WORK/dac.der" > "$WORK/cloud" 2> "$WORK/cloud.err" < /dev/null &
cloud=$!
wait_for "$WORK/cloud" "^http"
url=$(cat "$WORK/cloud")
echo "It is at $url"

say "Alice logs in; her password comes from a file. She makes a fabric in the cloud, and joins it."
printf "Correct-Horse-1\n" > "$WORK/password"
as alice cloud login --user alice@example.com --password-file "$WORK/password" --url "$url"
as alice cloud group create "Lake House"
as alice fabric create lake --issuer rainmaker --group "Lake House"

say "She commissions the light: the cloud issues its certificate, and checks who it is before it lists it."
mkdir "$WORK/trust"; cp "$WORK/paa.der" "$WORK/trust/"
as alice commission "$code" --name Porch --trust "$WORK/trust" --allow-test-devices
as alice cloud confirm
as alice cloud node ls
as alice toggle Porch
as alice read Porch 1/on-off/on-off

say "She shares the group with Bob, who operates the light that he never commissioned."
offer=$(MATTERCTL_HOME=$WORK/alice "$MATTERCTL" cloud share add "Lake House" bob@example.com)
echo "alice$ matterctl cloud share add \"Lake House\" bob@example.com"; echo "$offer"
as bob cloud login --user bob@example.com --password-file "$WORK/password" --url "$url"
as bob cloud share accept "$offer"
as bob fabric create lake --issuer rainmaker --group "Lake House"
as bob cloud sync --group "Lake House"
as bob level Porch 50%
say "What needs an administrator is refused to him."
refused as bob read Porch 0/access-control/acl

say "Alice takes his access away; once the light has been told, it refuses him everything."
as alice cloud share remove "Lake House" bob@example.com --yes
as alice rainmaker access refresh --group "Lake House"
refused as bob toggle Porch
as alice toggle Porch

say "What the light itself saw:"
grep -E "^(1/on-off|1/level-control/current-level)" "$WORK/light" || true
grep -q "^1/level-control/current-level 127" "$WORK/light"
[ "$(grep -c "^1/on-off/on-off " "$WORK/light")" = 2 ]
as alice node remove Porch --yes
[ -z "$(MATTERCTL_HOME=$WORK/alice "$MATTERCTL" cloud node ls)" ]
kill $light $cloud
say "Done: fabric, login, commissioning, confirmation, sharing and its end, removal. Nothing of it is left."
'
