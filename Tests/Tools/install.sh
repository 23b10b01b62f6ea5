#!/bin/sh
# install.sh BINARY PREFIX: puts the stripped binary, its completion scripts, its manual pages and what debuggers read (BINARY.debug,
# and commands for gdb) below PREFIX.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
binary=$1 prefix=$2
# libcurl's TLS library would take them for those of the system's libcrypto.
if nm -D --defined-only "$binary" | grep -Eq ' (EVP|OPENSSL|SSL)_'; then
    echo "$binary exports symbols of its libcrypto: build it with -Xlinker --no-export-dynamic" >&2
    exit 1
fi
install -d "$prefix/bin"
install -m 755 "$binary" "$prefix/bin/matterctl"
matterctl=$prefix/bin/matterctl
# gdb finds it by the build id; gdb_swift.py tells it of this prefix.
id=$(readelf -n "$binary" | sed -n 's/^ *Build ID: //p')
folder=$prefix/lib/debug/.build-id/$(printf '%s' "$id" | cut -c1-2)
install -d "$folder" "$prefix/share/matterctl"
install -m 644 "$binary.debug" "$folder/$(printf '%s' "$id" | cut -c3-).debug"
install -m 644 "$here/gdb_swift.py" "$prefix/share/matterctl/gdb_swift.py"

# Where each shell looks, relative to the prefix.
completion() {
    install -d "$prefix/$2"
    "$matterctl" --generate-completion-script "$1" > "$prefix/$2/$3"
}
completion bash share/bash-completion/completions matterctl
completion zsh share/zsh/site-functions _matterctl
completion fish share/fish/vendor_completions.d matterctl.fish
python3 "$here/manual_pages.py" "$matterctl" "$prefix/share/man/man1"
echo "installed $("$matterctl" --version) in $prefix ($(du -h "$matterctl" | cut -f1))"
