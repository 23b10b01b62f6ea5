#!/bin/sh
# glibc.sh BINARY: the oldest glibc that a program starts with: the newest version that it names, and 2.36 for packed relocations.
set -eu
readelf -VW "$1" | grep -oE 'GLIBC_[0-9.]+|GLIBC_ABI_DT_RELR' | sed 's/GLIBC_ABI_DT_RELR/2.36/; s/GLIBC_//' | sort -Vu | tail -n 1
