#!/bin/sh
# try_image.sh ROOTFS: runs the unpacked image on a private network, as its own user without Avahi, and as a user of the host with the
# host's D-Bus socket. Each commissions a light and switches it. As root.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
rootfs=$(cd "$1" && pwd)
[ "$(id -u)" = 0 ] || { echo "try_image.sh: needs root, for chroot(2)" >&2; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-image.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp -a "$rootfs" "$work/rootfs"
chown 65532:65532 "$work/rootfs/state"
chmod 700 "$work/rootfs/state"
# Where the emulator looks for libraries, if the program is of another architecture.
export QEMU_LD_PREFIX="$work/rootfs"
export ROOTFS="$work/rootfs" WORK="$work" MATTERCTL="$work/rootfs/usr/bin/matterctl"
"$root/Tests/Lab/lab.sh" "$work/lab" sh -euc '
# inside USER:GROUP WORD ...
inside() {
    user=$1
    shift
    env -i PATH=/usr/bin LANG=C.UTF-8 MATTERCTL_HOME=/state XDG_STATE_HOME=/state/.witness \
        DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/dbus/system_bus_socket \
        /usr/sbin/chroot --userspec="$user" --groups= "$ROOTFS" /usr/bin/matterctl "$@"
}
socket=${DBUS_SYSTEM_BUS_ADDRESS#unix:path=}
socket=${socket%%,*}
# As on a system, where every user may ask.
chmod 666 "$socket"
touch "$ROOTFS/run/dbus/system_bus_socket"
mount --bind "$socket" "$ROOTFS/run/dbus/system_bus_socket"
mount -t proc proc "$ROOTFS/proc" 2> /dev/null || { mkdir -p "$ROOTFS/proc" && mount -t proc proc "$ROOTFS/proc"; }
# try USER:GROUP PORT [OPTION ...]
try() {
    user=$1 port=$2
    shift 2
    rm -rf "$ROOTFS/state" "$WORK/trust" "$WORK/light.out"
    mkdir "$ROOTFS/state" "$WORK/trust"
    chmod 700 "$ROOTFS/state"
    "$MATTERCTL" simulate dimmable-light --port "$port" --state "$WORK/light-$port" --paa-out "$WORK/trust/light.der" \
        > "$WORK/light.out" 2>&1 < /dev/null &
    light=$!
    n=0
    until grep -qs ready "$WORK/light.out"; do
        n=$((n + 1))
        [ $n -lt 300 ] || { cat "$WORK/light.out" >&2; exit 1; }
        sleep 0.1
    done
    cp -R "$WORK/trust" "$ROOTFS/state/trust"
    chown -R "$user" "$ROOTFS/state"
    inside "$user" commission "$(grep -o "MT:[-.A-Z0-9]*" "$WORK/light.out" | head -n 1)" --name kitchen --trust /state/trust \
        --allow-test-devices --progress none "$@"
    inside "$user" toggle kitchen
    [ "$(inside "$user" read kitchen 1/on-off/on-off)" = true ]
    [ "$(stat -c %u:%g "$ROOTFS/state/fabrics")" = "$user" ]
    kill $light
    wait $light 2> /dev/null || true
}
inside 65532:65532 --version -v
try 65532:65532 5601 --address "[::1]:5601"
echo "as user 65532, by address: commissioned and switched"
# dbus-daemon turns away a user that the host does not know.
known=$(id -u nobody):$(id -g nobody)
try "$known" 5602
echo "as a user of the host, by its Avahi: found, commissioned and switched"
'
