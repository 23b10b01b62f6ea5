#!/bin/sh
# emulation.sh: lets this kernel start programs for arm64 by qemu-aarch64-static, in chroots too; as root.
set -eu
misc=/proc/sys/fs/binfmt_misc
[ "$(dpkg --print-architecture)" != arm64 ] || exit 0
[ -e "$misc/register" ] || mount -t binfmt_misc binfmt_misc "$misc"
[ ! -e "$misc/qemu-aarch64" ] || exit 0
# The head of an executable or a shared object for this machine. F: the emulator is opened now, outside of every chroot.
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
printf '%s' ":qemu-aarch64:M::$magic:$mask:$(command -v qemu-aarch64-static):F" > "$misc/register"
