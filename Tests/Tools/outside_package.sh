#!/bin/bash
# Makes the programs of docs/Examples a package of another author, in a folder without this tree around it: with the library in a
# clone by its path, and once more by a tag. Neither may resolve what only the programs of this package need; by a tag, that has
# to be so without being asked for.
#
#     Tests/Tools/outside_package.sh --resolve      only what it resolves; half a minute
#     Tests/Tools/outside_package.sh MATTERCTL      builds it, too, and the tests of the examples run the programs against virtual
#                                                   devices, which MATTERCTL plays
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# = 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 64; }
[ "$1" = --resolve ] || binary=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-outside.XXXXXX")
trap 'rm -rf "$work"' EXIT
tests='ExampleTests|HouseMonitorTests|OutsideTests'

# A clone has the name of the package, by which programs refer to it. There are two, as the package manager remembers a manifest by
# its place. They have what lies here, committed or not.
for clone in library published; do
    mkdir -p "$work/$clone/matterctl"
    cp -r "$root/Package.swift" "$root/Sources" "$root/Tests" "$work/$clone/matterctl/"
    (
        cd "$work/$clone/matterctl"
        git init -q
        git add -A
        git -c user.name=outside -c user.email=outside@example.org commit -q --no-gpg-sign -m "the library"
        git tag 0.0.1
    )
done

# package NAME DEPENDENCY: a package with that way to the library.
package() {
    mkdir -p "$work/$1"
    cp -r "$root/docs/Examples/Package.swift" "$root/docs/Examples/Sources" "$root/docs/Examples/Outside" "$work/$1/"
    sed -i "s|\.package(name: \"matterctl\", path: \"../..\", traits: \[\])|$2|" "$work/$1/Package.swift"
    grep -qF "$2" "$work/$1/Package.swift"
    echo "== $1: what it resolves"
    swift package --package-path "$work/$1" show-dependencies 2>&1 | tee "$work/$1/dependencies"
    if grep -qiE 'argument-parser|flyingfox|swift-nio' "$work/$1/dependencies" || ! grep -q swift-asn1 "$work/$1/dependencies"; then
        echo "it resolves what only the programs of this package need, or nothing" >&2
        exit 1
    fi
    if [ -n "${binary:-}" ]; then try "$1"; fi
}

try() {
    swift build -debug-info-format none --package-path "$work/$1"
    echo "== $1: the programs"
    (cd "$root" && MATTERCTL_BINARY="$binary" MATTERCTL_EXAMPLES="$work/$1/.build/debug" \
        Tests/Lab/lab.sh "$work/$1/lab" env NO_COLOR=1 .build/release/matterctlPackageTests.xctest --testing-library swift-testing --filter "$tests" |
        grep -aE '✘|Test run with')
}

package by-path '.package(path: "../library/matterctl", traits: [])'
package by-tag ".package(url: \"file://$work/published/matterctl\", from: \"0.0.1\")"
