#!/bin/sh
# arm64.sh FOLDER: the program for arm64, for trixie and later, cross-compiled here with the compiler of Debian sid; as root.
#
#     FOLDER/arm64/matterctl              the program
#     FOLDER/arm64/built-with.txt         the compiler's version, and the digests of all packages of compiler and sysroot
#     FOLDER/arm64/source, .unstripped    what arm64_deb.sh packs
#
# The compiler (amd64) runs in a chroot of sid. The sysroot has trixie's C and C++ libraries and OpenSSL, so the program needs no newer
# glibc than trixie's, and the arm64 runtime of the same compiler version from sid. That the program builds here keeps it
# building with Swift 6.2.3. It is started by qemu-aarch64.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 64; }
[ "$(id -u)" = 0 ] || { echo "arm64.sh: needs root, for chroot(2)" >&2; exit 77; }
mkdir -p "$1/arm64"
folder=$(cd "$1" && pwd)
sid=${MATTERCTL_ARM64_CHROOT:-$folder/arm64/sid}
RUNTIME="libswiftlang swiftlang"
SYSTEM="libc6 libc6-dev linux-libc-dev libcrypt1 libcrypt-dev libgcc-s1 libgcc-14-dev libstdc++-14-dev libstdc++6 libssl-dev libssl3t64
    libatomic1 zlib1g libzstd1"
# What the program opens when it runs; it comes with what it needs itself.
OPENED="libavahi-client3 libdbus-1-3 libsystemd0 libcurl4t64 libqrencode4 libsqlite3-0"
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-arm64.XXXXXX")
trap 'rm -rf "$work"' EXIT
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -E '/debian/?$' | head -n 1)

