#!/bin/sh
# serve.sh BINARY [OPTION …]: runs serve.py on a private network with Avahi; options are its own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/matterctl-serve.XXXXXX")
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
"$here/../Lab/lab.sh" "$work/lab" python3 "$here/serve.py" --work "$work" "$@"
