"""A network that loses 30 % of all datagrams each way, repeats and reorders 30 %, and delivers some after 7 s."""
import subprocess
import sys
import time

from bench import HERE, NEAR, Controller, Device, Failure, Test, commission, expect

LOSS = DUPLICATE = REORDER = 0.3
LATE = 0.03
SETTLE = 8


class Relay:
    def __init__(self, target, seed, loss=LOSS, late=LATE):
        self.child = subprocess.Popen(
            [sys.executable, str(HERE.parent / "Lab/lossy_relay.py"), "--port", "0", "--to", target, "--seed",
             str(seed), "--loss", str(loss), "--duplicate", str(DUPLICATE), "--reorder", str(REORDER), "--late",
             str(late)], stdout=subprocess.PIPE, text=True)
        line = self.child.stdout.readline()
        expect(line.startswith("ready"), f"no relay: {line}")
        self.address = f"[{NEAR}]:{line.split()[1]}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.terminate()
        self.child.wait()
        self.child.stdout.close()


class LossCommission(Test):
    """Commissionings with the default budget; 99 % have to succeed."""

    name, full, short, workers = "loss-commission", 300, 2, 12

    def worker(self, folder):
        state = {"batch": 0}

        def one(number, dice):
            state["batch"] += 1
            place = folder / f"d{state['batch']}"
            place.mkdir(parents=True)
            controller = Controller(place / "home")
            with Device(place) as device, Relay(device.address(), dice.randrange(1 << 30)) as relay:
                ended = commission(controller, device, name="n", address=relay.address)
                ended.sound(limit=130)
                self.times.append(ended.seconds)
                if ended.code != 0:
                    # One in a hundred may fail, cleanly: what came of it is told and kept.
                    self.unlucky.append(str(ended))
                    print(f"  loss-commission: not in time: {ended}", flush=True)
                    self.count("not-in-time")
                    nodes = controller.run("node", "ls", "--json")
                    pending = [n for n in nodes.json if n["state"] == "pending"] if nodes.code == 0 else []
                    told = ended.error.get("device")
                    expect(bool(pending) == (told == "pending"), f"told {told}, pending {pending}: {ended}")
                    return
                fabrics = controller.run("read", "n", "0/62/commissioned-fabrics", "--address", device.address())
                if fabrics.code == 0:
                    expect(fabrics.out.strip() == "1", f"{fabrics.out.strip()} fabrics")

        yield one

    def __init__(self, options):
        super().__init__(options)
        self.times, self.unlucky = [], []

    def finish(self):
        times = sorted(self.times)
        if times:
            self.counts["median-s"] = round(times[len(times) // 2], 1)
            self.counts["p90-s"] = round(times[len(times) * 9 // 10], 1)
            self.counts["longest-s"] = round(times[-1], 1)
        allowed = max(1, self.done // 100)
        if len(self.unlucky) > allowed:
            self.fail("all", Failure(f"{len(self.unlucky)} of {self.done} failed:\n" + "\n".join(self.unlucky[:5])))


class LossToggle(Test):
    """Toggles: the count at the device is that of exit 0 and of the unknown ones that ran."""

    name, full, short, workers = "loss-toggle", 2000, 8, 16

    def worker(self, folder):
        controller = Controller(folder / "home")
        (folder / "device").mkdir(parents=True)
        with Device(folder / "device") as device:
            expect(commission(controller, device, name="n").code == 0, "commissioning failed")
            seed = self.dice(folder.name).randrange(1 << 30)
            with Relay(device.address(), seed) as relay:
                def one(number, dice):
                    before = device.count_of_toggles()
                    ended = controller.run("toggle", "n", "--json", "--address", relay.address)
                    ended.sound(limit=35)
                    # Copies that are late may run, or be refused, up to seven seconds after.
                    if ended.code != 0 or dice.random() < 0.1:
                        time.sleep(SETTLE)
                    runs = device.count_of_toggles(at_least=before + (ended.code == 0)) - before
                    if ended.code == 0:
                        self.count("exit-0")
                        expect(runs == 1, f"exit 0, and {runs} toggles ran: {ended}")
                    elif ended.code == 4 and ended.error.get("outcome") == "unknown":
                        self.count("unknown")
                        self.count("unknown-that-ran", runs)
                        expect(runs in (0, 1), f"unknown, and {runs} toggles ran: {ended}")
                    else:
                        self.count("no-answer")
                        expect(ended.code == 4, f"neither done nor unreachable: {ended}")
                        expect(runs == 0, f"{runs} toggles ran, and the error does not say so: {ended}")

                yield one
                time.sleep(SETTLE)


TESTS = [LossCommission, LossToggle]
