"""Many processes at once on sessions that are kept between them, some killed, and what the network saw of them."""
import collections
import threading
import time

from bench import Controller, Device, Test, commission, expect
from crowd import Capture, header

DEVICES, COMMANDS, KILLED = 10, 200, 0.2


def reused(datagrams, keys, ports):
    """Pairs of key and counter under which different bytes went to a device; and how many pairs there were.

    Other than in a session that ends with its process, the port of the other side says nothing.
    """
    sessions = collections.defaultdict(list)
    for line in keys:
        when, port, local, _, _, i2r, _ = line.split()
        seconds, micros = when.split(".")
        sessions[int(port), int(local)].append((int(seconds) + (int(micros) - 10 ** 6) / 1e6, i2r))
    seen, bad = {}, []
    sources = collections.defaultdict(set)
    for when, source, target, payload in datagrams:
        found = header(payload) if target in ports else None
        if not found or not found[0]:
            continue
        session, counter = found
        begun = [key for start, key in sessions.get((target, session), []) if start <= when + 0.05]
        key = begun[-1] if begun else (target, session)
        sources[key].add(source)
        if seen.setdefault((key, counter), payload) != payload:
            bad.append((key, counter))
    crossed = sum(1 for ports_of_one in sources.values() if len(ports_of_one) > 1)
    return bad, len(seen), crossed


class Kept(Test):
    """Toggles of ten nodes from many processes at once; one in five is killed."""

    name, full, short, workers = "kept", 50, 1, 1

    def worker(self, folder):
        controller = Controller(folder / "home")
        size = 60 if self.options.ci else COMMANDS
        (folder / "devices").mkdir(parents=True)
        log = folder / "keys.log"
        log.touch()
        with Device(folder / "devices", count=DEVICES, environment={"MATTERCTL_KEY_LOG": str(log)}) as devices:
            for node in range(DEVICES):
                ended = commission(controller, devices, node, name=f"n{node}")
                expect(ended.code == 0, f"commissioning failed: {ended}")
            yield lambda number, dice: self.round(controller, devices, log, size, dice)

    def round(self, controller, devices, log, size, dice):
        # Sessions that are there before most of the commands begin.
        controller.succeed("session", "warm", "--all", "--timeout", "120s")
        before = {node: devices.count_of_toggles(node) for node in range(DEVICES)}
        capture = Capture()
        nodes = [dice.randrange(DEVICES) for _ in range(size)]
        doomed = set(dice.sample(range(size), int(size * KILLED)))
        running, timers = [], []
        for index, node in enumerate(nodes):
            one = controller.start("toggle", f"n{node}", "--timeout", "120s", "--json")
            running.append((node, one))
            if index in doomed:
                timers.append(threading.Timer(dice.uniform(0, 0.1), self.kill, [one]))
                timers[-1].start()
        ended = [(node, one.wait()) for node, one in running]
        for timer in timers:
            timer.cancel()
        done, open_ends = collections.Counter(), collections.Counter()
        for node, one in ended:
            unknown = one.code == 4 and one.error.get("outcome") == "unknown"
            expect(one.code in (0, -9) or unknown, f"a toggle failed: {one}")
            (done if one.code == 0 else open_ends)[node] += 1
        time.sleep(1)
        datagrams, lost = capture.stop()
        for node in range(DEVICES):
            runs = devices.count_of_toggles(node, before[node] + done[node]) - before[node]
            expect(done[node] <= runs <= done[node] + open_ends[node],
                   f"{runs} toggles ran at n{node}: {done[node]} were done, {open_ends[node]} killed or unknown")
        ports = set(range(devices.port, devices.port + DEVICES))
        bad, pairs, crossed = reused(datagrams, log.read_text().splitlines(), ports)
        expect(not bad, f"a pair of key and counter was used twice: {bad[:5]}")
        expect(pairs >= sum(done.values()), f"only {pairs} pairs in the capture")
        self.count("commands", size)
        self.count("killed", sum(1 for _, one in ended if one.code == -9))
        self.count("unknown", sum(1 for _, one in ended if one.code == 4))
        self.count("pairs", pairs)
        self.count("sessions-of-several-ports", crossed)
        self.count("not-captured", lost)

    @staticmethod
    def kill(one):
        try:
            one.kill()
        except ProcessLookupError:
            pass  # It was faster.


TESTS = [Kept]
