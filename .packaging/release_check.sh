#!/bin/sh
# release_check.sh FOLDER: goes through the checklist of docs/releasing.md, with the packages in FOLDER.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
folder=$1
cd "$root"
failed=0
check() {
    what=$1
    shift
    if "$@" > "$folder/release-check.log" 2>&1; then echo "yes  $what"; else
        echo "NO   $what"
        tail -n 20 "$folder/release-check.log"
        failed=1
    fi
}
number=$(sed -n 's/.*number = "\([0-9.]*\)".*/\1/p' Sources/MatterCommandLine/Version.swift)
mkdir -p "$folder"
check "debian/changelog begins with $number" sh -c "head -n 1 .packaging/debian/changelog | grep -q '^matterctl ($number-'"
check "CHANGELOG.md has a heading for $number" grep -q "^## $number" docs/CHANGELOG.md
check "the packages are of $number" sh -c "ls '$folder'/matterctl_$number-*.deb '$folder'/matterctl-$number-*.tar.gz"
check "they are of this commit" sh -c "dpkg-deb --fsys-tarfile '$folder'/matterctl_$number-*_$(dpkg --print-architecture).deb \
    | tar -xO ./usr/share/doc/matterctl/matterctl.cdx.json | grep -q $(git rev-parse HEAD)"
check "the documents' examples run" swift test --filter "DocumentsTests|ExampleTests"
check "states of earlier versions are opened, used and upgraded" swift test --filter "ReleasedStateTests"
if [ "$(id -u)" = 0 ]; then
    check "the packages install in clean chroots, and a light is switched there" "$here/chroots.sh" "$folder"
else
    echo "NO   the packages install in clean chroots: needs root"
    failed=1
fi
exit $failed
