#!/bin/bash
# A program that uses the library brings a new device over Bluetooth to a Wi-Fi network, with BlueZoo as the host's Bluetooth. To be
# run in a laboratory of its own, which has the bus for itself.
#
#     lab.sh DIR bluetooth-example.sh MATTERCTL PYTHON PROGRAM
#
# Prints what the program prints, then "== read" and what matterctl reads of the node; ends with "== status N".
set -u
matterctl=$1 python=$2 program=$3 dir=$MATTERCTL_LAB_DIR
export MATTERCTL_HOME=$dir/home
"$(dirname "$python")/bluezoo" --auto-enable --scan-interval 1 -a 00:00:00:11:11:11 -a 00:00:00:22:22:22 \
    -a 00:00:00:33:33:33 2> "$dir/bluezoo.log" &
bluezoo=$!
for _ in $(seq 300); do
    "$matterctl" discover --ble --ble-adapter hci2 --timeout 300ms > "$dir/first.log" 2>&1 && break
    sleep 0.1
done
"$matterctl" simulate dimmable-light --port 5598 --network wifi --ble --ble-adapter hci1 --home "$dir/device" \
    --paa-out "$dir/trust/paa.der" > "$dir/device.log" 2>&1 &
device=$!
for _ in $(seq 300); do
    grep -q '^ready' "$dir/device.log" && break
    sleep 0.1
done
"$program" "$(sed -n 's/^qr //p' "$dir/device.log")" simulated simulated-password "$dir/trust"
status=$?
echo "== read"
"$matterctl" read 1 1/on-off/on-off || status=$?
kill $device $bluezoo
wait $device
echo "== status $status"
