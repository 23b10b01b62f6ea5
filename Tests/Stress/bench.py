"""What all stress tests share: commands that are run and killed, virtual devices, relays, and the results' file."""
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BIN = os.environ.get("MATTERCTL_BIN") or str(ROOT / ".build/release/matterctl")
NEAR = "fd77::1"
FAR = os.environ.get("MATTERCTL_FAR", "").split()
# Documented codes (docs/exit-codes.md); 1 is a defect.
CODES = {0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 64, 130}
# More memory than any command may need, in KiB: hostile peers must not make it grow.
LARGEST = 200 * 1024


class Failure(Exception):
    """A promise that was broken."""


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Ended:
    """A command that has ended."""

    def __init__(self, words, code, out, err, seconds, memory):
        self.words, self.code, self.out, self.err, self.seconds, self.memory = words, code, out, err, seconds, memory

    def __str__(self):
        return f"{' '.join(self.words)} -> {self.code} after {self.seconds:.1f} s\n  {self.out.strip()[-300:]}\n  {self.err.strip()[-700:]}"

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def error(self):
        """The error object of stderr, if there is one."""
        for line in reversed(self.err.splitlines()):
            try:
                return json.loads(line)["error"]
            except (ValueError, KeyError, TypeError):
                continue
        return {}

    def sound(self, limit=None, codes=CODES):
        """Checks that it ended with a documented code, in time, in bounded memory."""
        expect(self.code in codes, f"undocumented exit: {self}")
        expect(limit is None or self.seconds <= limit, f"longer than {limit} s: {self}")
        expect(self.memory <= LARGEST, f"{self.memory} KiB: {self}")
        return self


