#!/bin/bash
# Builds the programs of docs/Examples as a package of another author, in a folder without this tree around it: with the library in a
# clone by its path, and once more by a tag. Each time the tests of the examples run them against virtual devices.
#
#     Tests/Tools/outside_package.sh MATTERCTL      the program that plays the devices
set -euo pipefail
binary=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-outside.XXXXXX")
trap 'rm -rf "$work"' EXIT
tests='ExampleTests|HouseMonitorTests|OutsideTests'

# The clone has the name of the package, by which programs refer to it.
git clone -q "$root" "$work/library/matterctl"
git -C "$work/library/matterctl" tag 0.0.1

# build NAME DEPENDENCY: a package with that way to the library.
build() {
    mkdir -p "$work/$1"
    cp -r "$root/docs/Examples/Package.swift" "$root/docs/Examples/Sources" "$root/docs/Examples/Outside" "$work/$1/"
    sed -i "s|\.package(name: \"matterctl\", path: \"../..\", traits: \[\])|$2|" "$work/$1/Package.swift"
    grep -qF "$2" "$work/$1/Package.swift"
    swift build -debug-info-format none --package-path "$work/$1"
    echo "== $1: what it resolves"
    swift package --package-path "$work/$1" show-dependencies | tee "$work/$1/dependencies"
    if grep -qE 'argument-parser|FlyingFox|swift-nio' "$work/$1/dependencies"; then
        echo "it resolves what only the programs of this package need" >&2
        exit 1
    fi
    echo "== $1: the programs"
    (cd "$root" && MATTERCTL_BINARY="$binary" MATTERCTL_EXAMPLES="$work/$1/.build/debug" \
        Tests/Lab/lab.sh "$work/$1/lab" swift test --skip-build --ignore-lock --filter "$tests" |
        grep -aE '✘|Test run with')
}

build by-path '.package(path: "../library/matterctl", traits: [])'
build by-tag ".package(url: \"file://$work/library/matterctl\", from: \"0.0.1\", traits: [])"
