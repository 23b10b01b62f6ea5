#!/usr/bin/env python3
"""Writes the list of functions that commands run and of variables that they use, in which the linker puts them:
Tests/Bench/order.txt.

    order.py BINARY --work FOLDER

Those that every command runs come first, then those of a toggle on a kept session, then those of a resumed one and of a full
handshake, and then those of a server that follows a light and switches it for a shell. A name that a later build does not have does no harm, and neither does one that is missing.
BINARY has its symbols, as `make release` leaves it. `make order` runs this on a private network.
"""
import argparse
import bisect
import pathlib
import re
import signal
import subprocess
import time

import start

ORDER = pathlib.Path(__file__).resolve().parent / "order.txt"
# The constants in the list of sections: address and size. Parts of Swift's archives make the section one that can be written.
CONSTANTS = re.compile(r" \.rodata +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)")
# A search for a conformance reads all of these, 0.4 MB. A command on its usual way makes none, and may here, where it is so slow.
CONFORMANCE = "Mc"
NAME = re.compile(r"^fn=(?:\(\d+\) )?(\S+)", re.M)
# How long a server that is slowed down so much may take to follow a light, in seconds.
FOLLOWED = 60


class Order(start.Bench):
    def functions_of(self, words, before=None):
        """The names of the program's own functions that a command ran, as the linker spells them."""
        file = self.work / "order.out"
        # A session is kept for the program that runs, which is valgrind here: the first run begins one, the second goes on with it.
        for _ in range(2):
            self.call([*self.counting(file), self.named[words[0]], *self.counted(words)[1:]], before)
        return self.named_in(file)

    @staticmethod
    def counting(file):
        return ["valgrind", "--tool=callgrind", "--demangle=no", "--compress-strings=no", f"--callgrind-out-file={file}"]

    def named_in(self, file):
        names = {re.sub(r"'\d+$", "", name) for name in NAME.findall(file.read_text())}
        return names & self.own

    def functions_of_server(self):
        """Those of a server from its start to its end, with commands of a shell that it carries out meanwhile."""
        file = self.work / "server.out"
        server = subprocess.Popen(
            [*self.counting(file), self.named[self.binary], "serve"], env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=(self.work / "server.err").open("w"))
        try:
            time.sleep(FOLLOWED)
            for words in (["toggle", start.NODE], ["status"], ["toggle", start.NODE]):
                # A command that the server is too slow for goes its own way, or fails.
                subprocess.run([self.binary, *words, "--timeout", "60s"], env=self.environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(120)
        return self.named_in(file)

    def variables_of(self, words, before=None):
        """The names of the program's own variables that a command reads or writes."""
        file = self.work / "accesses.out"
        environment, self.environment = self.environment, self.environment | {"LD_SHOW_AUXV": "1"}
        # The dynamic linker says where the program is; before, it does so for valgrind itself.
        for _ in range(2):
            said = self.call(
                ["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-file={file}", self.named[words[0]],
                 *self.counted(words)[1:]], before).stdout
        self.environment = environment
        header = subprocess.run(["readelf", "-h", self.binary], check=True, capture_output=True, text=True).stdout
        base = int(re.findall(r"AT_ENTRY: +0x([0-9a-f]+)", said)[-1], 16)
        base -= int(re.search(r"Entry point address: +0x([0-9a-f]+)", header)[1], 16)
        starts = [start for start, _, _ in self.variables]
        names = set()
        with open(file) as accesses:
            for address in {int(line[3:].split(",")[0], 16) - base for line in accesses if line[:2] in (" L", " S", " M")}:
                at = bisect.bisect_right(starts, address) - 1
                if at >= 0 and address < self.variables[at][0] + self.variables[at][1]:
                    names.add(self.variables[at][2])
        return {name for name in names if not name.endswith(CONFORMANCE)}

    def run(self):
        listed = subprocess.run(
            ["nm", "--print-size", "--defined-only", self.binary], check=True, capture_output=True, text=True).stdout
        symbols = [line.split() for line in listed.splitlines()]
        self.own = {symbol[-1] for symbol in symbols if symbol[-2] in "tTwW"}
        # Those that start as zero, and those that are never written. What is relocated is written anyway, all of it.
        sections = subprocess.run(
            ["readelf", "--section-headers", "--wide", self.binary], check=True, capture_output=True, text=True).stdout
        begin, size = (int(number, 16) for number in CONSTANTS.search(sections).groups())
        variables = ((int(symbol[0], 16), int(symbol[1], 16), *symbol[2:]) for symbol in symbols if len(symbol) == 4)
        self.variables = sorted(
            (address, length, name) for address, length, kind, name in variables
            if kind in "bB" or begin <= address < begin + size)
        device = start.Device(self.binary, self.work)
        try:
            self.call([self.binary, "commission", device.code, "--name", start.NODE, "--attestation", "skip"])
            self.call([self.binary, "toggle", start.NODE])
            groups = []
            rows = {name: (words, before) for name, words, before in self.rows()}
            for name in ("toggle, full", "toggle, resumed", "toggle, kept", "--version"):
                groups.append(self.functions_of(*rows[name]))
                # So slowed down, a handshake would take too long.
                if name in ("toggle, kept", "--version"):
                    groups[-1] |= self.variables_of(*rows[name])
            order = []
            for group in [*reversed(groups), self.functions_of_server()]:
                order += sorted(group - set(order))
            return order
        finally:
            device.process.terminate()
            device.process.wait()
            self.runtime.cleanup()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("binary")
    p.add_argument("--work", required=True)
    options = p.parse_args()
    options.empty = options.binary
    order = Order(options).run()
    ORDER.write_text("\n".join(order) + "\n")
    print(f"{len(order)} functions and variables in {ORDER.name}")


if __name__ == "__main__":
    main()
