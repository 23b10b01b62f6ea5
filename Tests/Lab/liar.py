#!/usr/bin/env python3
"""Answers the first message of every Matter handshake with a status report, at an address that is not the device's,
or, with --to, in front of the device and in its name.

usage: liar.py --port PORT [--bind ADDRESS] [--to '[ADDRESS]:PORT'] [--general N] [--code N] [--kind lie|flip|pass]
Prints "ready", then one line for each lie.
"""
import argparse
import select
import socket
import struct
import sys

PBKDF_PARAM_RESPONSE, SIGMA2, ACKNOWLEDGEMENT, STATUS_REPORT = 0x21, 0x31, 0x10, 0x40


def decode(datagram):
    """Session id, counter, source, length of the headers, and the fields of the protocol header."""
    flags, session, _, counter = struct.unpack_from("<BHBI", datagram)
    at, source = 8, None
    if flags & 4:
        source, at = struct.unpack_from("<Q", datagram, at)[0], at + 8
    at += {1: 8, 2: 2}.get(flags & 3, 0)
    exchange_flags, opcode, exchange, protocol = struct.unpack_from("<BBHH", datagram, at)
    at += 6 + (4 if exchange_flags & 2 else 0)
    return session, counter, source, at, exchange_flags, opcode, exchange, protocol


def lie(datagram, general, code):
    """A status report that answers an unsecured message; None if there is nothing to answer."""
    session, counter, source, _, flags, opcode, exchange, _ = decode(datagram)
    if session or source is None or not flags & 1 or opcode in (ACKNOWLEDGEMENT, STATUS_REPORT):
        return None
    return (
        struct.pack("<BHBI", 1, 0, 0, 0x01020304) + struct.pack("<Q", source)
        + struct.pack("<BBHHI", 2 | 4, STATUS_REPORT, exchange, 0, counter) + struct.pack("<HHHH", general, 0, 0, code)
    )


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--port", type=int, required=True)
    p.add_argument("--bind", default="::")
    p.add_argument("--to")
    p.add_argument("--general", type=int, default=1)
    p.add_argument("--code", type=int, default=2)
    p.add_argument("--kind", choices=["lie", "flip", "pass"], default="lie")
    a = p.parse_args()
    front = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    front.bind((a.bind, a.port))
    back, device = None, None
    if a.to:
        host, port = a.to.rsplit(":", 1)
        device = (host.strip("[]"), int(port))
        back = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        back.bind(("::", 0))
    client, flipped = None, set()
    print("ready", flush=True)
    while True:
        readable, _, _ = select.select([s for s in (front, back) if s], [], [])
        for source in readable:
            datagram, sender = source.recvfrom(2048)
            if source is front:
                client = sender
                answer = lie(datagram, a.general, a.code) if a.kind == "lie" else None
                if answer:
                    front.sendto(answer, sender)
                    print("lie", flush=True)
                if back:
                    back.sendto(datagram, device)
                continue
            session, _, _, at, _, opcode, _, _ = decode(datagram)
            if a.kind == "flip" and not session and opcode in (PBKDF_PARAM_RESPONSE, SIGMA2) and opcode not in flipped:
                flipped.add(opcode)
                damaged = bytearray(datagram)
                damaged[at + (len(datagram) - at) // 2] ^= 0x10
                front.sendto(damaged, client)
                print("flip", flush=True)
            if client:
                front.sendto(datagram, client)


if __name__ == "__main__":
    sys.exit(main())
