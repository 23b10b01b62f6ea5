"""Jobs that reach every node: killed at each of their steps, and in a house of 60 devices of which some are off or asleep."""
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import time

from bench import HERE, ROOT, Controller, Device, Running, Test, BIN, commission, expect

STORES = ROOT / "Tests/Lab/neighbour_stores.py"
NAMES = ["lamp", "hall"]


def write_stores(owner, folder, nodes):
    """The fabric as other programs keep it."""
    ended = subprocess.run(
        [sys.executable, STORES, owner.home, "home", folder, *(f"{id}={name}" for id, name in nodes)],
        capture_output=True, text=True)
    expect(ended.returncode == 0, f"no stores: {ended.stderr}")


def entries(owner, node):
    """The access control list, read by a new session of the old controller: it always has him as administrator."""
    shutil.rmtree(owner.home / "fabrics/home/sessions", ignore_errors=True)
    ended = owner.run("acl", "ls", node, "--json", "--fresh", "--timeout", "60s")
    expect(ended.code == 0, f"the old controller does not reach the node: {ended}")
    found = ended.json["entries"]
    expect(any(e.get("us") and e["privilege"] == "administer" for e in found), f"no administrator: {found}")
    return found


def subjects(found):
    return {str(s.get("subject", s) if isinstance(s, dict) else s) for e in found for s in e["subjects"] or []}


def is_ended(controller):
    """No job is open, and the keys that it needed are gone."""
    for job in controller.succeed("job", "ls", "--json").json:
        expect(job["state"] in ("done", "cancelled"), f"a job has not ended: {job}")
    keys = [f for f in controller.files() if "/keys/job-" in f or f.endswith("operational-next")]
    expect(not keys, f"left behind: {keys}")


class JobKills(Test):
    """Each job of two nodes is killed at each step that others can notice, one after the other; then it goes on."""

    name, full, short, workers = "job-kills", 1000, 10, 2
    KINDS = ["join", "leave", "identity-key", "certificates", "group-key", "admit", "expel", "grant", "revoke", "roll-back"]

    def __init__(self, options):
        super().__init__(options)
        # How many steps there are, and how many rounds each kind had.
        self.steps, self.rounds = {}, collections.Counter()

    def worker(self, folder):
        scene = JobScene(self, folder)
        with scene.devices:
            scene.begin()
            yield scene.round


