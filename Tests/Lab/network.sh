# Sourced by lab.sh in its network namespace: a multicast link from here (the near host) to a second namespace (the far
# host). A veth pair, because the module "dummy" is not in every kernel.
unshare --net sleep 86400 &
far=$!
until [ "$(readlink /proc/$far/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.02; done
MATTERCTL_FAR="nsenter -t $far -n"
export MATTERCTL_FAR
ip link set lo up &&
    ip link add mt0 type veth peer name mt0 netns $far &&
    # No duplicate-address detection: link-local addresses are usable at once.
    echo 0 > /proc/sys/net/ipv6/conf/mt0/accept_dad &&
    $MATTERCTL_FAR sh -c 'echo 0 > /proc/sys/net/ipv6/conf/mt0/accept_dad' &&
    ip addr add 10.77.0.1/24 dev mt0 &&
    ip addr add fd77::1/64 dev mt0 nodad &&
    ip link set mt0 up &&
    $MATTERCTL_FAR sh -c 'ip link set lo up && ip addr add 10.77.0.2/24 dev mt0 &&
        ip addr add fd77::2/64 dev mt0 nodad && ip link set mt0 up'
