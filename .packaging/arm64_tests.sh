#!/bin/sh
# arm64_tests.sh FOLDER: builds tests for arm64 in the chroot that arm64.sh has made, and runs them by qemu-aarch64: those with vectors
# (attestation, certificates, SPAKE2+, CASE, messages, TLV …), those of the cryptography, and those of slot files. Tests that damage
# thousands of messages would take hours.
#
# What the program does over a network is tried by try_arm64.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
[ $# = 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 64; }
folder=$(cd "$1" && pwd)
sid=${MATTERCTL_ARM64_CHROOT:-$folder/arm64/sid}
TESTS="JSONTests MatterTLVTests MatterCryptoTests MatterSetupPayloadTests MatterCredentialsTests MatterTransportTests MatterSecureChannelTests
    MatterStoreTests"
NAMES="Vector|Transcript|P256|SPAKE2|AES|CMAC|Hash|KeyDerivation|RecordedSession|ProductionAuthorities|SlotFile|SecretBytes"
mkdir -p "$sid/tests"
find "$sid/tests" -mindepth 1 -maxdepth 1 ! -name .build -exec rm -rf {} +
cp -Rp "$folder/arm64/source/." "$sid/tests"
# Exit tests of this compiler capture nothing; other suites need them.
grep -l processExitsWith "$sid"/tests/Tests/Matter*/*.swift | grep -v SlotFileTests | xargs rm -f
# The others need more than these layers.
{
    echo 'let kept: Set<String> = ['
    # shellcheck disable=SC2086
    printf '    "%s",\n' $TESTS
    echo ']'
    echo 'package.targets.removeAll { ($0.type == .test && !kept.contains($0.name)) || $0.path?.hasPrefix("Tests/Bench") == true }'
} >> "$sid/tests/Package.swift"
# Debian's package has this overlay's interface and not the library; nothing of it is used here.
ar rc "$sid/sysroot/usr/lib/aarch64-linux-gnu/lib_Testing_Foundation.a"
cat > "$sid/tests.sh" <<'B'
set -eu
cd /tests
export HOME=/root SWIFT_DETERMINISTIC_HASHING=1 MATTERCTL_DYNAMIC_OPENSSL=1
swift build --build-tests --disable-sandbox --disable-automatic-resolution --swift-sdks-path /sdks --swift-sdk trixie-arm64
swift build --build-tests --disable-sandbox --swift-sdks-path /sdks --swift-sdk trixie-arm64 --show-bin-path > bin-path
B
mountpoint -q "$sid/proc" || mount -t proc proc "$sid/proc"
mountpoint -q "$sid/dev" || mount --bind /dev "$sid/dev"
trap 'umount -l "$sid/proc" "$sid/dev" 2> /dev/null || true' EXIT
chroot "$sid" sh /tests.sh > "$folder/arm64/tests-build.log" 2>&1 || { tail -n 20 "$folder/arm64/tests-build.log" >&2; exit 1; }
MATTERCTL_SHARED=${MATTERCTL_SHARED:-$root/../shared}
export MATTERCTL_SHARED
cd "$sid/tests"
qemu-aarch64-static -L "$sid/sysroot" -E LD_LIBRARY_PATH=/usr/libexec/swift/lib/swift/linux \
    "$sid$(cat bin-path)/matterctlPackageTests.xctest" --testing-library swift-testing --filter "$NAMES" > "$folder/arm64/tests.log" 2>&1 || {
    grep -aE '^✘|^↳' "$folder/arm64/tests.log" | cut -c 1-300 | tail -n 40
    exit 1
}
tail -n 1 "$folder/arm64/tests.log"
