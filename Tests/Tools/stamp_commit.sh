#!/bin/sh
# stamp_commit.sh BINARY: writes the commit that it was built from into the program (cprocess_commit): after linking, so that a new
# commit does not build anything. MATTERCTL_COMMIT says it where there is no repository.
set -eu
cd "$(dirname "$0")/../.."
binary=$1
commit=${MATTERCTL_COMMIT:-$(git rev-parse HEAD 2> /dev/null || true)}
[ -n "$commit" ] || exit 0
if [ -z "${MATTERCTL_COMMIT:-}" ] && [ -n "$(git status --porcelain --untracked-files=no)" ]; then commit=$commit+; fi
case $commit in *[!0-9a-f+]*) echo "stamp_commit.sh: '$commit' is no commit" >&2; exit 64 ;; esac
# Columns: name, type, address, offset, size.
set -- $(readelf -SW "$binary" | sed -n 's/^ *\[ *[0-9]*\] matterctl_commit //p')
[ $# -ge 4 ] || { echo "stamp_commit.sh: $binary has no place for a commit" >&2; exit 1; }
[ ${#commit} -lt $((0x$4)) ] || { echo "stamp_commit.sh: '$commit' is too long" >&2; exit 64; }
printf '%s\0' "$commit" | dd of="$binary" bs=1 seek=$((0x$3)) conv=notrunc status=none