class JobScene:
    def __init__(self, test, folder):
        self.test, self.folder, self.guests = test, folder, 0
        self.owner = Controller(folder / "home")
        (folder / "device").mkdir(parents=True)
        self.devices = Device(folder / "device", count=len(NAMES), mdns="avahi")
        # The guest that has joined, and the member that was added, as (Controller, name).
        self.guest = self.member = None
        # The last kill, for messages.
        self.at = "before the first kill"

    def begin(self):
        for node, name in enumerate(NAMES):
            ended = commission(self.owner, self.devices, node, name=name)
            expect(ended.code == 0, f"commissioning failed: {ended}")
        self.owner.succeed("group", "create", "lights")
        self.owner.succeed("group", "add", "lights", *NAMES)
        write_stores(self.owner, self.folder / "stores", enumerate(NAMES, 1))

    # MARK: One kill

    def killed(self, kind, controller, words, again=()):
        """Kills a command at the next step of its kind, and runs it again.

        - Returns: whether it was killed.
        """
        test = self.test
        with test.lock:
            number = test.rounds[kind]
            test.rounds[kind] += 1
            steps = test.steps.get(kind, 0)
        # All of them in a hundred rounds, or if there are more, every so many of them, and others each time.
        at = 1 + number * (1 if steps <= 100 else 61) % steps if steps else 0
        report = self.folder / "report"
        prefix = [sys.executable, str(HERE / "kill_at.py"), "--report", str(report), "--steps", "--at", str(at)]
        ended = Running([str(w) for w in words], controller.environment, prefix).wait()
        found = json.loads(report.read_text())
        if not found["killed"]:
            expect(ended.code == 0, f"failed without a kill: {ended}")
            with test.lock:
                test.steps[kind] = found["calls"]
            return False
        self.at = f"{kind}, step {at} of about {steps}: {found['call']}"
        expect(ended.code == -9, f"{self.at}: {ended}")
        for node in NAMES:
            entries(self.owner, node)
        ended = controller.run(*words, *again)
        done = ended.error.get("id")
        expect(ended.code == 0 or done in ("neighbour.not-joined", "job.unknown", "list.no-entry"),
               f"{self.at}; the same command again: {ended}")
        test.count(kind)
        return True

    def round(self, number, dice):
        kind = JobKills.KINDS[number % len(JobKills.KINDS)]
        try:
            return getattr(self, kind.replace("-", "_"))()
        except Exception as failure:
            raise type(failure)(f"{self.at}: {failure}") from failure

    def end_guest(self):
        """A guest that has joined leaves."""
        if self.guest:
            self.guest.run(*self.import_words, "--revert")
            self.guest = None

    # MARK: The kinds

    @property
    def import_words(self):
        return ["fabric", "import", "--from", "matterjs", self.folder / "stores/js-file", "--yes", "--json"]

    def new_guest(self):
        self.guests += 1
        return Controller(self.folder / f"guest-{self.guests}")

    def require_guest(self, count):
        """How many may administer beside the owner and the members. In a full list, a guest is a subject of the owner's entry."""
        for node in NAMES:
            found = [s for e in entries(self.owner, node) if e["privilege"] == "administer"
                     for s in e["subjects"] or [] if not s.get("us") and not s.get("tag")]
            expect(len(found) == count, f"{self.at}: {len(found)} guests on {node}, not {count}: {found}")

    def join(self):
        self.end_guest()
        self.at = "join"
        guest = self.new_guest()
        killed = self.killed("join", guest, self.import_words)
        self.guest = guest
        self.require_guest(1)
        is_ended(guest)
        for node, name in enumerate(NAMES):
            before = self.devices.count_of_toggles(node)
            guest.succeed("toggle", name)
            expect(self.devices.count_of_toggles(node, before + 1) == before + 1, f"{self.at}: no toggle")
        return killed

    def leave(self):
        if not self.guest:
            self.guest = self.new_guest()
            self.guest.succeed(*self.import_words)
        killed = self.killed("leave", self.guest, [*self.import_words, "--revert"])
        self.at = getattr(self, "at", "leave")
        self.require_guest(0)
        expect(self.guest.succeed("fabric", "ls", "--json").json == [], f"{self.at}: the fabric is still here")
        self.guest = None
        return killed

    def rotation(self, kind, words):
        # Another program on the fabric could not follow.
        self.end_guest()
        self.end_member()
        killed = self.killed(kind, self.owner, words)
        is_ended(self.owner)
        for node, name in enumerate(NAMES):
            entries(self.owner, name)
            before = self.devices.count_of_toggles(node)
            self.owner.succeed("toggle", name)
            expect(self.devices.count_of_toggles(node, before + 1) == before + 1, f"{self.at}: no toggle")
        before = [self.devices.count_of_toggles(n) for n in range(len(NAMES))]
        self.owner.succeed("toggle", "group:lights")
        for node in range(len(NAMES)):
            expect(self.devices.count_of_toggles(node, before[node] + 1) == before[node] + 1,
                   f"{getattr(self, 'at', kind)}: {NAMES[node]} does not hear the group")
        if kind == "identity-key":
            shutil.rmtree(self.folder / "stores")
            write_stores(self.owner, self.folder / "stores", enumerate(NAMES, 1))
        return killed

    def identity_key(self):
        return self.rotation("identity-key", ["fabric", "rotate", "identity-key", "--json"])

    def certificates(self):
        return self.rotation("certificates", ["fabric", "rotate", "certificates", "--json"])

    def group_key(self):
        return self.rotation("group-key", ["group", "rekey", "lights", "--json"])

    def roll_back(self):
        """A rotation that has not ended, as one light is off, goes back to the old key."""
        self.end_guest()
        self.end_member()
        key = (self.owner.home / "fabrics/home/keys/ipk").read_bytes()
        words = ["fabric", "rotate", "identity-key", "--json"]
        # Killed in its first phase.
        report = self.folder / "report"
        prefix = [sys.executable, str(HERE / "kill_at.py"), "--report", str(report), "--steps", "--at", "45"]
        Running(words, self.owner.environment, prefix).wait()
        jobs = [j for j in self.owner.succeed("job", "ls", "--json").json if j["kind"] == "identity-key" and j["phase"] != "finished"]
        if not jobs:
            return False
        killed = self.killed("roll-back", self.owner, [*words, "--roll-back"])
        is_ended(self.owner)
        expect((self.owner.home / "fabrics/home/keys/ipk").read_bytes() == key, "another key is in use")
        for name in NAMES:
            entries(self.owner, name)
        return killed

    def end_member(self):
        if self.member:
            self.owner.succeed("fabric", "member", "remove", self.member[1], "--yes", "--json")
            self.member = None

    def asked(self):
        guest = self.new_guest()
        request, answer = self.folder / "request", self.folder / "answer"
        request.unlink(missing_ok=True)
        guest.succeed("fabric", "join-request", "--output", request)
        name = f"anna{self.guests}"
        words = ["fabric", "member", "add", name, "--csr", request, "--output", answer, "--yes", "--json", "--force"]
        return guest, name, words

    def admit(self):
        self.end_member()
        guest, name, words = self.asked()
        killed = self.killed("admit", self.owner, words)
        is_ended(self.owner)
        guest.succeed("fabric", "import", self.folder / "answer")
        self.member = guest, name
        for node in NAMES:
            guest.succeed("toggle", node)
        return killed

    def expel(self):
        if not self.member:
            guest, name, words = self.asked()
            self.owner.succeed(*words)
            guest.succeed("fabric", "import", self.folder / "answer")
            self.member = guest, name
        guest, name = self.member
        killed = self.killed("expel", self.owner, ["fabric", "member", "remove", name, "--yes", "--json"])
        self.member = None
        is_ended(self.owner)
        for node in NAMES:
            ended = guest.run("toggle", node, "--fresh", "--json")
            expect(ended.code == 5, f"{self.at}: the member is still admitted: {ended}")
        return killed

    def grant(self):
        killed = self.killed(
            "grant", self.owner, ["acl", "grant", "--all", "4242", "--privilege", "view", "--json"])
        for node in NAMES:
            found = entries(self.owner, node)
            count = sum("4242" in subjects([e]) for e in found)
            expect(count == 1, f"{count} entries for 4242: {found}")
        is_ended(self.owner)
        return killed

    def revoke(self):
        for node in NAMES:
            self.owner.run("acl", "grant", node, "4242", "--privilege", "view", "--json")
        killed = self.killed("revoke", self.owner, ["acl", "revoke", "--all", "4242", "--json"])
        for node in NAMES:
            found = entries(self.owner, node)
            expect("4242" not in subjects(found), f"4242 is still there: {found}")
        is_ended(self.owner)
        return killed


