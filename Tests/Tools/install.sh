#!/bin/sh
# install.sh BINARY PREFIX: puts the stripped binary, its completion scripts and its manual pages below PREFIX.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
binary=$1 prefix=$2
install -d "$prefix/bin"
install -s -m 755 "$binary" "$prefix/bin/matterctl"
matterctl=$prefix/bin/matterctl

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
