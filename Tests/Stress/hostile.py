"""Peers and services that lie, flood or hang; a full disk; a clock that jumps. Bounded time and memory, a documented
exit code, and nothing lost."""
import http.server
import os
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

from bench import FAR, NEAR, Controller, Device, Failure, Test, commission, expect


class ResponderThread(threading.Thread):
    """A UDP peer that answers everything in its own way."""

    KINDS = ["silence", "noise", "echo", "empty", "huge", "flood", "status", "busy", "acks", "mutated", "fragments"]

    def __init__(self, kind, dice):
        super().__init__(daemon=True)
        self.kind, self.dice, self.ending = kind, random.Random(dice.random()), False
        self.socket = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.socket.bind((NEAR, 0))
        self.socket.settimeout(0.1)
        self.address = f"[{NEAR}]:{self.socket.getsockname()[1]}"
        self.start()

    def answer(self, opcode, payload, request, acknowledge=True):
        """An unsecured message of the secure channel protocol, on the exchange of a request."""
        exchange = request[20:22] if len(request) >= 24 else b"\0\0"
        counter = request[4:8]
        source = request[8:16] if request[:1] and request[0] & 4 else bytes(8)
        header = struct.pack("<BHBI", 0x01, 0, 0, self.dice.randrange(1 << 28)) + source
        flags = 0x02 if acknowledge else 0
        # Source node ids make the protocol header begin after 16 bytes.
        exchange = request[18:20] if len(request) >= 20 else exchange
        return header + struct.pack("<BB", flags, opcode) + exchange + b"\0\0" + (counter if acknowledge else b"") + payload

    def replies(self, data):
        d = self.dice
        match self.kind:
            case "silence": return []
            case "noise": return [d.randbytes(d.randrange(1, 1400)) for _ in range(3)]
            case "echo": return [data]
            case "empty": return [b""]
            case "huge": return [d.randbytes(60000)]
            case "flood": return [d.randbytes(d.randrange(1, 200)) for _ in range(1500)]
            case "status":
                report = struct.pack("<HIH", d.randrange(20), 0, d.randrange(8))
                return [self.answer(0x40, report, data)]
            case "busy": return [self.answer(0x40, struct.pack("<HIHH", 4, 0, 4, d.randrange(1, 60000)), data)]
            case "acks": return [self.answer(0x10, b"", data)]
            case "mutated":
                changed = bytearray(data)
                for _ in range(d.randrange(1, 6)):
                    changed[d.randrange(len(changed))] = d.randrange(256)
                return [bytes(changed)]
            case _: return [data[:n] for n in range(0, len(data), 7)]

    def run(self):
        while not self.ending:
            try:
                data, peer = self.socket.recvfrom(65536)
            except OSError:
                continue
            for reply in self.replies(data):
                try:
                    self.socket.sendto(reply, peer)
                except OSError:
                    pass

    def stop(self):
        self.ending = True
        self.join()
        self.socket.close()


class HostileDevice(Test):
    name, full, short, workers = "hostile-device", 220, 4, 8

    def worker(self, folder):
        controller = Controller(folder / "home")
        (folder / "device").mkdir(parents=True)
        with Device(folder / "device") as device:
            expect(commission(controller, device, name="n").code == 0, "commissioning failed")

            def one(number, dice):
                kind = ResponderThread.KINDS[number % len(ResponderThread.KINDS)]
                peer = ResponderThread(kind, dice)
                try:
                    before = device.count_of_toggles()
                    if dice.random() < 0.5:
                        ended = commission(controller, device, address=peer.address, timeout="6s")
                        # Undoing has five seconds of its own.
                        ended.sound(limit=13)
                    else:
                        ended = controller.run("toggle", "n", "--address", peer.address, "--timeout", "6s", "--json")
                        ended.sound(limit=9)
                    expect(ended.code != 0, f"worked with {kind}: {ended}")
                finally:
                    peer.stop()
                nodes = controller.nodes()
                expect(len(nodes) == 1 and nodes[0]["name"] == "n", f"after {kind}: {nodes}")
                controller.succeed("toggle", "n")
                expect(device.count_of_toggles(at_least=before + 1) == before + 1, f"after {kind}: not one toggle")
                controller.check()

            yield one


