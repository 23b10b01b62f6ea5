#!/usr/bin/env python3
"""Advertises a node of a fabric from this host, as a copy of a state directory does that waits for check-ins.

    twin.py COMPRESSED-FABRIC-ID NODE-ID ADDRESS

The ids are as `fabric show --json` has them: hexadecimal digits, and a decimal number. `ready` on stdout says that it is
advertised. It ends when its parent does.
"""
import os
import signal
import socket
import sys
import threading

from zeroconf import IPVersion, ServiceInfo, Zeroconf

PORT, KIND = 49155, "_matter._tcp.local."


def main():
    fabric, node, address = sys.argv[1:]
    parent, stopping = os.getppid(), threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    instance = f"{fabric}-{int(node):016X}"
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    zeroconf = Zeroconf(ip_version=IPVersion.All)
    zeroconf.register_service(
        ServiceInfo(
            KIND, f"{instance}.{KIND}", port=PORT, addresses=[socket.inet_pton(family, address)], server="twin.local.",
            properties={}), allow_name_change=False)
    print("ready", flush=True)
    while not stopping.wait(0.5) and os.getppid() == parent:
        pass
    zeroconf.close()


if __name__ == "__main__":
    main()
