"""Two administrators of one fabric, each on a host of its own, who work on one device at the same time."""
import threading

from bench import FAR, Controller, Device, Test, commission, expect

COMMANDS, ROUND = 200, 5


class Members(Test):
    name, full, short, workers = "two-members", 10, 1, 1

    def worker(self, folder):
        holder, member = Controller(folder / "holder"), Controller(folder / "member", prefix=FAR)
        self.size = 40 if self.options.ci else COMMANDS
        (folder / "device").mkdir(parents=True)
        with Device(folder / "device") as device:
            ended = commission(holder, device, name="lamp")
            expect(ended.code == 0, f"commissioning failed: {ended}")
            request, answer = folder / "request", folder / "answer"
            member.succeed("fabric", "join-request", "--output", request)
            holder.succeed("fabric", "member", "add", "anna", "--csr", request, "--output", answer, "--yes")
            member.succeed("fabric", "import", answer)
            yield lambda number, dice: self.round(holder, member, device, dice)

    def round(self, holder, member, device, dice):
        before, failures = device.count_of_toggles(), []

        def work(who, subject):
            try:
                for number in range(self.size // ROUND):
                    who.succeed("toggle", "lamp")
                    who.succeed("read", "lamp", "1/on-off/on-off")
                    who.succeed("acl", "grant", "lamp", subject, "--privilege", "view")
                    who.succeed("node", "rename", "lamp", "den")
                    who.succeed("node", "rename", "den", "lamp")
                    if number < self.size // ROUND - 1:
                        who.succeed("acl", "revoke", "lamp", subject)
            except Exception as failure:
                failures.append(failure)

        threads = [threading.Thread(target=work, args=a) for a in ((holder, "4242"), (member, "4343"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        wanted = before + 2 * (self.size // ROUND)
        expect(device.count_of_toggles(at_least=wanted) == wanted, "a toggle was lost, or ran twice")
        for who in (holder, member):
            entries = who.succeed("acl", "ls", "lamp", "--json").json["entries"]
            subjects = {str(s["subject"]) for e in entries for s in e["subjects"] if isinstance(s, dict)}
            expect({"4242", "4343"} <= subjects, f"an entry was lost: {entries}")
            expect([n["name"] for n in who.nodes()] == ["lamp"], f"a record was lost: {who.nodes()}")
            who.check()
        for subject in ("4242", "4343"):
            holder.succeed("acl", "revoke", "lamp", subject)
        self.count("commands", 2 * (self.size // ROUND * (ROUND + 1) - 1))


TESTS = [Members]