class OddValues(Test):
    """A device whose attributes are of a wrong type, out of range, missing or huge: one line is spoiled, no command."""

    name, full, short, workers = "odd-values", 100, 3, 3

    def worker(self, folder):
        controller = Controller(folder / "home")
        (folder / "device").mkdir(parents=True)
        device = Device(folder / "device", "color-light,door-lock,thermostat", faults=["fail-safe:3"])
        try:
            expect(commission(controller, device, name="n").code == 0, "commissioning failed")
            sound = self.read(controller)
            words = list(device.words)

            def one(number, dice):
                share = dice.choice([0.02, 0.1, 0.3])
                device.restart([*words, "--fault", f"odd-values:{share}:{dice.randrange(1000000)}"])
                odd = self.read(controller)
                same = sum(odd.get(path) == value for path, value in sound.items())
                self.count("attributes", len(odd))
                self.count("changed", len(sound) - same)
                # Some values change by themselves.
                expect(same > len(sound) * (0.9 - share * 1.5), f"{same} of {len(sound)} are as before, {share} are odd")
                for command in (["toggle", "n/1"], ["read", "n", "1/on-off"], ["node", "show", "n", "--json"]):
                    ended = controller.run(*command).sound(limit=35)
                    expect(ended.code in (0, 6), f"{ended}")
                controller.run("level", "n/1", "30%", "--json").sound(limit=35)
                # Another controller commissions it: well, or with a reason.
                other = Controller(folder / f"other-{number}")
                device.open_window()
                ended = commission(other, device, name="m").sound(limit=125)
                self.count("commissioned", int(ended.code == 0))
                device.restart(words)
                other.run("node", "remove", "m", "--yes")
                expect(self.read(controller).keys() == sound.keys(), "attributes are missing afterwards")
                controller.check()

            yield one
        finally:
            device.stop()

    @staticmethod
    def read(controller):
        ended = controller.succeed("read", "n", "*/*/*", "--json")
        ended.sound(limit=35)
        return {(o["endpoint"], o["clusterId"], o["attributeId"]): o.get("value") for o in ended.json}


class Cloud(http.server.BaseHTTPRequestHandler):
    KINDS = ["empty", "html", "array", "deep", "big", "slow", "short", "redirect", "500", "429", "401", "reset",
             "binary", "tokens", "duplicate", "numbers", "headers", "chunks"]

    def log_message(self, *_):
        pass

    def reply(self, body, status=200, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        try:
            length = int(self.headers.get("Content-Length") or 0)
            self.rfile.read(length)
            self.play(self.server.kind)
        except OSError:
            pass
        self.close_connection = True

    do_POST = do_PUT = do_DELETE = do_GET

    def play(self, kind):
        match kind:
            case "empty": self.reply(b"")
            case "html": self.reply(b"<html>" + b"x" * 5000, 502)
            case "array": self.reply(b"[1,2,3]")
            case "deep": self.reply(b"[" * 100000)
            case "big":
                self.send_response(200)
                self.end_headers()
                for _ in range(2000):
                    self.wfile.write(b" " * 65536)
            case "slow":
                self.send_response(200)
                self.send_header("Content-Length", "100000")
                self.end_headers()
                for _ in range(200):
                    self.wfile.write(b" ")
                    self.wfile.flush()
                    time.sleep(0.2)
            case "short":
                self.send_response(200)
                self.send_header("Content-Length", "100")
                self.end_headers()
                self.wfile.write(b"{")
            case "redirect": self.reply(b"", 302, [("Location", self.path)])
            case "500": self.reply(b'{"status":"failure"}', 500)
            case "429": self.reply(b'{"status":"failure"}', 429, [("Retry-After", "86400")])
            case "401": self.reply(b'{"status":"failure","error_code":101009,"description":"\x1b[31mno"}', 401)
            case "reset": self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            case "binary": self.reply(bytes(range(256)) * 20)
            case "tokens": self.reply(b'{"accesstoken":"a\\r\\nX: y","refreshtoken":5,"idtoken":null}')
            case "duplicate": self.reply(b'{"status":"success","status":"failure"}')
            case "numbers": self.reply(b'{"status":' + b"9" * 5000 + b"}")
            case "headers":
                self.send_response(200)
                for number in range(3000):
                    self.send_header(f"X-{number}", "y" * 200)
                self.end_headers()
            case _:
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                self.wfile.write(b"zz\r\nnot a length")


class HostileCloud(Test):
    name, full, short, workers = "hostile-cloud", 180, 4, 4

    def worker(self, folder):
        controller = Controller(folder / "home")
        folder.mkdir(exist_ok=True)
        password = folder / "password"
        password.write_text("secret-of-the-test\n")
        password.chmod(0o600)
        controller.succeed("fabric", "create", "home")

        def one(number, dice):
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cloud)
            server.daemon_threads = True
            server.kind = Cloud.KINDS[number % len(Cloud.KINDS)]
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                url = f"http://127.0.0.1:{server.server_port}"
                ended = controller.run("cloud", "login", "--url", url, "--user", "me@example.org", "--password-file",
                                       password, "--timeout", "3s", "--json")
                # A call may be tried again, each with its own three seconds.
                ended.sound(limit=30)
                expect(ended.code == 9, f"{server.kind}: {ended}")
                text = ended.out + ended.err
                expect("secret-of-the-test" not in text, f"the password shows: {ended}")
                expect(all(ord(c) >= 32 or c == "\n" for c in text), f"control characters: {ended}")
            finally:
                server.shutdown()
                server.server_close()
            fabrics = [f["name"] for f in controller.succeed("fabric", "ls", "--json").json]
            expect(fabrics == ["home"], f"fabrics {fabrics}")
            controller.check()

        yield one


