#!/bin/sh
# arm64_deb.sh FOLDER: packs what arm64.sh has compiled, as root: the Debian packages for arm64 and the tarball, in FOLDER.
#
# It happens in a chroot of trixie for amd64 that has trixie's libraries for arm64 beside its own, so that dpkg-shlibdeps reads the
# versions of those that the program is linked with. Completion scripts and manual pages come from the program itself, which runs by
# emulation.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 64; }
folder=$(cd "$1" && pwd)
tree=$folder/arm64/packing
"$here/emulation.sh"
if [ ! -e "$tree/.done" ]; then
    echo "making a chroot of trixie to pack in"
    rm -rf "$tree"
    debootstrap --variant=minbase trixie "$tree" > "$folder/arm64/packing.log" 2>&1
    echo 'Acquire::Check-Valid-Until "false";' > "$tree/etc/apt/apt.conf.d/90matterctl"
    cp /etc/resolv.conf "$tree/etc/resolv.conf"
    chroot "$tree" sh -c 'dpkg --add-architecture arm64 && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends debhelper fakeroot lintian python3 binutils binutils-aarch64-linux-gnu libc6:arm64 libgcc-s1:arm64 \
        libstdc++6:arm64 libssl3t64:arm64' >> "$folder/arm64/packing.log" 2>&1 || { tail -n 20 "$folder/arm64/packing.log" >&2; exit 1; }
    : > "$tree/.done"
fi
rm -rf "$tree/source"
mkdir "$tree/source"
cp -R "$(readlink "$folder/arm64/source")" "$tree/source/"
cp "$folder"/arm64/*.orig.tar.xz "$folder"/arm64/matterctl "$folder"/arm64/matterctl.* "$tree/source/"
cat > "$tree/pack.sh" <<'P'
set -eu
cd /source/matterctl-*/
export LC_ALL=C.UTF-8 MATTERCTL_PROGRAM=/source/matterctl.unstripped MATTERCTL_COMMIT="$(cat commit)"
DEB_BUILD_PROFILES=pkg.matterctl.toolchain dpkg-buildpackage --host-arch arm64 --no-sign --build=any --no-check-builddeps
export SOURCE_DATE_EPOCH="$(dpkg-parsechangelog --show-field Timestamp)"
python3 .packaging/tarball.py /source/matterctl /source
.packaging/lintian.sh /source
P
mountpoint -q "$tree/proc" || mount -t proc proc "$tree/proc"
trap 'umount -l "$tree/proc" 2> /dev/null || true' EXIT
MATTERCTL_SWIFT=$(sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' "$folder/arm64/built-with.txt" | head -n 1)
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root MATTERCTL_SWIFT="$MATTERCTL_SWIFT" chroot "$tree" sh /pack.sh > "$folder/arm64/pack.log" 2>&1 || {
    tail -n 30 "$folder/arm64/pack.log" >&2
    exit 1
}
cp "$tree"/source/*_arm64.deb "$tree"/source/*-linux-arm64.tar.gz "$tree"/source/*_arm64.buildinfo "$tree"/source/*_arm64.changes "$folder/"
cd "$folder"
sha256sum ./*_arm64.deb ./*-linux-arm64.tar.gz
