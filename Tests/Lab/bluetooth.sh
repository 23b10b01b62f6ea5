#!/bin/bash
# A new device over Bluetooth, with the built program on both sides and BlueZoo as the host's Bluetooth between them: found,
# commissioned, switched. To be run in a laboratory of its own, which has the bus for itself.
#
#     lab.sh DIR bluetooth.sh MATTERCTL PYTHON [wifi]     wifi: the device is on no network, and joins one
#
# Prints what each command prints, after a line "== NAME"; ends with "== status N".
set -u
matterctl=$1 python=$2 network=${3:-ethernet} dir=$MATTERCTL_LAB_DIR
wifi=()
if [ "$network" = wifi ]; then
    (umask 077; echo simulated-password > "$dir/wifi.txt")
    wifi=(--wifi simulated --wifi-password "@$dir/wifi.txt")
fi
export MATTERCTL_HOME=$dir/home
"$(dirname "$python")/bluezoo" --auto-enable --scan-interval 1 -a 00:00:00:11:11:11 -a 00:00:00:22:22:22 \
    -a 00:00:00:33:33:33 -a 00:00:00:44:44:44 2> "$dir/bluezoo.log" &
bluezoo=$!
for _ in $(seq 600); do
    "$matterctl" discover --ble --timeout 300ms > "$dir/first.log" 2>&1 && break
    sleep 0.1
done
"$matterctl" simulate dimmable-light --port 5599 --network "$network" --ble --ble-adapter hci0 --home "$dir/device" \
    --paa-out "$dir/trust/paa.der" > "$dir/device.log" 2>&1 &
device=$!
for _ in $(seq 600); do
    grep -q '^ready' "$dir/device.log" && break
    sleep 0.1
done
code=$(sed -n 's/^qr //p' "$dir/device.log")
echo "== payload"
"$matterctl" payload parse "$code" --json
# BlueZoo tells each adapter of a device once only: one adapter for each scan.
echo "== discover"
"$matterctl" discover --ble --ble-adapter 00:00:00:33:33:33 --discriminator 3840 --timeout 5s --json
echo "== attest"
"$matterctl" attest "$code" --via ble --ble-adapter hci3 --trust "$dir/trust" --allow-test-devices --progress none \
    --timeout 30s --json
echo "== commission"
"$matterctl" commission "$code" --via ble --ble-adapter hci1 "${wifi[@]}" --attestation skip --name kitchen --timeout 60s --json
status=$?
echo "== toggle"
"$matterctl" toggle kitchen && "$matterctl" read kitchen 1/on-off/on-off || status=$?
echo "== device"
cat "$dir/device.log"
kill $device $bluezoo
wait $device
echo "== status $status"
