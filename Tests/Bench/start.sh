#!/bin/sh
# start.sh BINARY EMPTY [OPTION …]: runs start.py on a private network with Avahi. EMPTY is the empty program to stand beside
# it; OPTIONs are start.py's own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-start.XXXXXX")
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
"$here/../Lab/lab.sh" "$work/lab" python3 "$here/start.py" --work "$work" "$@"
