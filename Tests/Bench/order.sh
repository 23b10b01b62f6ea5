#!/bin/sh
# order.sh BINARY: runs order.py on a private network with Avahi.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-order.XXXXXX")
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
"$here/../Lab/lab.sh" "$work/lab" python3 "$here/order.py" --work "$work" "$@"
