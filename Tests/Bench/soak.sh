#!/bin/sh
# soak.sh BINARY [OPTION …]: runs soak.py on a private network with Avahi; options are its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-soak.XXXXXX")
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
"$here/../Lab/lab.sh" "$work/lab" python3 "$here/soak.py" --work "$work" "$@"
