#!/usr/bin/env python3
"""A house of virtual devices in one description, for `simulate --mesh` (docs/virtual-device.md) and `map`.

    house.py FOLDER            writes FOLDER/house.json: 40 nodes over two Thread networks, Wi-Fi, Ethernet and a bridge
    house.py FOLDER --small    8 nodes of the same kinds
    house.py FOLDER --play     plays them, commissions them and draws them: FOLDER/house.svg, house.txt, map.json, house.dot;
                               nothing.json and before.json are maps without anything, and with border routers only
    --stop KIND                with --play: devices of this type are off when the map is drawn

--play runs in the laboratory: `Tests/Lab/lab.sh /tmp/lab Tests/Lab/house.py /tmp/house --play`; MATTERCTL names the
program. It waits for nothing but the program's own answers.
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys

LAB = pathlib.Path(__file__).resolve().parent
ROOMS = ["Hall", "Kitchen", "Bedroom", "Study", "Bath", "Attic", "Cellar", "Nursery", "Porch", "Garage"]


def router(name, number, role="router", **more):
    return {"name": name, "role": role, "router": number, **more}


def link(one, other, lqi=(3, 3), rssi=(-55, -57), **more):
    return {"devices": [one, other], "lqi": list(lqi), "rssi": list(rssi), **more}


def small():
    """Border routers are not played: `border-1` and `border-2` advertise themselves with these addresses."""
    home = {
        "name": "home", "extendedPanId": "1122334455667788", "channel": 15, "partition": 305419896,
        "devices": [
            router("border-1", 10, extAddress="6A00000000000001"), router("hall", 1, "leader"), router("lamp", 2),
            router("shed", 3), {"name": "door", "role": "sleepy", "parent": "hall"},
            {"name": "stranger", "role": "sleepy", "parent": "lamp"},
        ],
        "links": [
            link("hall", "border-1"), link("lamp", "border-1", (3, 3), (-60, -62)), link("hall", "lamp", (3, 1), (-60, -85)),
            link("lamp", "shed", (1, 1), (-87, -88)),
        ],
    }
    barn = {
        "name": "barn", "extendedPanId": "AABBCCDDEEFF0011", "channel": 20, "partition": 77,
        "devices": [router("border-2", 4, "leader", extAddress="6A00000000000002"), router("gate", 5)],
        "links": [link("gate", "border-2", (2, 2), (-78, -77))],
    }
    wifi = [{"ssid": "house", "bssid": "02000000011A", "channel": 6, "devices": [
        {"name": "plug", "rssi": -52}, {"name": "fan", "rssi": -79}]}]
    return {"thread": [home, barn], "wifi": wifi, "ethernet": ["bridge"]}, {"border-1": "home", "border-2": "barn"}


def large(seed=40):
    """Two Thread networks of 18 and 7 nodes, 13 on two Wi-Fi access points, two on cables."""
    dice = random.Random(seed)

    def strength(weak=0.0):
        rssi = dice.choice([-88, -87]) if dice.random() < weak else dice.randint(-79, -45)
        return (1 if rssi < -85 else 2 if rssi < -75 else 3), rssi

    def links(names, share, weak):
        found = []
        for place, one in enumerate(names):
            for other in names[place + 1:]:
                if dice.random() < share:
                    there, back = strength(weak), strength(0)
                    back = (there[0], there[1] + dice.randint(-4, 4))
                    found.append(link(one, other, (there[0], back[0]), (there[1], back[1])))
        return found

    routers = ["hall", "kitchen lamp", "study lamp", "bedroom plug", "bath fan", "porch light", "attic lamp"]
    borders = ["border-1", "border-2"]
    devices = [router(name, 10 + place, extAddress=f"6A0000000000000{place + 1}") for place, name in enumerate(borders)]
    devices += [router(name, place + 1, "leader" if name == "hall" else "router") for place, name in enumerate(routers)]
    devices.append(router("garden light", 20))
    devices.append(router("pond pump", 21))
    ends = ["door", "window 1", "window 2", "motion hall", "motion stairs", "leak bath", "leak cellar", "thermo bed", "button"]
    parents = ["hall", "kitchen lamp", "kitchen lamp", "hall", "study lamp", "bath fan", "border-2", "bedroom plug", "hall"]
    devices += [{"name": name, "role": "sleepy" if place % 3 else "end-device", "parent": parent}
                for place, (name, parent) in enumerate(zip(ends, parents))]
    devices += [{"name": f"stranger {place}", "role": "sleepy", "parent": "hall"} for place in range(3)]
    ring = links(borders + routers, 0.42, 0.06)
    ring += [link("porch light", "garden light", (2, 2), (-80, -82)), link("garden light", "pond pump", (1, 1), (-88, -89)),
             link("leak bath", "bath fan", (1, 1), (-87, -86))]
    sided = next(entry for entry in ring if entry["devices"] == ["hall", "study lamp"]) if any(
        entry["devices"] == ["hall", "study lamp"] for entry in ring) else ring[0]
    sided["lqi"], sided["rssi"] = [3, 1], [-55, -84]
    home = {"name": "home", "extendedPanId": "1122334455667788", "channel": 15, "partition": 305419896,
            "devices": devices, "links": ring}
    barn_routers = ["gate", "stable lamp", "hay loft"]
    barn_devices = [router("border-3", 4, "leader", extAddress="6A00000000000009")]
    barn_devices += [router(name, place + 5) for place, name in enumerate(barn_routers)]
    barn_devices += [{"name": f"trough {place}", "role": "sleepy", "parent": "stable lamp"} for place in range(4)]
    barn = {"name": "barn", "extendedPanId": "AABBCCDDEEFF0011", "channel": 20, "partition": 77,
            "devices": barn_devices, "links": links(["border-3", *barn_routers], 1.0, 0.0)}
    stations = [f"{room.lower()} wall plug" for room in ROOMS] + ["washer", "oven", "robot"]
    wifi = [
        {"ssid": "house", "bssid": "02000000011A", "channel": 6,
         "devices": [{"name": name, "rssi": dice.randint(-84, -40)} for name in stations[:8]]},
        {"ssid": "house", "bssid": "02000000012B", "channel": 44,
         "devices": [{"name": name, "rssi": dice.randint(-75, -40)} for name in stations[8:]]},
    ]
    return ({"thread": [home, barn], "wifi": wifi, "ethernet": ["bridge", "server"]},
            {"border-1": "home", "border-2": "home", "border-3": "barn"})


def kind(name):
    if name == "bridge":
        return "aggregator"
    words = {"lamp": "dimmable-light", "light": "dimmable-light", "plug": "on-off-plug", "fan": "fan", "thermo": "thermostat"}
    return next((value for word, value in words.items() if word in name), "on-off-light")


def played(description, borders):
    """The names of the nodes, in the order of the description."""
    names = [device["name"] for network in description["thread"] for device in network["devices"]]
    names += [device["name"] for point in description["wifi"] for device in point["devices"]]
    return [name for name in names + description["ethernet"] if name not in borders and "stranger" not in name]


def play(folder, description, borders, stop):
    program = os.environ.get("MATTERCTL", ".build/release/matterctl")
    environment = {**os.environ, "MATTERCTL_HOME": str(folder / "home")}

    def run(*words):
        return subprocess.run([program, *words], env=environment, capture_output=True, text=True)

    def require(done):
        if done.returncode:
            sys.exit(f"{done.args}: {done.stderr}")
        return done.stdout

    children, kinds = [], {}
    (folder / "nothing.json").write_text(require(run("map", "--json")))
    try:
        groups = {}
        for name in played(description, borders):
            groups.setdefault(kind(name), []).append(name)
        port, codes = 7000, {}
        for place, (device, names) in enumerate(groups.items()):
            child = subprocess.Popen(
                [program, "simulate", device, "--mesh", str(folder / "house.json"), "--as", ",".join(names), "--count",
                 str(len(names)), "--port", str(port), "--discriminator", str(100 * place), "--mdns", "none", "--json",
                 "--state", str(folder / f"device-{device}"), "--paa-out", str(folder / "trust" / f"{device}.der")],
                stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
            children.append(child)
            kinds[device] = child
            for name in names:
                while True:
                    event = json.loads(child.stdout.readline())
                    if event["event"] == "ready":
                        break
                codes[name] = (event["qrCode"], port + event["simulatedNode"])
            # Its further output is not read; nothing may wait for it.
            subprocess.Popen(["cat"], stdin=child.stdout, stdout=subprocess.DEVNULL)
            port += 100
        far = os.environ.get("MATTERCTL_FAR", "").split()
        for place, (border, network) in enumerate(borders.items()):
            found = next(entry for entry in description["thread"] if entry["name"] == network)
            device = next(entry for entry in found["devices"] if entry["name"] == border)
            child = subprocess.Popen(
                [*far, sys.executable, str(LAB / "border_router.py"), "--instance", border, "--address", "fd77::2",
                 "--rest", "none", "--dataset", "none", "--txt", f"nn={network.encode().hex()}",
                 "--txt", f"xp={found['extendedPanId']}", "--txt", f"xa={device['extAddress']}",
                 "--txt", f"pt={found['partition']:08x}", "--txt", f"vn={b'Acme'.hex()}"],
                stdout=subprocess.PIPE, text=True)
            children.append(child)
            child.stdout.readline()
        (folder / "before.json").write_text(require(run("map", "--json")))
        for place, (name, (code, port)) in enumerate(codes.items()):
            require(run("commission", code, "--address", f"[fd77::1]:{port}", "--trust", str(folder / "trust"),
                        "--allow-test-devices", "--name", re.sub(r"[^a-z0-9]+", "-", name),
                        "--room", ROOMS[place % len(ROOMS)], "--progress", "none"))
        if stop:
            kinds[stop].terminate()
            kinds[stop].wait()
        (folder / "house.txt").write_text(require(run("map", "--patience", "3s", "--svg", str(folder / "house.svg"))))
        (folder / "map.json").write_text(require(run("map", "--patience", "3s", "--json")))
        (folder / "house.dot").write_text(require(run("map", "--patience", "3s", "--dot")))
        print(f"{len(codes)} nodes: {folder}/house.svg")
    finally:
        for child in children:
            child.terminate()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("--small", action="store_true")
    p.add_argument("--play", action="store_true")
    p.add_argument("--stop")
    a = p.parse_args()
    a.folder.mkdir(parents=True, exist_ok=True)
    description, borders = small() if a.small else large()
    (a.folder / "house.json").write_text(json.dumps(description, indent=1))
    if a.play:
        play(a.folder, description, borders, a.stop)


if __name__ == "__main__":
    main()
