#!/bin/sh
# deb.sh FOLDER: builds the Debian packages of this commit in FOLDER: matterctl, matterctl-dbgsym, the source package, and what
# describes the build (.buildinfo, .changes).
#
# The build needs a Swift toolchain of 6.2 or later on the PATH. In Debian sid it can be the package swiftlang; leave
# MATTERCTL_TOOLCHAIN=debian in the environment for that.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 64; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
if [ -n "$(git -C "$here" status --porcelain --untracked-files=no)" ]; then
    echo "deb.sh: there are changes that are not committed; the packages would lack them" >&2
    exit 1
fi
tree=$(python3 "$here/sources.py" "$folder")
profiles=pkg.matterctl.toolchain
[ "${MATTERCTL_TOOLCHAIN:-}" != debian ] || profiles=
cd "$tree"
DEB_BUILD_PROFILES=$profiles dpkg-buildpackage --no-sign --build=full "--root-command=fakeroot"
cd "$folder"
sha256sum ./*.deb