def name_bytes(name):
    return b"".join(bytes([len(p)]) + p for p in name.split(b".") if p) + b"\0"


def mdns_flood(seed, seconds, rate):
    """Runs in the far host: answers for Matter services that do not exist, and packets that are none."""
    d = random.Random(seed)
    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, socket.if_nametoindex("mt0"))
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
    s.bind(("::", 5353))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        instance = b"%016X" % d.randrange(1 << 64)
        service = d.choice([b"_matterc._udp.local", b"_matter._tcp.local"])
        if service == b"_matter._tcp.local":
            instance += b"-%016X" % d.randrange(1 << 20)
        host = b"%012X.local" % d.randrange(1 << 48)
        full = bytes([len(instance)]) + instance + name_bytes(service)
        text = b"".join(bytes([len(t)]) + t for t in [
            b"D=%d" % d.randrange(5000), b"CM=1", b"VP=65521+32769", b"DN=\x1b[31m" + d.randbytes(8).replace(b"\0", b"x"),
            d.randbytes(d.randrange(1, 60))])
        def record(name, kind, data):
            return name + struct.pack("!HHIH", kind, 1 if kind == 12 else 0x8001, 120, len(data)) + data
        records = [record(name_bytes(service), 12, full), record(full, 16, text),
                   record(full, 33, struct.pack("!HHH", 0, 0, d.randrange(65536)) + name_bytes(host)),
                   record(name_bytes(host), 28, bytes.fromhex("fd77") + d.randbytes(14))]
        packet = struct.pack("!HHHHHH", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)
        if d.random() < 0.3:
            changed = bytearray(packet)
            for _ in range(d.randrange(1, 9)):
                changed[d.randrange(len(changed))] = d.randrange(256)
            packet = bytes(changed)
        try:
            s.sendto(packet, ("ff02::fb", 5353, 0, socket.if_nametoindex("mt0")))
        except OSError:
            pass
        time.sleep(1 / rate)


class HostileNames(Test):
    """mDNS full of devices that are none."""

    name, full, short, workers = "hostile-mdns", 40, 1, 1

    def worker(self, folder):
        controller = Controller(folder / "home")
        (folder / "device").mkdir(parents=True)
        with Device(folder / "device") as device:
            expect(commission(controller, device, name="n").code == 0, "commissioning failed")

            def one(number, dice):
                flood = subprocess.Popen([*FAR, sys.executable, __file__, str(dice.randrange(1 << 30)), "14",
                                          str(dice.choice([20, 100, 400]))])
                place = folder / f"d{number}"
                place.mkdir()
                try:
                    time.sleep(0.5)
                    before = device.count_of_toggles()
                    ended = controller.run("discover", "--timeout", "5s", "--json").sound(limit=8)
                    expect(ended.code in (0, 11), f"discover: {ended}")
                    expect(all(ord(c) >= 32 or c == "\n" for c in ended.out), f"control characters: {ended}")
                    controller.succeed("toggle", "n")
                    expect(device.count_of_toggles(at_least=before + 1) == before + 1, "not one toggle")
                    # A device that announces itself among them is found.
                    with Device(place, mdns="avahi") as fresh:
                        ended = controller.run("commission", fresh.code(), "--trust", fresh.trust,
                                               "--allow-test-devices", "--json", "--name", "m")
                        ended.sound(limit=125)
                        self.count("commissioned", int(ended.code == 0))
                        if ended.code == 0:
                            controller.succeed("node", "remove", "m", "--yes")
                        flood.wait()
                        if ended.code != 0:
                            again = controller.run("commission", fresh.code(), "--trust", fresh.trust,
                                                   "--allow-test-devices", "--json", "--name", "m")
                            expect(again.code == 0, f"after the flood: {again}, in it: {ended}")
                            controller.succeed("node", "remove", "m", "--yes")
                finally:
                    flood.terminate()
                    flood.wait()
                controller.check()

            yield one


