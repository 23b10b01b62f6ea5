#!/usr/bin/env python3
"""Records check-ins on the wire, and plays them again, damaged, forged and whole, to the same port.

    check_in_thief.py --interface lo --port 49152 --to fd77::1

Standard output, a line each:

    ready                 it listens
    heard HEX             a check-in went by (the whole datagram)
    played N              what was heard has been played again, in N datagrams
"""
import argparse
import os
import secrets
import socket
import sys

ETH_P_ALL, UDP, IPV4, IPV6 = 3, 17, 0x0800, 0x86DD
CHECK_IN = 0x50


def say(*words):
    print(*words, flush=True)


def datagram(frame, port):
    """The payload of a UDP datagram to that port; None for anything else."""
    kind = int.from_bytes(frame[12:14], "big")
    packet = frame[14:]
    if kind == IPV6 and packet[6] == UDP:
        segment = packet[40:]
    elif kind == IPV4 and packet[9] == UDP:
        segment = packet[(packet[0] & 15) * 4:]
    else:
        return None
    return segment[8:] if int.from_bytes(segment[2:4], "big") == port else None


def is_check_in(message):
    """An unsecured message, with the opcode behind a source node id if there is one."""
    if len(message) < 16 or message[1:4] != b"\0\0\0":
        return False
    body = 16 if message[0] & 4 else 8
    return len(message) > body + 2 and message[body + 1] == CHECK_IN


def with_counter(message, counter):
    """Under another message counter, so that it is no duplicate of a datagram."""
    return message[:4] + counter.to_bytes(4, "little") + message[8:]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--interface", required=True)
    p.add_argument("--port", type=int, required=True)
    p.add_argument("--to", required=True)
    a = p.parse_args()
    parent = os.getppid()
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    wire.bind((a.interface, 0))
    wire.settimeout(0.2)
    say("ready")
    while os.getppid() == parent:
        try:
            message = datagram(wire.recv(65535), a.port)
        except TimeoutError:
            continue
        if message and is_check_in(message):
            break
    else:
        sys.exit(1)
    say("heard", message.hex())
    head = 16 if message[0] & 4 else 8
    # Behind the exchange header: flags, opcode, exchange, protocol.
    start = head + 6
    counter = int.from_bytes(message[4:8], "little")
    out = socket.socket(socket.AF_INET6 if ":" in a.to else socket.AF_INET, socket.SOCK_DGRAM)
    played = [message, with_counter(message, counter + 1)]
    played.append(with_counter(message[:start] + secrets.token_bytes(len(message) - start), counter + 2))
    for place in (start, start + 13, len(message) - 1):
        damaged = bytearray(message)
        damaged[place] ^= 1
        played.append(with_counter(bytes(damaged), counter + 3 + place))
    played += [message[:start], message[:start + 5]]
    for one in played:
        out.sendto(one, (a.to, a.port))
    say("played", len(played))


main()
