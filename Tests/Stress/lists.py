"""Edits of an access control list while answers are lost, and while a second administrator edits it."""
import json
import shutil

from bench import Controller, Device, Test, commission, expect
from losses import Relay

SUBJECTS = {4242: "operate", 4343: "view", 4444: "manage"}


class ListEdits(Test):
    """Whatever is lost, an entry is gone only if a command named it, and exit 0 means that the edit was made."""

    name, full, short, workers = "list-edits", 1000, 4, 8

    def worker(self, folder):
        controller = Controller(folder / "home")
        (folder / "device").mkdir(parents=True)
        with Device(folder / "device") as device:
            expect(commission(controller, device, name="n").code == 0, "commissioning failed")
            here = ("--address", device.address())
            own = controller.succeed("read", "n", "0/access-control/acl", *here).json
            # Another computer of the same administrator: nothing but the device tells the two of each other.
            shutil.copytree(folder / "home", folder / "second")
            second = Controller(folder / "second")
            plain = list(device.words)

            def subjects():
                entries = controller.succeed("acl", "ls", "n", "--json", *here).json["entries"]
                return {int(s["subject"]) for e in entries for s in e["subjects"]}

            def one(number, dice):
                entries = own + [
                    {"privilege": p, "authMode": "case", "subjects": [s], "targets": None} for s, p in SUBJECTS.items()]
                controller.succeed("acl", "set", "n", json.dumps(entries), "--yes", *here)
                before = subjects()
                expect(set(SUBJECTS) <= before, f"the list was not set: {before}")
                place = dice.choice([2, 3])
                named = [4242, 4343][place - 2]
                word = dice.choice([f"entry:{place}", str(named)])
                trouble = dice.choice(["mute", "loss", "second", "twice", "mute-and-second"])
                self.count(trouble)
                gone, ended = {named}, []
                if trouble.startswith("mute"):
                    device.restart([*plain, "--fault", "mute:write:1"])
                if trouble == "loss":
                    with Relay(device.address(), dice.randrange(1 << 30)) as relay:
                        ended.append(controller.run("acl", "revoke", "n", word, "--json", "--address", relay.address))
                else:
                    commands = [controller.start("acl", "revoke", "n", word, "--json", *here)]
                    if trouble == "twice":
                        commands.append(controller.start("acl", "revoke", "n", word, "--json", *here))
                    if trouble.endswith("second"):
                        other = dice.choice([("revoke", "n", "4444"), ("grant", "n", "5555", "--privilege", "manage")])
                        if other[0] == "revoke":
                            gone.add(4444)
                        commands.append(second.start("acl", *other, "--json", *here))
                    ended = [c.wait() for c in commands]
                for e in ended:
                    e.sound(limit=90)
                if trouble.startswith("mute"):
                    device.restart(plain)
                after = subjects()
                lost = before - after - gone
                expect(not lost, f"{trouble} {word}: lost {lost}, which no command named: {ended}")
                if ended[0].code == 0:
                    self.count("exit-0")
                    expect(named not in after, f"{trouble} {word}: exit 0, and {named} is there: {ended[0]}")
                else:
                    self.count(ended[0].error.get("id", "?"))

            yield one


TESTS = [ListEdits]
