#!/bin/sh
# Prints the path of a Python 3.12, which Home Assistant's newer clients ask for.
#
# Debian 12 has 3.11, Debian 13 has 3.13. Where there is none: `pyenv install 3.12`, or `uv python install 3.12`.
for python in python3.12 \
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.12.*/bin/python3.12 \
    "$(pyenv root 2>/dev/null)"/versions/3.12.*/bin/python3.12 \
    "$HOME"/.local/share/uv/python/cpython-3.12.*/bin/python3.12; do
    # pyenv's own python3.12 on the PATH runs only if that version is chosen.
    if "$python" -c 'import sys, venv; sys.exit(sys.version_info[:2] != (3, 12))' 2>/dev/null; then
        command -v "$python"
        exit 0
    fi
done
echo "python312.sh: no Python 3.12 here; install it: pyenv install 3.12 (or: uv python install 3.12)" >&2
exit 1
