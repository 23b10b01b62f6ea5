#!/bin/sh
# Starts a private D-Bus system bus and an avahi-daemon in the current network namespace.
#
#     avahi.sh DIR [INTERFACE,…]       then: . DIR/env    (sets DBUS_SYSTEM_BUS_ADDRESS)
#
# Leaves in DIR: bus (the socket), dbus.pid, avahi.pid, dbus.log, avahi.log and the configurations. Needs root, real or
# in a user namespace (see lab.sh).
set -eu
dir=$1 interfaces=${2-}
bus="unix:path=$dir/bus"
cat > "$dir/dbus.conf" <<XML
<busconfig>
  <type>system</type>
  <listen>$bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/>
    <allow send_destination="*"/><allow receive_sender="*"/>
  </policy>
</busconfig>
XML
cat > "$dir/avahi.conf" <<INI
[server]
${interfaces:+allow-interfaces=$interfaces}
use-ipv4=yes
use-ipv6=yes
enable-dbus=yes
# Tests publish many services in a short time.
objects-per-client-max=4096
entries-per-entry-group-max=64
clients-max=4096
ratelimit-interval-usec=0
ratelimit-burst=0
[publish]
publish-workstation=no
publish-hinfo=no
disable-publishing=no
[wide-area]
enable-wide-area=no
[rlimits]
INI
echo "export DBUS_SYSTEM_BUS_ADDRESS=$bus" > "$dir/env"
DBUS_SYSTEM_BUS_ADDRESS=$bus
export DBUS_SYSTEM_BUS_ADDRESS
dbus-daemon --config-file="$dir/dbus.conf" --nofork --nopidfile 2> "$dir/dbus.log" &
echo $! > "$dir/dbus.pid"
n=0
until [ -S "$dir/bus" ]; do
    n=$((n + 1))
    [ $n -lt 600 ] || { cat "$dir/dbus.log" >&2; exit 1; }
    sleep 0.05
done
# avahi-daemon's run directory is compiled in and must belong to the user avahi: it gets a private /run, and a passwd in
# which avahi is uid 0.
echo 'avahi:x:0:0::/:/bin/false' > "$dir/passwd"
echo 'avahi:x:0:' > "$dir/group"
# A folder that was used before has the words that are waited for.
rm -f "$dir/avahi.log"
unshare -m sh -c '
    mount -t tmpfs tmpfs /run && mkdir /run/avahi-daemon
    mount --bind "$0/passwd" /etc/passwd && mount --bind "$0/group" /etc/group
    exec avahi-daemon -f "$0/avahi.conf" --no-drop-root --no-chroot --no-rlimits --no-proc-title
' "$dir" 2> "$dir/avahi.log" &
echo $! > "$dir/avahi.pid"
n=0
until grep -qs "Server startup complete" "$dir/avahi.log"; do
    n=$((n + 1))
    [ $n -lt 600 ] || { cat "$dir/avahi.log" >&2; exit 1; }
    sleep 0.05
done
