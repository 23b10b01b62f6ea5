#!/bin/sh
# same.sh FOLDER: builds the Debian packages of this commit twice and compares them. The second build has another folder, umask,
# locale, time zone, time of files, order of files in folders, and an empty cache; if root runs it, another user and host name too.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
[ $# = 1 ] || { sed -n '2,3s/^# \{0,1\}//p' "$0" >&2; exit 64; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
commit=$(git -C "$root" rev-parse HEAD)
build() {
    rm -rf "$folder/$1"
    mkdir -p "$folder/$1"
    git clone -q --no-hardlinks "$root" "$folder/$1/clone"
    git -C "$folder/$1/clone" checkout -q "$commit"
}
# A first build of this commit that is there already will do.
if [ "$(cat "$folder/first/done" 2> /dev/null)" != "$commit" ]; then
    build first
    (umask 022 && LC_ALL=C.UTF-8 TZ=UTC "$folder/first/clone/.packaging/deb.sh" "$folder/first/packages" > "$folder/first.log" 2>&1)
    echo "$commit" > "$folder/first/done"
fi
build another-place
# Another order: git writes the files of a clone by name; a copy in the reverse order has them otherwise.
mkdir "$folder/another-place/copy"
(cd "$folder/another-place/clone" && find . -not -type d | sort -r | cpio -pdm --quiet "$folder/another-place/copy")
rm -rf "$folder/another-place/clone"
second="umask 027; export LC_ALL=C TZ=Pacific/Chatham HOME=$folder/another-place/home; mkdir -p \"\$HOME\"; \
    $folder/another-place/copy/.packaging/deb.sh $folder/another-place/packages"
if [ "$(id -u)" = 0 ]; then
    cp "${GIT_CONFIG_GLOBAL:-$HOME/.gitconfig}" "$folder/another-place/gitconfig" 2> /dev/null || : > "$folder/another-place/gitconfig"
    # The other user does not own the libraries' repositories, if those are on this machine.
    printf '[safe]\n\tdirectory = *\n' >> "$folder/another-place/gitconfig"
    chmod 644 "$folder/another-place/gitconfig"
    chmod -R go+rX "$folder"
    chown -R nobody "$folder/another-place"
    GIT_CONFIG_GLOBAL=$folder/another-place/gitconfig unshare --uts sh -c 'hostname elsewhere; exec setpriv --reuid nobody --clear-groups sh -c "$1"' \
        sh "$second" > "$folder/another-place.log" 2>&1
else
    sh -c "$second" > "$folder/another-place.log" 2>&1
fi
different=0
for package in "$folder"/first/packages/*.deb; do
    name=$(basename "$package")
    if cmp -s "$package" "$folder/another-place/packages/$name"; then
        echo "same       $(sha256sum "$package" | cut -d' ' -f1)  $name"
    else
        echo "different  $name"
        different=1
    fi
done
exit $different
