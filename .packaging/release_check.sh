#!/bin/sh
# release_check.sh FOLDER: goes through the checklist of docs/releasing.md, with the packages in FOLDER.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
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
check "debian/changelog begins with $number" sh -c "head -n 1 .packaging/debian/changelog | grep -q '^matterctl ($number-'"
check "CHANGELOG.md has a heading for $number" grep -q "^## $number" docs/CHANGELOG.md
check "the packages are of $number" sh -c "ls '$folder'/matterctl_$number-*.deb '$folder'/matterctl-$number-*.tar.gz"
check "they are of this commit" sh -c "dpkg-deb --fsys-tarfile '$folder'/matterctl_$number-*_$(dpkg --print-architecture).deb \
    | tar -xO ./usr/share/doc/matterctl/matterctl.cdx.json | grep -q $(git rev-parse HEAD)"
# Tests in a laboratory, with the program of the Debian package.
rm -rf "$folder/installed"
mkdir -p "$folder/installed"
for package in "$folder"/matterctl_"$number"-*_"$(dpkg --print-architecture)".deb; do dpkg-deb -x "$package" "$folder/installed"; done
export MATTERCTL_BINARY="$folder/installed/usr/bin/matterctl" MATTERCTL_PEERS="$root/.peers" SWIFT_DETERMINISTIC_HASHING=1
make -s peers
swift build -debug-info-format none --build-tests > "$folder/release-check.log" 2>&1 || { tail "$folder/release-check.log"; exit 1; }
swift build -debug-info-format none --package-path docs/Examples --scratch-path .build-examples > "$folder/release-check.log" 2>&1 || {
    tail "$folder/release-check.log"
    exit 1
}
tests() { Tests/Lab/lab.sh "$folder/lab" swift test --skip-build --filter "$1" && grep -aq 'Test run with [1-9].* passed' "$folder/release-check.log"; }
check "the documents' examples and recipes run" tests "DocumentsTests|ExampleTests|RecipesTests"
check "states of earlier versions are opened, used and upgraded" tests "ReleasedStateTests"
if [ "$(id -u)" = 0 ]; then
    check "the packages install in clean chroots, and a light is switched there" "$here/chroots.sh" "$folder"
else
    echo "NO   the packages install in clean chroots: needs root"
    failed=1
fi
exit $failed
