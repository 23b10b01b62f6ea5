#!/bin/sh
# chroots.sh FOLDER [SUITE ...]: installs the Debian package in FOLDER in clean chroots and runs its autopkgtests there, as
# root; without suites in bookworm, trixie and sid. The chroots are made once, in MATTERCTL_CHROOTS (default
# .build-packages/chroots); each run has a fresh copy. MATTERCTL_ARCHITECTURE=arm64: the package for arm64, by emulation, in trixie
# and sid.
#
# Beside the autopkgtests: without what is recommended, commands say what to install; an upgrade from an older package goes on with
# the state of that version (Tests/Fixtures/states); to purge it touches no user's home.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
[ $# -ge 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 64; }
[ "$(id -u)" = 0 ] || { echo "chroots.sh: needs root, for chroot(2)" >&2; exit 77; }
folder=$(cd "$1" && pwd)
shift
architecture=${MATTERCTL_ARCHITECTURE:-$(dpkg --print-architecture)}
if [ $# = 0 ]; then
    set -- trixie sid
    [ "$architecture" = arm64 ] || set -- bookworm "$@"
fi
[ "$architecture" != arm64 ] || "$here/emulation.sh"
chroots=${MATTERCTL_CHROOTS:-$root/.build-packages/chroots}
package=$(ls "$folder"/matterctl_*_"$architecture".deb)
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-chroot.XXXXXX")
# Lets go of what is mounted in a chroot before its files are deleted.
leave() {
    umount -l "$1/proc" "$1/dev" "$1/sys" "$1" 2> /dev/null || true
    ! mountpoint -q "$1/dev" || { echo "chroots.sh: $1/dev is still mounted" >&2; exit 1; }
    rm -rf --one-file-system "$1"
}
trap 'for tree in "$work"/*/; do [ ! -d "$tree" ] || leave "${tree%/}"; done; rm -rf --one-file-system "$work"' EXIT

# A chroot of a suite that has nothing but what is essential, and apt.
base() {
    made=$chroots/$1-$architecture
    [ ! -e "$made/.done" ] || return 0
    echo "making a chroot of Debian $1 for $architecture"
    rm -rf "$made"
    mkdir -p "$made"
    debootstrap --variant=minbase --arch="$architecture" "$1" "$made" > "$made.log" 2>&1 || {
        tail -n 20 "$made.log" >&2
        exit 1
    }
    : > "$made/.done"
}

try() (
    suite=$1
    tree=$work/$suite
    cp -a "$chroots/$suite-$architecture" "$tree"
    # A laboratory changes the propagation of mounts, which a folder has only if it is one.
    mount --bind "$tree" "$tree"
    # No service starts in a chroot.
    printf '#!/bin/sh\nexit 101\n' > "$tree/usr/sbin/policy-rc.d"
    chmod 755 "$tree/usr/sbin/policy-rc.d"
    cp /etc/resolv.conf "$tree/etc/resolv.conf"
    # A mirror may stand still; its signatures are checked all the same.
    echo 'Acquire::Check-Valid-Until "false";' > "$tree/etc/apt/apt.conf.d/90matterctl"
    mount -t proc proc "$tree/proc"
    mount --rbind /dev "$tree/dev"
    mount --make-rslave "$tree/dev"
    mount --rbind /sys "$tree/sys"
    mount --make-rslave "$tree/sys"
    within() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive HOME=/root chroot "$tree" "$@"; }
    cp "$package" "$tree/tmp/matterctl.deb"
    mkdir -p "$tree/src/Tests"
    cp -R "$root/Tests/Lab" "$tree/src/Tests/Lab"
    cp -R "$here/debian" "$tree/src/debian"

    echo "== $suite: without what is recommended"
    within apt-get update -qq
    within apt-get install -y -qq --no-install-recommends /tmp/matterctl.deb > "$work/apt.log" 2>&1 || { cat "$work/apt.log"; exit 1; }
    within sh /src/debian/tests/version
    within sh /src/debian/tests/without-avahi

    echo "== $suite: with it"
    within apt-get install -y -qq avahi-daemon libavahi-client3 libcurl4 ca-certificates libdbus-1-3 libqrencode4 \
        dbus iproute2 util-linux procps > "$work/apt.log" 2>&1 || { cat "$work/apt.log"; exit 1; }
    within sh /src/debian/tests/first-light

    echo "== $suite: upgrade and purge"
    # An older package, with the state that an older version left.
    within apt-get purge -y -qq matterctl > /dev/null 2>&1
    older=$work/older-$suite
    dpkg-deb -R "$package" "$older"
    sed -i 's/^Version: .*/Version: 0.1.0-1/' "$older/DEBIAN/control"
    dpkg-deb -b --root-owner-group "$older" "$tree/tmp/older.deb" > /dev/null
    rm -rf "$older"
    within apt-get install -y -qq /tmp/older.deb > "$work/apt.log" 2>&1 || { cat "$work/apt.log"; exit 1; }
    mkdir -p "$tree/root/.local/share"
    cp -R "$root/Tests/Fixtures/states/7c4ea26/home" "$tree/root/.local/share/matterctl"
    within apt-get install -y -qq /tmp/matterctl.deb > "$work/apt.log" 2>&1 || { cat "$work/apt.log"; exit 1; }
    [ "$(within dpkg-query -W -f '${Version}' matterctl)" = "$(dpkg-deb -f "$package" Version)" ]
    within matterctl fabric show home > /dev/null
    within matterctl node ls | grep -q .
    files() { within sh -c 'cd /root && find .local -type f -exec sha256sum {} + | sort'; }
    kept=$(files)
    [ -n "$kept" ]
    within apt-get purge -y -qq matterctl > /dev/null 2>&1
    [ ! -e "$tree/usr/bin/matterctl" ]
    [ "$kept" = "$(files)" ]
    echo "== $suite: done"
)

for suite in "$@"; do
    base "$suite"
    try "$suite"
    leave "$work/$suite"
done