class Running:
    """A command under way."""

    def __init__(self, words, environment=None, prefix=()):
        self.words, self.begun = words, time.monotonic()
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.child = subprocess.Popen(
            [*prefix, BIN, *words], stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err,
            env={**os.environ, **(environment or {})})
        self.ended = None

    def kill(self, sign=signal.SIGKILL):
        # Not by Popen, which would collect the child before its resources are known.
        if self.ended is None:
            os.kill(self.child.pid, sign)

    def wait(self, limit=300):
        """Waits for the end; kills what takes longer than the limit, which is a failure of its own."""
        if self.ended:
            return self.ended
        timer = threading.Timer(limit, self.kill)
        timer.start()
        _, status, usage = os.wait4(self.child.pid, 0)
        timer.cancel()
        code = os.waitstatus_to_exitcode(status)
        self.child.returncode = code
        texts = []
        for file in (self.out, self.err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
            file.close()
        self.ended = Ended(self.words, code, *texts, time.monotonic() - self.begun, usage.ru_maxrss)
        return self.ended


class Controller:
    """matterctl with a state directory of its own."""

    def __init__(self, folder, environment=None, prefix=()):
        self.home = pathlib.Path(folder)
        self.environment = {"MATTERCTL_HOME": str(self.home), "XDG_STATE_HOME": str(self.home) + ".state",
                            **(environment or {})}
        self.prefix = prefix

    def start(self, *words):
        return Running([str(w) for w in words], self.environment, self.prefix)

    def run(self, *words, limit=300):
        return self.start(*words).wait(limit)

    def succeed(self, *words, limit=300):
        ended = self.run(*words, limit=limit)
        expect(ended.code == 0, f"failed: {ended}")
        return ended

    def nodes(self):
        return self.succeed("node", "ls", "--json").json

    def files(self):
        return sorted(str(p.relative_to(self.home)) for p in self.home.rglob("*") if p.is_file())

    def check(self, allowed_pending=False, unfinished=()):
        """Nothing is left behind, and nothing can be read by others.

        `unfinished` names folders that no write has followed in since a kill: the next one clears temporary files away.
        """
        files = self.files()
        litter = [f for f in files if "/.tmp-" in "/" + f and f.rpartition("/")[0] not in unfinished]
        expect(not litter, f"left behind: {litter}")
        for path in [self.home, *self.home.rglob("*")]:
            mode = path.lstat().st_mode & 0o777
            expect(mode & 0o077 == 0, f"mode {mode:o} of {path}")
        names = {n["node"]: n for n in self.nodes()} if any("/nodes/" in f or "/pending/" in f for f in files) else {}
        known = {f"{int(n):016X}".lower() for n in names}
        for f in files:
            parts = f.split("/")
            if len(parts) == 4 and parts[2] in ("sessions", "commissioned"):
                identity = parts[3].split(".")[0].lower()
                expect(identity in known, f"left behind: {f}; nodes {sorted(known)}")
            expect(allowed_pending or len(parts) < 4 or parts[2] != "pending" or f.endswith(".bak"),
                   f"still pending: {f}")


class Device:
    """`matterctl simulate` with one node or several, and what it says."""

    lock, number = threading.Lock(), 0

    def __init__(self, folder, types="dimmable-light", count=1, faults=(), mdns="none", environment=None, far=False,
                 options=()):
        with Device.lock:
            base = Device.number
            Device.number += count
        self.count, self.port, self.passcode = count, 20000 + base, 30303031 + 7 * (base % 1000)
        self.discriminator = base % 4000
        self.folder = pathlib.Path(folder)
        self.trust = self.folder / "trust"
        self.trust.mkdir(parents=True, exist_ok=True)
        self.words = [
            *(FAR if far else []), BIN, "simulate", types, "--json", "--port", str(self.port), "--passcode",
            str(self.passcode), "--discriminator", str(self.discriminator), "--state", str(self.folder / "device"),
            "--paa-out", str(self.trust / "paa.der"), "--mdns", mdns,
            *(["--count", str(count)] if count > 1 else []), *(w for f in faults for w in ("--fault", f)), *options,
        ]
        self.environment = {**os.environ, "MATTERCTL_HOME": str(self.folder / "home"), **(environment or {})}
        self.changed = threading.Condition()
        self.ready, self.toggles, self.steps = {}, {}, {}
        self.values = {}
        self.start()

    def start(self):
        self.error = open(self.folder / "stderr", "a")
        self.child = subprocess.Popen(
            self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.error, env=self.environment)
        threading.Thread(target=self.listen, args=[self.child.stdout], daemon=True).start()
        with self.changed:
            self.changed.wait_for(lambda: len(self.ready) == self.count or self.child.poll() is not None, 60)
            if len(self.ready) != self.count:
                raise Failure(f"the device does not start: {(self.folder / 'stderr').read_text()[-500:]}")

    def listen(self, stream):
        for line in stream:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            node, kind = event.get("simulatedNode", 0), event.get("event")
            with self.changed:
                if kind == "ready":
                    self.ready[node] = event
                elif kind == "command" and event.get("command") == "Toggle":
                    self.toggles[node] = self.toggles.get(node, 0) + 1
                elif kind in ("commissioning", "session"):
                    self.steps.setdefault(node, []).append(event.get("step"))
                elif kind == "attribute":
                    self.values[node, event.get("cluster"), event.get("attribute")] = event.get("value")
                self.changed.notify_all()
        with self.changed:
            self.changed.notify_all()

    def code(self, node=0):
        return self.ready[node]["qrCode"]

    def address(self, node=0):
        return f"[{NEAR}]:{self.port + node}"

    def count_of_toggles(self, node=0, at_least=0):
        """How many toggles ran; waits a while for what its output still has to tell."""
        with self.changed:
            self.changed.wait_for(lambda: self.toggles.get(node, 0) >= at_least, 3)
        if at_least:
            time.sleep(0.03)
        with self.changed:
            return self.toggles.get(node, 0)

    def stop(self):
        self.child.terminate()
        self.child.wait()
        self.error.close()

    def restart(self, words):
        """The same device with other options."""
        self.stop()
        self.words = words
        self.ready.clear()
        self.start()

    def open_window(self):
        """Its button: a commissioning window opens."""
        self.child.stdin.write(b"window\n")
        self.child.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def commission(controller, device, node=0, name=None, address=None, timeout=None, start=False, found=False):
    """Commissions a device at its address, or where discovery finds it."""
    place = [] if found else ["--address", address or device.address(node)]
    words = ["commission", device.code(node), *place, "--trust", device.trust, "--allow-test-devices", "--json"]
    if name:
        words += ["--name", name]
    if timeout:
        words += ["--timeout", timeout]
    return controller.start(*words) if start else controller.run(*words)


class Results:
    """The file of results: a line of JSON for each run, which add up."""

    def __init__(self, path, seed):
        self.path, self.seed = pathlib.Path(path), seed
        git = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=9"],
                             capture_output=True, text=True)
        self.commit = os.environ.get("MATTERCTL_COMMIT") or git.stdout.strip() or "unknown"

    def add(self, test, rounds, failures, seconds, **more):
        line = {"date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "commit": self.commit, "seed": self.seed,
                "test": test, "rounds": rounds, "failures": failures, "seconds": round(seconds, 1), **more}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a") as file:
            file.write(json.dumps(line) + "\n")
        print(f"{test}: {rounds} rounds, {failures} failures, {seconds:.0f} s"
              + "".join(f", {k} {v}" for k, v in more.items()), flush=True)


