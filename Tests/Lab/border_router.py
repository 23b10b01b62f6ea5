#!/usr/bin/env python3
"""A Thread border router as far as a commissioner sees it: OpenThread's advertisement and its REST interface.

    border_router.py --instance 'OpenThread BorderRouter #4A2B' --address 10.77.0.2 --dataset @dataset.hex

Advertised by python-zeroconf as OpenThread's border router does it (`_meshcop._udp`), with binary values in the TXT
record. The network name, the id of the network and its timestamp are those of the dataset. It ends when its parent does.

Standard output, a line each:

    ready                   it is advertised and answers
    get PATH ACCEPT         a request came

What it can be told:

    --address ADDRESS       where it is; may be repeated
    --rest ADDRESS          where the REST interface listens (default: the first address; none: nowhere)
    --dataset @FILE|none    hexadecimal digits; none: it is on no network (204)
    --advertise @FILE       another dataset, for the advertisement
    --answer STATUS[:TEXT]  the REST interface gives this answer
    --txt KEY=HEX           another value in the TXT record; without a value: the key is left out
"""
import argparse
import http.server
import os
import signal
import socket
import threading

from zeroconf import IPVersion, ServiceInfo, Zeroconf

PORT, REST = 49154, 8081
EXTENDED_PAN_ID, NAME, TIMESTAMP = 2, 3, 14


def say(*words):
    print(*words, flush=True)


def read(text):
    with open(text.removeprefix("@")) as file:
        return bytes.fromhex(file.read().strip())


def fields(dataset):
    found, rest = {}, dataset
    while len(rest) >= 2:
        found[rest[0]] = rest[2:2 + rest[1]]
        rest = rest[2 + rest[1]:]
    return found


def record(dataset, changes):
    """The TXT record of OpenThread's border router, active and with a Backbone."""
    values = fields(dataset)
    txt = {
        "rv": b"1", "tv": b"1.3.0", "vn": b"OpenThread", "mn": b"BorderRouter", "dn": b"DefaultDomain",
        "id": bytes.fromhex("bb1a3dd0f5d65e1d0f2ea3e50d4b0010"), "xa": bytes.fromhex("6a7b1c0042d3ffe0"),
        "sb": bytes.fromhex("000001b1"), "pt": bytes.fromhex("7d3d2d00"), "sq": b"\x0a", "bb": b"\xf0\xbf",
        "omr": b"\x40" + bytes.fromhex("fd3d007700000001"),
        "nn": values.get(NAME, b""), "xp": values.get(EXTENDED_PAN_ID, b""), "at": values.get(TIMESTAMP, b""),
    }
    for change in changes:
        key, equals, value = change.partition("=")
        txt.pop(key, None)
        if equals:
            txt[key] = bytes.fromhex(value)
    return txt


def handler(answer):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            say("get", self.path, self.headers.get("Accept", "-"))
            status, body = answer if self.path == "/node/dataset/active" else (404, b"")
            self.send_response(status)
            if status != 204:
                self.send_header("Content-Type", "text/plain")
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if status != 204:
                self.wfile.write(body)

        def log_message(self, *words):
            pass

    return Handler


class Server(http.server.ThreadingHTTPServer):
    def __init__(self, address, handler):
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, REST), handler)


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--instance", required=True)
    p.add_argument("--address", action="append", required=True)
    p.add_argument("--rest")
    p.add_argument("--dataset", required=True)
    p.add_argument("--advertise")
    p.add_argument("--answer")
    p.add_argument("--txt", action="append", default=[])
    return p.parse_args()


def main():
    a = arguments()
    parent = os.getppid()
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    dataset = b"" if a.dataset == "none" else read(a.dataset)
    answer = (200, dataset.hex().encode()) if dataset else (204, b"")
    if a.answer:
        status, _, text = a.answer.partition(":")
        answer = (int(status), text.encode())
    if a.rest != "none":
        server = Server(a.rest or a.address[0], handler(answer))
        threading.Thread(target=server.serve_forever, daemon=True).start()
    kind = "_meshcop._udp.local."
    host = "".join(c for c in a.instance if c.isalnum())
    zeroconf = Zeroconf(ip_version=IPVersion.All)
    zeroconf.register_service(
        ServiceInfo(
            kind, f"{a.instance}.{kind}", port=PORT, server=f"{host}.local.",
            addresses=[
                socket.inet_pton(socket.AF_INET6 if ":" in text else socket.AF_INET, text) for text in a.address],
            properties=record(read(a.advertise) if a.advertise else dataset, a.txt)),
        cooperating_responders=True)
    say("ready")
    while not stopping.wait(0.2) and os.getppid() == parent:
        pass
    zeroconf.close()


main()