# fetch [--needs] SUITE FOLDER PACKAGE ...: packages for arm64, by an apt of its own; with what they need
fetch() {
    needs=
    if [ "$1" = --needs ]; then needs=1; shift; fi
    suite=$1 into=$2
    shift 2
    state=$work/apt-$suite
    mkdir -p "$state/lists/partial" "$state/archives/partial" "$into"
    : > "$state/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" > "$state/sources.list"
    apt="apt-get -qq -o Dir::State=$state -o Dir::State::status=$state/status -o Dir::Cache=$state -o Dir::Etc::sourcelist=$state/sources.list
        -o Dir::Etc::sourceparts=/dev/null -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root
        -o Acquire::Check-Valid-Until=false"
    $apt update
    if [ -n "$needs" ]; then
        $apt install --download-only --no-install-recommends -y "$@"
        cp "$state"/archives/*.deb "$into"
    else
        (cd "$into" && $apt download "$@")
    fi
}

if [ ! -e "$sid/.done" ]; then
    echo "making a chroot of Debian sid with its Swift"
    debootstrap --variant=minbase sid "$sid" > "$folder/arm64/chroot.log" 2>&1
    echo 'Acquire::Check-Valid-Until "false";' > "$sid/etc/apt/apt.conf.d/90matterctl"
    cp /etc/resolv.conf "$sid/etc/resolv.conf"
    chroot "$sid" sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        swiftlang swiftlang-dev libswiftlang lld clang git ca-certificates binutils binutils-multiarch make libssl-dev libavahi-client-dev \
        python3 pkg-config' >> "$folder/arm64/chroot.log" 2>&1
    : > "$sid/.done"
fi
if [ ! -e "$sid/sysroot/.done" ]; then
    echo "making a sysroot of trixie for arm64"
    rm -rf "$sid/sysroot" "$folder/arm64/packages"
    mkdir -p "$sid/sysroot/usr/lib"
    ln -s usr/lib "$sid/sysroot/lib"
    # shellcheck disable=SC2086
    fetch trixie "$folder/arm64/packages" $SYSTEM
    # shellcheck disable=SC2086
    fetch --needs trixie "$folder/arm64/packages" $OPENED
    # shellcheck disable=SC2086
    fetch sid "$folder/arm64/packages" $RUNTIME
    for package in "$folder"/arm64/packages/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$sid/sysroot"
    done
    # Where the compiler driver looks, below a sysroot.
    ln -sfn ../libexec/swift/lib/swift "$sid/sysroot/usr/lib/swift"
    ln -sfn ../libexec/swift/lib/swift_static "$sid/sysroot/usr/lib/swift_static"
    sdk=$sid/sdks/trixie-arm64.artifactbundle
    mkdir -p "$sdk/sdk"
    cat > "$sdk/info.json" <<'J'
{"schemaVersion": "1.0", "artifacts": {"trixie-arm64": {"type": "swiftSDK", "version": "1.0", "variants": [{"path": "sdk"}]}}}
J
    cat > "$sdk/sdk/swift-sdk.json" <<'J'
{"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {"sdkRootPath": "/sysroot",
 "swiftResourcesPath": "/sysroot/usr/libexec/swift/lib/swift", "swiftStaticResourcesPath": "/sysroot/usr/libexec/swift/lib/swift_static",
 "toolsetPaths": ["toolset.json"]}}}
J
    cat > "$sdk/sdk/toolset.json" <<'J'
{"schemaVersion": "1.0", "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld", "-Xclang-linker", "--sysroot=/sysroot"]},
 "cCompiler": {"extraCLIOptions": ["--sysroot=/sysroot"]}}
J
    : > "$sid/sysroot/.done"
fi
# The loader finds the compiler's libraries by way of /proc.
mountpoint -q "$sid/proc" || mount -t proc proc "$sid/proc"
mountpoint -q "$sid/dev" || mount --bind /dev "$sid/dev"
trap 'umount -l "$sid/proc" "$sid/dev" 2> /dev/null || true; rm -rf "$work"' EXIT
{
    chroot "$sid" swift --version 2>&1
    chroot "$sid" dpkg-query -W -f '${Package} ${Version} ${Architecture}\n' swiftlang swiftlang-dev libswiftlang lld clang libc6
    (cd "$folder/arm64/packages" && sha256sum ./*.deb)
} > "$folder/arm64/built-with.txt"

# The same source tree as for the other packages, without network.
rm -rf "$folder/arm64/sources"
tree=$(python3 "$here/sources.py" "$folder/arm64/sources")
ln -sfn "$tree" "$folder/arm64/source"
rm -f "$folder"/arm64/*.orig.tar.xz
mv "$folder"/arm64/sources/*.orig.tar.xz "$folder/arm64/"
# What was compiled for another commit is of use to the compiler.
mkdir -p "$sid/source"
find "$sid/source" -mindepth 1 -maxdepth 1 ! -name .build -exec rm -rf {} +
cp -R "$tree/." "$sid/source"
cat > "$sid/build.sh" <<'B'
set -eu
cd /source
export HOME=/root SWIFT_DETERMINISTIC_HASHING=1 MATTERCTL_DYNAMIC_OPENSSL=1 MATTERCTL_COMMIT="$(cat commit)"
swift build -c release --disable-sandbox --disable-automatic-resolution --swift-sdks-path /sdks --swift-sdk trixie-arm64 \
    --static-swift-stdlib --disable-local-rpath -Xswiftc -Osize -Xlinker --build-id=sha1 --product matterctl
binary=$(swift build -c release --swift-sdks-path /sdks --swift-sdk trixie-arm64 --show-bin-path)/matterctl
mkdir -p /source/dist
cp "$binary" /source/dist/matterctl.unstripped
Tests/Tools/split_debug.sh "$binary" /source/dist
Tests/Tools/stamp_commit.sh /source/dist/matterctl
B
chroot "$sid" sh /build.sh > "$folder/arm64/build.log" 2>&1 || { tail -n 20 "$folder/arm64/build.log" >&2; exit 1; }
cp "$sid/source/dist/matterctl" "$sid/source/dist/matterctl.debug" "$sid/source/dist/matterctl.unstripped" "$folder/arm64/"
program=$folder/arm64/matterctl
echo "$program: $(stat -c %s "$program") bytes, glibc $("$here/glibc.sh" "$program") or later"
# A kernel with pages of 64 KiB loads only what is aligned to them.
for alignment in $(readelf -lW "$program" | awk '$1 == "LOAD" { print $NF }'); do
    [ $((alignment)) -ge 65536 ] || { echo "a segment is aligned to $alignment only" >&2; exit 1; }
done
"$here/try_arm64.sh" "$folder"