class Test:
    """A test of several rounds, which workers of their own play side by side.

    Subclasses have a name, the number of rounds that the issue asks for, and `worker`, a context that plays rounds.
    """

    name, full, short, workers = "", 100, 4, 4

    def __init__(self, options):
        self.options, self.lock = options, threading.Lock()
        self.counts = {}
        self.failures, self.done, self.next = [], 0, 0

    def count(self, what, n=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + n

    def dice(self, round_number):
        return random.Random(f"{self.options.seed}/{self.name}/{round_number}")

    def worker(self, folder):
        """Yields a function of the round's number and its dice."""
        raise NotImplementedError

    def play(self, rounds, until=None):
        begun = time.monotonic()
        first, limit = self.options.first, 3 * rounds

        def work(number):
            nonlocal rounds
            folder = pathlib.Path(tempfile.mkdtemp(prefix=f"stress-{self.name}-"))
            keep = False
            try:
                worker = self.worker(folder)
                one = next(worker)
                while True:
                    with self.lock:
                        if self.next >= min(rounds, limit) or (until and time.monotonic() > until):
                            break
                        current = first + self.next
                        self.next += 1
                    try:
                        if one(current, self.dice(current)) is False:
                            # Nothing came of it, such as a kill that came too late: another round takes its place.
                            with self.lock:
                                rounds += 1
                            continue
                    except Exception as failure:
                        keep = True
                        self.fail(current, failure)
                        # What comes after it would only fail again: a fresh scene.
                        worker.close()
                        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"stress-{self.name}-"))
                        worker = self.worker(folder)
                        one = next(worker)
                    with self.lock:
                        self.done += 1
                        if self.done % max(1, limit // 60) == 0:
                            print(f"  {self.name}: {self.done} of {rounds}, {len(self.failures)} failures, "
                                  f"{time.monotonic() - begun:.0f} s", flush=True)
                worker.close()
            except Exception as failure:
                self.fail("scene", failure)
            finally:
                if not keep:
                    shutil.rmtree(folder, ignore_errors=True)

        threads = [threading.Thread(target=work, args=[n]) for n in range(min(self.workers, max(1, rounds)))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.finish()
        self.options.results.add(
            self.name, self.done, len(self.failures), time.monotonic() - begun, **self.counts)
        return not self.failures

    def finish(self):
        pass

    def fail(self, round_number, failure):
        if not isinstance(failure, Failure):
            traceback.print_exception(failure)
        with self.lock:
            self.failures.append(str(failure))
            print(f"FAILED {self.name} round {round_number} seed {self.options.seed}: {failure}\n"
                  f"  again: make stress ONLY={self.name} SEED={self.options.seed} FIRST={round_number} ROUNDS=1",
                  file=sys.stderr, flush=True)


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
