#!/bin/sh
# split_debug.sh BINARY FOLDER: writes the stripped program and, beside it, PROGRAM.debug with what debuggers read: symbols and
# lines. A build id ties the two together.
set -eu
binary=$1 folder=$2
name=$(basename "$binary")
mkdir -p "$folder"
# The index of names is as large as the rest, and gdb makes its own.
objcopy --only-keep-debug --remove-section=.debug_names --compress-debug-sections=zlib "$binary" "$folder/$name.debug.new"
strip -o "$folder/$name.new" "$binary"
chmod 644 "$folder/$name.debug.new"
mv "$folder/$name.debug.new" "$folder/$name.debug"
(cd "$folder" && objcopy --add-gnu-debuglink="$name.debug" "$name.new")
mv "$folder/$name.new" "$folder/$name"
echo "$folder/$name: $(stat -c %s "$folder/$name") bytes; $name.debug: $(stat -c %s "$folder/$name.debug") bytes"
