#!/bin/bash
# arm64_end_to_end.sh FOLDER [SUITE ...]: the end-to-end tests with the program for arm64 in FOLDER, by qemu-aarch64, suite by suite;
# as root. The virtual devices are that program, too. It needs the tests' build (make test), and takes two hours.
#
#     FOLDER/arm64/end-to-end/results     a line for each suite; beside it the output of each
#
# Which tests cannot pass by emulation, and why, stands in docs/reliability.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
[ $# -ge 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 64; }
folder=$(cd "$1" && pwd)
shift
out=$folder/arm64/end-to-end
mkdir -p "$out" /etc/qemu-binfmt
"$here/emulation.sh"
# Where the emulator looks for the loader and the libraries of arm64, whatever the environment of a test.
ln -sfn "${MATTERCTL_ARM64_CHROOT:-$folder/arm64/sid}/sysroot" /etc/qemu-binfmt/aarch64
cd "$root"
if [ $# = 0 ]; then
    for file in Tests/EndToEndTests/*Tests.swift; do set -- "$@" "$(basename "$file" .swift)"; done
fi
for suite in "$@"; do
    code=0
    CI=1 MATTERCTL_SLOTS=2 MATTERCTL_PEERS="$root/.peers" MATTERCTL_BINARY="$folder/arm64/matterctl" timeout 1200 \
        Tests/Lab/lab.sh "$out/lab" env NO_COLOR=1 .build/release/matterctlPackageTests.xctest --testing-library swift-testing \
        --filter "EndToEndTests\\.$suite/" > "$out/$suite" 2>&1 || code=$?
    failed=$(grep -aE '^✘ Test "' "$out/$suite" | sed -n 's/^✘ Test \(".*"\).* failed after.*/\1/p' | sort -u | tr '\n' ';') || true
    echo "$suite	exit $code	$(grep -a 'Test run with' "$out/$suite" | tail -n 1)	$failed" | tee -a "$out/results"
done
