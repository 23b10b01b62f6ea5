"""A hundred processes at once on one state directory, and what the network saw of them."""
import collections
import socket
import struct
import threading
import time

from bench import Controller, Device, Test, commission, expect

DEVICES, TOGGLES, READS, WRITES, RENAMES, LISTS, FABRICS, COMMISSIONS = 8, 40, 15, 10, 10, 5, 10, 10


class Capture:
    """All UDP datagrams of this network namespace: (time, source port, destination port, payload)."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0003))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 20)
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
        except OSError:
            pass
        self.socket.settimeout(0.2)
        self.datagrams, self.ending = [], False
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self):
        while True:
            try:
                frame, (_, _, kind, _, _) = self.socket.recvfrom(65536)
            except socket.timeout:
                if self.ending:
                    return
                continue
            # Everything comes twice on the loopback device: as sent, and as received.
            if kind != socket.PACKET_OUTGOING:
                continue
            datagram = self.udp(frame)
            if datagram:
                self.datagrams.append((time.time(), *datagram))

    @staticmethod
    def udp(frame):
        kind = struct.unpack_from("!H", frame, 12)[0]
        if kind == 0x0800:
            at, protocol = 14 + (frame[14] & 15) * 4, frame[23]
        elif kind == 0x86DD:
            at, protocol = 54, frame[20]
        else:
            return None
        if protocol != 17 or len(frame) < at + 8:
            return None
        source, target, length = struct.unpack_from("!HHH", frame, at)
        return source, target, bytes(frame[at + 8:at + length])

    def stop(self):
        self.ending = True
        self.thread.join()
        # PACKET_STATISTICS: how many came, how many were lost.
        lost = struct.unpack("II", self.socket.getsockopt(263, 6, 8))[1]
        self.socket.close()
        return self.datagrams, lost


def header(payload):
    """Session id and message counter of a Matter message; nothing for what is none."""
    if len(payload) < 8:
        return None
    flags, session, security, counter = struct.unpack_from("<BHBI", payload)
    return None if flags >> 4 or security & 0x03 else (session, counter)


def reused(datagrams, keys, ports):
    """Pairs of key and counter under which different bytes went out; and how many pairs there were.

    Retransmissions repeat a pair with the same bytes. A session is known by the device's port, the session id and the
    port of the other side; the key log says when it began.
    """
    seen, sessions = {}, collections.defaultdict(list)
    for line in keys:
        when, port, local, peer_session, peer, i2r, r2i = line.split()
        seconds, micros = when.split(".")
        other = int(peer.rsplit(":", 1)[1])
        sessions[int(port), int(local), other, True].append((int(seconds) + (int(micros) - 10 ** 6) / 1e6, i2r))
        sessions[int(port), int(peer_session), other, False].append((int(seconds) + (int(micros) - 10 ** 6) / 1e6, r2i))
    bad, unknown = [], 0
    for when, source, target, payload in datagrams:
        found = header(payload)
        if not found or not found[0] or not (source in ports or target in ports):
            continue
        session, counter = found
        up = target in ports
        place = (target, session, source, True) if up else (source, session, target, False)
        begun = [key for start, key in sessions.get(place, []) if start <= when + 0.05]
        if not begun:
            unknown += 1
        key = begun[-1] if begun else place
        if seen.setdefault((key, counter), payload) != payload:
            bad.append((key, counter))
    return bad, len(seen), unknown


class Crowd(Test):
    name, full, short, workers = "crowd", 100, 1, 1

    def worker(self, folder):
        controller = Controller(folder / "home")
        self.size = 40 if self.options.ci else 100
        (folder / "devices").mkdir(parents=True)
        log = folder / "keys.log"
        log.touch()
        with Device(folder / "devices", count=DEVICES, environment={"MATTERCTL_KEY_LOG": str(log)}) as devices:
            for node in range(DEVICES):
                ended = commission(controller, devices, node, name=f"n{node}")
                expect(ended.code == 0, f"commissioning failed: {ended}")
            controller.environment["MATTERCTL_FABRIC"] = "home"
            yield lambda number, dice: self.round(controller, devices, log, folder, number, dice)

    def round(self, controller, devices, log, folder, number, dice):
        share = self.size / 100
        jobs = []
        for _ in range(int(TOGGLES * share)):
            jobs.append(("toggle", ["toggle", f"n{dice.randrange(DEVICES)}", "--timeout", "120s"]))
        for _ in range(int(READS * share)):
            jobs.append(("read", ["read", f"n{dice.randrange(DEVICES)}", "1/on-off/on-off", "--timeout", "120s"]))
        for _ in range(int(WRITES * share)):
            jobs.append(("write", ["write", f"n{dice.randrange(DEVICES)}", "0/basic-information/node-label",
                                   f"l{dice.randrange(99)}", "--timeout", "120s"]))
        for index in range(int(RENAMES * share)):
            node = index % DEVICES
            jobs.append(("rename", ["node", "rename", str(self.id(controller, node)), f"n{node}"]))
        for _ in range(int(LISTS * share)):
            jobs.append(("ls", ["node", "ls", "--json"]))
        made = [f"f{number}-{index}" for index in range(int(FABRICS * share))]
        jobs += [("fabric", ["fabric", "create", name]) for name in made]
        capture = Capture()
        lines = len(log.read_text().splitlines())
        fresh_folder = folder / f"fresh-{number}"
        fresh_folder.mkdir()
        count = max(1, int(COMMISSIONS * share))
        with Device(fresh_folder, count=count, environment={"MATTERCTL_KEY_LOG": str(log)}) as fresh:
            for node in range(count):
                jobs.append(("commission", ["commission", fresh.code(node), "--address", fresh.address(node),
                                            "--trust", fresh.trust, "--allow-test-devices", "--json", "--name",
                                            f"r{number}-{node}"]))
            dice.shuffle(jobs)
            wanted = collections.Counter(int(w[1][1:]) for kind, w in jobs if kind == "toggle")
            before = {node: devices.count_of_toggles(node) for node in range(DEVICES)}
            running = [(kind, controller.start(*words)) for kind, words in jobs]
            ended = [(kind, one.wait()) for kind, one in running]
            datagrams, lost = capture.stop()
            for kind, one in ended:
                expect(one.code == 0, f"{kind} failed among {len(jobs)}: {one}")
            identities = [one.json["node"] for kind, one in ended if kind == "commission"]
            expect(len(set(identities)) == len(identities), f"a node id was given twice: {identities}")
            for node, count in wanted.items():
                runs = devices.count_of_toggles(node, before[node] + count) - before[node]
                expect(runs == count, f"{runs} toggles ran at n{node}, {count} were sent")
            listed = controller.nodes()
            expect(len(listed) == DEVICES + len(identities) and all(n["state"] == "commissioned" for n in listed),
                   f"nodes {[(n['node'], n['state']) for n in listed]}")
            ports = set(range(devices.port, devices.port + DEVICES)) | set(range(fresh.port, fresh.port + fresh.count))
            bad, pairs, unknown = reused(datagrams, log.read_text().splitlines()[lines:], ports)
            expect(not bad, f"a pair of key and counter was used twice: {bad[:5]}")
            expect(pairs > len(jobs), f"only {pairs} pairs in the capture")
            self.count("datagrams", len(datagrams))
            self.count("pairs", pairs)
            self.count("without-key", unknown)
            self.count("not-captured", lost)
            for node in range(fresh.count):
                controller.succeed("node", "remove", f"r{number}-{node}", "--yes")
        for name in made:
            controller.succeed("fabric", "remove", name, "--yes")
        controller.succeed("fabric", "use", "home")
        controller.check()

    @staticmethod
    def id(controller, node):
        return next(n["node"] for n in controller.nodes() if n["name"] == f"n{node}")


class TwentyToggles(Test):
    """Twenty parallel toggles of one node that grants three sessions."""

    name, full, short, workers = "twenty-toggles", 100, 1, 1

    def worker(self, folder):
        controller = Controller(folder / "home")
        (folder / "device").mkdir(parents=True)
        with Device(folder / "device") as device:
            expect(commission(controller, device, name="n").code == 0, "commissioning failed")

            def one(number, dice):
                before = device.count_of_toggles()
                running = [controller.start("toggle", "n") for _ in range(20)]
                for ended in [one.wait() for one in running]:
                    expect(ended.code == 0, f"one of twenty failed: {ended}")
                runs = device.count_of_toggles(at_least=before + 20) - before
                expect(runs == 20, f"{runs} of 20 toggles ran")
                controller.check()

            yield one


TESTS = [Crowd, TwentyToggles]