class WholeHouse(Test):
    """60 devices, 6 of them off, 4 asleep: a rotation and a joining end as the devices return."""

    name, full, short, workers = "job-house", 3, 0, 1
    OFF, ASLEEP = 6, 4
    LIMIT = 900

    def worker(self, folder):
        self.size = 60
        for name in ("on", "off", "asleep"):
            (folder / name).mkdir(parents=True)
        counts = {"on": self.size - self.OFF - self.ASLEEP, "off": self.OFF, "asleep": self.ASLEEP}
        devices = {
            name: Device(folder / name, types="on-off-light", count=count, mdns="avahi",
                         options=["--icd", "20s"] if name == "asleep" else [])
            for name, count in counts.items()}
        try:
            yield lambda number, dice: self.round(folder / f"round-{number}", devices)
        finally:
            for device in devices.values():
                device.stop()

    def round(self, folder, devices):
        folder.mkdir()
        owner = Controller(folder / "home")
        for device in devices.values():
            lines = "".join(f"{device.code(n)} n{device.port + n}\n" for n in range(device.count))
            (folder / "list").write_text(lines)
            trust = ["--trust", device.trust, "--allow-test-devices"]
            ended = owner.run("commission", "--from", folder / "list", *trust, "--json", limit=self.LIMIT)
            expect(ended.code == 0, f"commissioning failed: {ended}")
        nodes = owner.nodes()
        expect(len(nodes) == self.size, f"{len(nodes)} nodes")
        off = devices["off"]
        # Off, and asleep.
        off.stop()
        self.rotate(owner, off)
        off.ready.clear()
        self.join(folder, owner, off, nodes)
        for node in nodes:
            owner.succeed("node", "remove", node["node"], "--yes", "--wait", "--timeout", "120s", limit=200)

    def finish_job(self, controller, job, is_enough):
        """Resumes a job until it has ended, while check-ins are taken."""
        begun = time.monotonic()
        while True:
            shown = controller.succeed("job", "show", job, "--json").json
            if is_enough(shown):
                return shown, time.monotonic() - begun
            expect(time.monotonic() - begun < self.LIMIT, f"the job does not end: {self.states(shown)}")
            controller.run("job", "resume", job, "--json", "--timeout", "60s").sound()
            # Those that sleep are done at their check-ins.
            time.sleep(1)

    @staticmethod
    def states(shown):
        return shown.get("phase"), collections.Counter(n["state"] for n in shown["nodes"])

    def rotate(self, owner, off):
        ended = owner.run("fabric", "rotate", "identity-key", "--json", "--timeout", "120s", limit=self.LIMIT)
        expect(ended.code == 4 and ended.error.get("id") == "job.incomplete", f"{ended}")
        job = ended.json["job"]
        pending = [n for n in ended.json["nodes"] if n["state"] == "pending"]
        expect(len(pending) >= self.OFF, f"{self.states(ended.json)}")
        expect(ended.json["phase"] == "add", f"a node is in the phase {ended.json['phase']}, and others are off")
        self.count("pending-at-first", len(pending))
        # All that are on are still reached.
        off.ready.clear()
        off.start()
        listener = owner.start("icd", "listen", "--json")
        try:
            shown, seconds = self.finish_job(owner, job, lambda shown: shown["state"] == "done")
        finally:
            listener.kill()
            listener.wait()
        expect(len(shown["nodes"]) == self.size, f"{self.states(shown)}")
        self.count("rotation-s", round(seconds))

    def join(self, folder, owner, off, nodes):
        write_stores(owner, folder / "stores", ((n["node"], n["name"]) for n in nodes))
        off.stop() if off.child.poll() is None else None
        guest = Controller(folder / "guest")
        ended = guest.run(
            "fabric", "import", "--from", "matterjs", folder / "stores/js-file", "--yes", "--json", "--timeout", "120s",
            limit=self.LIMIT)
        expect(ended.code in (4, 5, 12), f"{ended}")
        off.ready.clear()
        off.start()

        def is_enough(shown):
            states = self.states(shown)[1]
            return states["pending"] == 0

        job = guest.succeed("job", "ls", "--json").json[0]["job"]
        shown, seconds = self.finish_job(guest, job, is_enough)
        refused = [n for n in shown["nodes"] if n["state"] == "refused"]
        # A node that is awake only at check-ins is joined by a window.
        expect(len(refused) <= self.ASLEEP and all(n["error"]["id"] == "job.sleeper" for n in refused), f"{refused}")
        self.count("joined", self.size - len(refused))
        self.count("joining-s", round(seconds))


TESTS = [JobKills, WholeHouse]