class Bus:
    """A system bus that is none."""

    KINDS = ["silent", "garbage", "closing", "missing", "stopped-avahi"]

    def __init__(self, kind, folder):
        self.kind, self.path = kind, str(folder / f"bus-{time.monotonic_ns()}")
        self.environment = {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.path}"}
        self.socket = None
        if kind == "stopped-avahi":
            self.environment = {}
            self.pid = int((pathlib.Path(os.environ["MATTERCTL_LAB_DIR"]) / "avahi.pid").read_text())
            os.kill(self.pid, signal.SIGSTOP)
        elif kind != "missing":
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.bind(self.path)
            self.socket.listen(8)
            self.held = []
            threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
                if self.kind == "closing":
                    connection.close()
                    continue
                self.held.append(connection)
                if self.kind == "garbage":
                    connection.sendall(os.urandom(4000))
            except OSError:
                return

    def stop(self):
        if self.kind == "stopped-avahi":
            os.kill(self.pid, signal.SIGCONT)
        elif self.socket:
            self.socket.shutdown(socket.SHUT_RDWR)
            self.socket.close()
            for connection in self.held:
                connection.close()


class HungBus(Test):
    name, full, short, workers = "hung-bus", 50, 2, 1

    def worker(self, folder):
        controller = Controller(folder / "home")
        (folder / "device").mkdir(parents=True)
        with Device(folder / "device") as device:
            expect(commission(controller, device, name="n").code == 0, "commissioning failed")

            def one(number, dice):
                bus = Bus(Bus.KINDS[number % len(Bus.KINDS)], folder)
                lame = Controller(folder / "home", bus.environment)
                try:
                    before = device.count_of_toggles()
                    ended = lame.run("discover", "--timeout", "6s", "--json").sound(limit=9)
                    expect(ended.code == 11, f"{bus.kind}: {ended}")
                    ended = lame.run("commission", "34970112332", "--timeout", "6s", "--json").sound(limit=12)
                    expect(ended.code == 11, f"{bus.kind}: {ended}")
                    # A node whose address is known needs no bus.
                    ended = lame.run("toggle", "n").sound(limit=10)
                    expect(ended.code == 0, f"{bus.kind}: {ended}")
                    expect(device.count_of_toggles(at_least=before + 1) == before + 1, "not one toggle")
                finally:
                    bus.stop()
                controller.check()

            yield one


