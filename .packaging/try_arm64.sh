#!/bin/sh
# try_arm64.sh FOLDER: runs the program for arm64 in FOLDER by qemu-aarch64, on a private network: it says its version, reads a setup
# code, and commissions, switches and reads a virtual light, which is the program too.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
folder=$(cd "$1" && pwd)
sid=${MATTERCTL_ARM64_CHROOT:-$folder/arm64/sid}
# A program of this machine that is that of the other one, for end-to-end tests, too: MATTERCTL_BINARY.
work=$folder/arm64/run
mkdir -p "$work"
cat > "$work/matterctl" <<P
#!/bin/sh
exec qemu-aarch64-static -L "$sid/sysroot" "$folder/arm64/matterctl" "\$@"
P
chmod 755 "$work/matterctl"
"$work/matterctl" --version -v
"$work/matterctl" payload parse MT:-24J0AFN00KA0648G00 | grep -q 20202021
"$root/Tests/Lab/demo.sh" "$work/matterctl"
