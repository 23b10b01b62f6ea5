#!/bin/bash
# A new Wi-Fi device over Bluetooth, and a first attempt that fails, with the built program on both sides and BlueZoo between
# them; then the same command again. To be run in a laboratory of its own, which has the bus for itself.
#
#     lab.sh DIR bluetooth-loss.sh MATTERCTL PYTHON CASE [STEP]
#
# CASE: device (killed at STEP, and started again), commissioner (killed at STEP), password (a wrong one), vanished (the access
# point). STEP is what the device prints, such as csr or noc-added.
#
# Prints the result of the first attempt after "== first N", that of the second after "== second N", the state of the light
# after "== read", and what the device said after "== device".
set -u
matterctl=$1 python=$2 case=$3 step=${4-} dir=$MATTERCTL_LAB_DIR
export MATTERCTL_HOME=$dir/home
umask 077
echo simulated-password > "$dir/wifi.txt"
echo not-the-password > "$dir/wrong.txt"
mkfifo "$dir/typed"
exec 8<> "$dir/typed"

# until_true COMMAND…: for at most a minute
until_true() {
    for _ in $(seq 1200); do
        "$@" && return
        sleep 0.05
    done
    echo "== waited in vain for: $*"
    tail -n 5 "$dir/device.now" "$dir/bluezoo.log"
    exit 1
}
# BlueZoo connects two adapters once only, so there is another one for each attempt.
bluetooth() {
    "$(dirname "$python")/bluezoo" --auto-enable --scan-interval 1 -a 00:00:00:11:11:11 -a 00:00:00:22:22:22 \
        -a 00:00:00:33:33:33 2>> "$dir/bluezoo.log" &
    bluezoo=$!
    until_true "$matterctl" discover --ble --timeout 300ms > "$dir/first.log" 2>&1
}
power_on() {
    : > "$dir/device.now"
    "$matterctl" simulate on-off-light --port 5599 --network wifi --ble --ble-adapter hci0 --home "$dir/device" "$@" \
        < "$dir/typed" > "$dir/device.now" 2>&1 &
    device=$!
    until_true grep -q '^ready' "$dir/device.now"
}
# attempt ADAPTER PASSWORD-FILE TIME: takes the place of its shell, which can be killed then
attempt() {
    exec "$matterctl" commission "$code" --via ble --ble-adapter "$1" --wifi simulated --wifi-password "@$dir/$2" \
        --attestation skip --name kitchen --timeout "$3" --json
}

bluetooth
slow=(--fault slow-answer:300,fail-safe:12)
case $case in
    device | commissioner) power_on "${slow[@]}" ;;
    *) power_on ;;
esac
code=$(sed -n 's/^qr //p' "$dir/device.now")
password=wifi.txt
case $case in
    password) password=wrong.txt ;;
    vanished)
        echo "0 network-commissioning vanish simulated" >&8
        sleep 0.2
        ;;
esac
attempt hci1 $password 30s > "$dir/first.out" 2>&1 &
first=$!
case $case in
    device)
        until_true grep -q "^commissioning $step" "$dir/device.now"
        kill -9 $device
        ;;
    commissioner)
        until_true grep -q "^commissioning $step" "$dir/device.now"
        kill -9 $first
        ;;
esac
wait $first 2> /dev/null
echo "== first $?"
cat "$dir/first.out"
cat "$dir/device.now" > "$dir/device.log"
case $case in
    device) power_on ;;
    # BlueZoo refuses a second connection between two adapters, which a try before that would need.
    commissioner) until_true grep -q "^commissioning fail-safe-expired" "$dir/device.now" ;;
    vanished)
        echo "0 network-commissioning appear simulated" >&8
        sleep 0.2
        ;;
esac
(attempt hci2 wifi.txt 90s) > "$dir/second.out" 2>&1
echo "== second $?"
cat "$dir/second.out"
echo "== read"
"$matterctl" toggle kitchen && "$matterctl" read kitchen 1/on-off/on-off
"$matterctl" read kitchen 0/operational-credentials/commissioned-fabrics
echo "== device"
cat "$dir/device.log" "$dir/device.now"
# A stand-in that has ended by itself explains what failed.
if ! kill -0 $bluezoo; then
    echo "== BlueZoo has ended"
    tail -n 20 "$dir/bluezoo.log"
fi