class FullDisk(Test):
    """A file system that fills up at every write."""

    name, full, short, workers = "full-disk", 300, 4, 3

    def worker(self, folder):
        disk = folder / "disk"
        disk.mkdir(parents=True)
        (folder / "device").mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs", str(disk)], check=True)
        controller = Controller(disk / "home", {"XDG_STATE_HOME": str(disk / "state")})
        try:
            with Device(folder / "device", faults=["fail-safe:3"]) as device:
                expect(commission(controller, device, name="n").code == 0, "commissioning failed")
                controller.environment["MATTERCTL_FABRIC"] = "home"

                def one(number, dice):
                    self.round(controller, device, disk, number, dice)

                yield one
        finally:
            subprocess.run(["umount", "-l", str(disk)])

    def round(self, controller, device, disk, number, dice):
        kind = dice.choice(["commission", "commission", "fabric", "rename", "remove", "toggle"])
        before = device.count_of_toggles()
        if kind == "commission":
            controller.succeed("node", "remove", "n", "--yes")
            words = ["commission", device.code(), "--address", device.address(), "--trust", device.trust,
                     "--allow-test-devices", "--json", "--name", "n"]
        else:
            words = {"fabric": ["fabric", "create", f"f{number}"], "rename": ["node", "rename", "n", "m"],
                     "remove": ["node", "remove", "n", "--yes"], "toggle": ["toggle", "n"]}[kind]
        filler = disk / "filler"
        free = dice.randrange(0, 24)
        state = os.statvfs(disk)
        with open(filler, "wb") as file:
            try:
                file.write(bytes(max(0, state.f_bavail - free) * state.f_frsize))
            except OSError:
                pass
        ended = controller.run(*words)
        filler.unlink()
        ended.sound(limit=60, codes={0, 10})
        self.count("full", int(ended.code == 10))
        if kind == "toggle":
            expect(ended.code == 0, f"a toggle needs no disk: {ended}")
            expect(device.count_of_toggles(at_least=before + 1) == before + 1, "not one toggle")
        again = controller.run(*words)
        if ended.code == 0 and kind in ("fabric", "rename", "remove"):
            expect(again.code in (3, 10, 64), f"the same command again: {again}")
        elif kind != "commission" or ended.code != 0:
            # With space it works, or says that it was done.
            expect(again.code in ({0, 3, 10} if kind in ("fabric", "rename", "remove") else {0}),
                   f"with space again: {again}, before: {ended}")
        fabrics = {f["name"] for f in controller.succeed("fabric", "ls", "--json").json}
        if kind == "fabric":
            expect(fabrics == {"home", f"f{number}"}, f"fabrics {fabrics}: {ended} {again}")
            controller.succeed("fabric", "remove", f"f{number}", "--yes")
        elif kind == "rename":
            controller.succeed("node", "rename", "m", "n")
        elif kind == "remove":
            expect(controller.nodes() == [], f"still there: {ended} {again}")
            controller.check()
            again = commission(controller, device, name="n")
            expect(again.code == 0, f"commissioning after it: {again}")
        nodes = controller.nodes()
        expect(len(nodes) == 1 and nodes[0]["state"] == "commissioned" and nodes[0]["name"] == "n", f"nodes {nodes}")
        controller.succeed("toggle", "n")
        controller.check()


class Clock(Test):
    """A clock that is years off, or jumps by years in the middle of a command."""

    name, full, short, workers = "clock", 200, 3, 3
    LIBRARY = ["/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1", "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1"]

    def worker(self, folder):
        library = next((p for p in self.LIBRARY if os.path.exists(p)), None)
        if not library:
            raise Failure("libfaketime is not installed")
        (folder / "device").mkdir(parents=True)
        clock = folder / "clock"
        clock.write_text("+0")
        right = Controller(folder / "home")
        wrong = Controller(folder / "home", {
            "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1"})
        with Device(folder / "device", faults=["fail-safe:3"]) as device:
            expect(commission(right, device, name="n").code == 0, "commissioning failed")

            def one(number, dice):
                offset = f"{dice.choice('+-')}{dice.randrange(1, 50)}y"
                first, second = (offset, "+0") if dice.random() < 0.5 else ("+0", offset)
                if dice.random() < 0.4:
                    first = second = offset
                clock.write_text(first)
                before = device.count_of_toggles()
                kind = dice.choice(["toggle", "toggle", "read", "rename", "commission"])
                if kind == "commission":
                    right.succeed("node", "remove", "n", "--yes")
                    words = ["commission", device.code(), "--address", device.address(), "--trust", device.trust,
                             "--allow-test-devices", "--json", "--name", "n", "--timeout", "40s"]
                else:
                    words = {"toggle": ["toggle", "n"], "read": ["read", "n", "1/on-off"],
                             "rename": ["node", "rename", "n", "n"]}[kind]
                running = wrong.start(*words)
                time.sleep(dice.uniform(0, 0.4))
                clock.write_text(second)
                ended = running.wait().sound(limit=50)
                what = f"clock {first} then {second}: {ended}"
                if kind != "commission":
                    expect(ended.code == 0, what)
                else:
                    self.count("commissioned", int(ended.code == 0))
                    if ended.code != 0:
                        # 9: our own certificate authority, when the clock jumps between issuing and checking.
                        expect(ended.code in (4, 5, 7, 8, 9), what)
                        again = commission(right, device, name="n")
                        expect(again.code == 0, f"with the right clock: {again}; {what}")
                if kind == "toggle":
                    expect(device.count_of_toggles(at_least=before + 1) == before + 1, f"not one toggle: {what}")
                nodes = right.nodes()
                expect(len(nodes) == 1 and nodes[0]["state"] == "commissioned", f"nodes {nodes}: {what}")
                right.succeed("toggle", "n")
                right.check()

            yield one


TESTS = [HostileDevice, OddValues, HostileCloud, HostileNames, HungBus, FullDisk, Clock]

if __name__ == "__main__":
    mdns_flood(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
