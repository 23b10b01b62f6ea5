#!/usr/bin/env python3
"""Writes a copy of a program that traps where a function begins, as Swift's own checks do.

    plant_trap.py BINARY DEBUG SYMBOL OUT

DEBUG has the symbols of BINARY. SYMBOL is how the mangled name begins; the first function with it gets the trap.
"""
import re
import shutil
import subprocess
import sys

TRAP = bytes([0x0F, 0x0B])


def main():
    binary, debug, symbol, out = sys.argv[1:]
    names = subprocess.run(["nm", debug], check=True, capture_output=True, text=True).stdout
    found = re.search(r"^([0-9a-f]+) [tT] (" + re.escape(symbol) + r"\S*)$", names, re.M)
    if not found:
        sys.exit(f"no function {symbol}… in {debug}")
    address = int(found[1], 16)
    headers = subprocess.run(["readelf", "-lW", binary], check=True, capture_output=True, text=True).stdout
    for line in re.findall(r"^ +LOAD +(.*)$", headers, re.M):
        offset, virtual, _, size = (int(word, 16) for word in line.split()[:4])
        if virtual <= address < virtual + size:
            shutil.copyfile(binary, out)
            shutil.copymode(binary, out)
            with open(out, "r+b") as file:
                file.seek(offset + address - virtual)
                file.write(TRAP)
            print(found[2])
            return
    sys.exit(f"{found[2]} lies in no part of {binary} that is loaded")


if __name__ == "__main__":
    main()
