#!/bin/sh
# bench.sh BINARY [OPTION …]: runs bench.py on a private network with Avahi; options are its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
"$root/Tests/Lab/lab.sh" "$work/lab" "${MATTERCTL_PEERS:-$root/.peers}/bin/python" "$here/bench.py" --work "$work" "$@"
