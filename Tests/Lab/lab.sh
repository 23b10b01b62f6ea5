#!/bin/sh
# A laboratory: runs a command on a private network of two hosts with its own D-Bus and Avahi, as root or as an
# ordinary user (in a user namespace). Everything that was started in it ends with it.
#
#     lab.sh DIR COMMAND [ARG ...]      logs stay in DIR
#
#     near host   mt0: 10.77.0.1, fd77::1 and a link-local address; here run COMMAND, D-Bus and avahi-daemon
#     far host    mt0: 10.77.0.2, fd77::2 and a link-local address; $MATTERCTL_FAR COMMAND runs there
#
# COMMAND sees MATTERCTL_LAB=1, MATTERCTL_LAB_DIR, MATTERCTL_FAR, DBUS_SYSTEM_BUS_ADDRESS and XDG_RUNTIME_DIR, a folder in
# memory.
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 2 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 64; }
user=
[ "$(id -u)" = 0 ] || user=-Ur
# The process namespace sees to it that nothing outlives the laboratory, whatever happens.
exec unshare $user --net --pid --fork --mount-proc --kill-child sh -c '
  here=$1 dir=$2; shift 2
  mkdir -p "$dir" && dir=$(cd "$dir" && pwd) || exit 1
  . "$here/network.sh" && "$here/avahi.sh" "$dir" mt0 && . "$dir/env" || { echo "lab.sh: no laboratory" >&2; exit 1; }
  # Where sessions are kept between commands.
  XDG_RUNTIME_DIR=$dir/run; export XDG_RUNTIME_DIR
  mkdir -p "$dir/run" && chmod 700 "$dir/run" && mount -t tmpfs -o mode=700 tmpfs "$dir/run" || exit 1
  MATTERCTL_LAB=1 MATTERCTL_LAB_DIR=$dir; export MATTERCTL_LAB MATTERCTL_LAB_DIR
  "$@"
' sh "$here" "$@"
