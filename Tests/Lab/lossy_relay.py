#!/usr/bin/env python3
"""A bad network in one process: relays UDP datagrams to and from a device, and loses, repeats and reorders some.

    lossy_relay.py --port 6000 --to [fd77::1]:5541 --seed 7 --loss 0.1 --duplicate 0.05 --reorder 0.05 --delay 5

What concerns one session only: --hold 7 delivers what goes to the device on the first secure session 7 s late, --mute
loses what the device says on it; handshakes and other sessions pass.

A client that sends to the port (IPv6 or IPv4) is relayed through a socket of its own, so that the device sees one client for
each. The decisions come from the seed, one sequence for each direction: the same datagrams in the same order meet the
same fate. Prints "ready PORT" when it listens and, when it is ended with SIGTERM, what it did with how many datagrams.
"""
import argparse
import heapq
import os
import random
import selectors
import signal
import socket
import sys
import time

LARGEST = 65536
# Longer than a sender waits for an acknowledgement before it gives up.
LATE_SECONDS = 7


class Direction:
    """The fate of the datagrams that go one way."""

    def __init__(self, options, seed):
        self.options, self.dice = options, random.Random(seed)
        self.counts = {"passed": 0, "lost": 0, "duplicated": 0, "reordered": 0}
        self.first = 0  # The id of the first secure session, as the receivers in this direction know it.

    def is_first_session(self, data):
        session = int.from_bytes(data[1:3], "little")
        self.first = self.first or session
        return session != 0 and session == self.first

    def delays(self):
        """After how many seconds the datagram is to be delivered: nothing, once or twice."""
        o, dice = self.options, self.dice
        lost, twice, late = dice.random() < o.loss, dice.random() < o.duplicate, dice.random() < o.reorder
        # Later datagrams overtake one that is held back for longer than a few of them need.
        base = (o.delay + (dice.uniform(20, 80) if late else 0)) / 1000
        # Without the option the dice fall as they always did.
        if o.late and dice.random() < o.late:
            base += LATE_SECONDS
        if lost:
            self.counts["lost"] += 1
            return []
        self.counts["passed"] += 1
        self.counts["reordered"] += late
        self.counts["duplicated"] += twice
        return [base, base + dice.uniform(0, 0.05)] if twice else [base]


class Relay:
    def __init__(self, options):
        self.selector, self.queue, self.order = selectors.DefaultSelector(), [], 0
        self.upward, self.downward = Direction(options, options.seed), Direction(options, ~options.seed)
        host, _, port = options.to.rpartition(":")
        self.device = socket.getaddrinfo(
            host.strip("[]"), int(port), socket.AF_INET6, socket.SOCK_DGRAM, flags=socket.AI_V4MAPPED)[0][4]
        self.front = self.open(options.port)
        self.clients = {}

    def open(self, port=0):
        s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        s.bind(("::", port))
        s.setblocking(False)
        self.selector.register(s, selectors.EVENT_READ)
        return s

    def run(self):
        parent = os.getppid()
        while os.getppid() == parent:
            wait = min(1.0, max(0.0, self.queue[0][0] - time.monotonic())) if self.queue else 1.0
            for key, _ in self.selector.select(wait):
                self.receive(key.fileobj)
            while self.queue and self.queue[0][0] <= time.monotonic():
                _, _, s, data, target = heapq.heappop(self.queue)
                self.send(s, data, target)

    def receive(self, s):
        while True:
            try:
                data, peer = s.recvfrom(LARGEST)
            except BlockingIOError:
                return
            except OSError:
                continue  # An ICMP error: the device is not there, which the client will notice by itself.
            if s is self.front:
                if peer not in self.clients:
                    self.clients[peer] = self.open()
                self.schedule(self.upward, self.clients[peer], data, self.device)
            else:
                client = next(c for c, up in self.clients.items() if up is s)
                self.schedule(self.downward, self.front, data, client)

    def schedule(self, direction, s, data, target):
        extra = 0
        if direction.is_first_session(data):
            extra = direction.options.hold if direction is self.upward else 0
            if direction.options.mute and direction is self.downward:
                direction.counts["lost"] += 1
                return
        for delay in direction.delays():
            delay += extra
            if delay <= 0:
                self.send(s, data, target)
                continue
            self.order += 1
            heapq.heappush(self.queue, (time.monotonic() + delay, self.order, s, data, target))

    def send(self, s, data, target):
        try:
            s.sendto(data, target)
        except OSError:
            pass

    def tell(self):
        for name, direction in (("to the device", self.upward), ("from the device", self.downward)):
            print(f"{name}:", ", ".join(f"{n} {what}" for what, n in direction.counts.items()), flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--port", type=int, required=True)
    p.add_argument("--to", required=True, metavar="HOST:PORT")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--loss", type=float, default=0.0)
    p.add_argument("--duplicate", type=float, default=0.0)
    p.add_argument("--reorder", type=float, default=0.0)
    p.add_argument("--late", type=float, default=0.0, help="the share that is delivered 7 seconds late")
    p.add_argument("--delay", type=float, default=0.0, help="of every datagram, in milliseconds")
    p.add_argument("--hold", type=float, default=0.0, metavar="SECONDS", help="of the first secure session, to the device")
    p.add_argument("--mute", action="store_true", help="lose what the device says on the first secure session")
    relay = Relay(p.parse_args())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print("ready", relay.front.getsockname()[1], flush=True)
    try:
        relay.run()
    finally:
        relay.tell()


if __name__ == "__main__":
    main()
