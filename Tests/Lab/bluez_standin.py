#!/usr/bin/env python3
"""A stand-in for bluetoothd on a private bus, for the failures that a real one has and that no other stand-in plays.

    bluez_standin.py --device C8:5A:11:22:33:44 --fail 'Connect=Failed:le-connection-abort-by-local*3'

It owns org.bluez on DBUS_SYSTEM_BUS_ADDRESS, with adapters and devices that offer Matter's service, and ends when its
parent does. A device answers the handshake of BTP, and then sends each written value back as an indication.

Standard output, a line each:

    ready                   it owns the name
    call MEMBER NAME        a method was called; NAME is the last part of the object's path
    write HEX               a value was written to C1
    intruded                another connection has sent its signals
    unexpected TEXT         something that a good client does not do

What it can be told:

    --adapter NAME=ADDRESS  an adapter (default: hci0); may be repeated
    --adapter-off           adapters are off at first
    --role ROLE             of all adapters (default: central and peripheral)
    --device ADDRESS        a device that is heard; options after commas: on=hci1, rssi=-40, discriminator=, vendor=,
                            product=, flags=, paired, moves=ADDRESS (after RemoveDevice it comes back with this address)
    --leftover ADDRESS      a device that is known from before, and is not heard
    --fail M=ERROR[:WORDS][*N]   a method fails, N times or always; ERROR is the last part of BlueZ's name, or a whole name
    --slow M=SECONDS        a method answers late
    --silent M              a method never answers
    --services WHAT         never, late, none (no Matter service), no-c2, stale (no C2 until the device is removed), upper
    --mtu A,B               the MTU at first, and half a second later (default: 247); none: no such property
    --drop-after N          the link is lost after N writes; 0: before the services are told
    --blink                 after the first write, the link is said to be down for half a second
    --intruder              when the client subscribes, another connection sends it signals in the daemon's and the bus's name
    --quit-after M          the daemon stops after this method
"""
import argparse
import asyncio
import os
import sys

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.constants import RequestNameReply as NameReply

ADAPTER, DEVICE = "org.bluez.Adapter1", "org.bluez.Device1"
SERVICE, CHARACTERISTIC = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"
PROPERTIES, MANAGER = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"
MATTER = "0000fff6-0000-1000-8000-00805f9b34fb"
C1, C2 = "18ee2ef5-263d-4559-959f-4f9c429f9d11", "18ee2ef5-263d-4559-959f-4f9c429f9d12"
TYPES = {
    "Address": "s", "Powered": "b", "Discovering": "b", "Roles": "as", "AddressType": "s", "RSSI": "n", "Paired": "b",
    "ServiceData": "a{sv}", "Connected": "b", "ServicesResolved": "b", "Adapter": "o", "UUID": "s", "Device": "o",
    "Primary": "b", "Service": "o", "Flags": "as", "Value": "ay", "MTU": "q", "Notifying": "b",
}


def say(*words):
    print(*words, flush=True)


class StandIn:
    def __init__(self, options, bus):
        self.options, self.bus = options, bus
        self.objects = {}
        self.fails = dict(parse_failure(text) for text in options.fail)
        self.slow = {name: float(seconds) for name, seconds in (text.split("=") for text in options.slow)}
        self.heard, self.moved, self.writes, self.removed = {}, {}, 0, set()
        self.handshake = self.notifying = self.intruder = None
        self.outstanding = 0
        for text in options.adapter or ["hci0=00:1A:7D:DA:71:13"]:
            name, address = text.split("=")
            self.objects[f"/org/bluez/{name}"] = {ADAPTER: {
                "Address": address, "Powered": not options.adapter_off, "Discovering": False,
                "Roles": options.role or ["central", "peripheral", "central-peripheral"]}}
        for text in options.leftover:
            self.add_device(text, announce=False)
        for text in options.device:
            fields = dict(pair.partition("=")[::2] for pair in text.split(",")[1:])
            self.heard.setdefault("/org/bluez/" + fields.get("on", "hci0"), []).append(text)

    # Objects

    def add_device(self, text, announce=True):
        address, *rest = text.split(",")
        fields = dict(pair.partition("=")[::2] for pair in rest)
        adapter = "/org/bluez/" + fields.get("on", "hci0")
        path = f"{adapter}/dev_{address.replace(':', '_')}"
        if "moves" in fields:
            self.moved[path] = text.replace(address, fields["moves"], 1)
        number = lambda name, default: int(fields.get(name, default), 0)  # noqa: E731
        payload = bytes([0]) + b"".join(
            n.to_bytes(2, "little")
            for n in (number("discriminator", "3840"), number("vendor", "0xFFF1"), number("product", "0x8001")))
        values = {
            "Address": address, "AddressType": "random", "Adapter": adapter, "Connected": False,
            "Paired": "paired" in fields, "ServicesResolved": False,
            "ServiceData": {MATTER: Variant("ay", payload + bytes([number("flags", "0")]))}}
        if announce:
            values["RSSI"] = number("rssi", "-58")
        if path in self.objects:
            return self.change(path, DEVICE, RSSI=values["RSSI"])
        self.add(path, DEVICE, values, announce)
        return None

    def add(self, path, interface, values, announce=True):
        self.objects.setdefault(path, {})[interface] = values
        if announce:
            self.signal("/", MANAGER, "InterfacesAdded", "oa{sa{sv}}", [path, {interface: variants(values)}])

    def remove(self, path):
        for below in [p for p in self.objects if p == path or p.startswith(path + "/")]:
            names = list(self.objects.pop(below))
            self.signal("/", MANAGER, "InterfacesRemoved", "oas", [below, names])

    def change(self, path, interface, **values):
        if path not in self.objects:
            return
        self.objects[path][interface].update(values)
        self.signal(path, PROPERTIES, "PropertiesChanged", "sa{sv}as", [interface, variants(values), []])

    def signal(self, path, interface, member, signature, body):
        self.bus.send(Message(
            message_type=MessageType.SIGNAL, path=path, interface=interface, member=member, signature=signature,
            body=body))

    # Calls

    def handle(self, message):
        if message.message_type != MessageType.METHOD_CALL or not (message.path or "").startswith(("/org/bluez", "/")):
            return None
        if message.interface in ("org.freedesktop.DBus.Peer", "org.freedesktop.DBus.Introspectable"):
            return None
        asyncio.ensure_future(self.answer(message))
        return True

    async def answer(self, message):
        member = message.member
        say("call", member, message.path.rsplit("/", 1)[-1] or "/")
        if member in self.options.silent:
            return
        await asyncio.sleep(self.slow.get(member, 0))
        error, words, left = self.fails.get(member, (None, None, 0))
        if error and left != 0:
            self.fails[member] = (error, words, left - 1)
            name = error if "." in error else f"org.bluez.Error.{error}"
            self.bus.send(Message.new_error(message, name, words))
            return
        try:
            signature, body = await getattr(self, member, self.unknown)(message)
            self.bus.send(Message.new_method_return(message, signature, body))
        except Refusal as refusal:
            self.bus.send(Message.new_error(message, f"org.bluez.Error.{refusal.args[0]}", refusal.args[1]))
        if member == self.options.quit_after:
            await asyncio.sleep(0.1)
            self.bus.disconnect()
            os._exit(0)

    async def unknown(self, message):
        raise Refusal("NotSupported", f"no method {message.member}")

    async def GetManagedObjects(self, message):
        listing = {path: {name: variants(values) for name, values in interfaces.items()}
                   for path, interfaces in self.objects.items()}
        return "a{oa{sa{sv}}}", [listing]

    async def Set(self, message):
        interface, name, value = message.body
        self.change(message.path, interface, **{name: value.value})
        return "", []

    async def SetDiscoveryFilter(self, message):
        wanted = {name: value.value for name, value in message.body[0].items()}
        if wanted != {"Transport": "le", "DuplicateData": True}:
            say("unexpected filter", sorted(wanted))
        return "", []

    async def StartDiscovery(self, message):
        adapter = self.objects[message.path][ADAPTER]
        if not adapter["Powered"]:
            raise Refusal("NotReady", "Resource Not Ready")
        if adapter["Discovering"]:
            raise Refusal("InProgress", "Operation already in progress")
        self.change(message.path, ADAPTER, Discovering=True)
        asyncio.get_running_loop().call_later(0.1, self.hear, message.path)
        return "", []

    def hear(self, path):
        if self.objects[path][ADAPTER]["Discovering"]:
            for text in self.heard.get(path, []):
                self.add_device(text)

    async def StopDiscovery(self, message):
        if not self.objects[message.path][ADAPTER]["Discovering"]:
            raise Refusal("Failed", "No discovery started")
        self.change(message.path, ADAPTER, Discovering=False)
        return "", []

    async def RemoveDevice(self, message):
        path = message.body[0]
        if path not in self.objects:
            raise Refusal("DoesNotExist", "Does Not Exist")
        if self.objects[path][DEVICE]["Paired"]:
            say("unexpected removal of a paired device")
        self.remove(path)
        self.removed.add(path)
        if path in self.moved:
            self.heard[message.path] = [self.moved[path]]
        return "", []

    async def Connect(self, message):
        path = message.path
        if path not in self.objects:
            raise Refusal("DoesNotExist", "Does Not Exist")
        if self.objects[path.rsplit("/", 1)[0]][ADAPTER]["Discovering"]:
            say("unexpected connection during a scan")
            raise Refusal("Failed", "le-connection-abort-by-local")
        self.change(path, DEVICE, Connected=True)
        if self.options.drop_after == 0:
            asyncio.get_running_loop().call_later(0.1, self.drop, path)
        elif self.options.services != "never":
            later = 1.0 if self.options.services == "late" else 0.05
            asyncio.get_running_loop().call_later(later, self.resolve, path)
        return "", []

    def resolve(self, path):
        kind, mtu = self.options.services, self.options.mtu.split(",")
        upper = (lambda text: text.upper()) if kind == "upper" else (lambda text: text)
        service = f"{path}/service0010"
        has_c2 = kind != "no-c2" and not (kind == "stale" and path not in self.removed)
        uuid = MATTER if kind != "none" else "0000180f-0000-1000-8000-00805f9b34fb"
        self.add(service, SERVICE, {"UUID": upper(uuid), "Device": path, "Primary": True})
        for name, uuid, flag in [("c1", C1, "write"), ("c2", C2, "indicate")][: 2 if has_c2 else 1]:
            values = {"UUID": upper(uuid), "Service": service, "Flags": [flag], "Value": b""}
            if mtu[0] != "none":
                values["MTU"] = int(mtu[0])
            self.add(f"{service}/{name}", CHARACTERISTIC, values)
            if len(mtu) > 1:
                asyncio.get_running_loop().call_later(
                    0.5, lambda name=name: self.change(f"{service}/{name}", CHARACTERISTIC, MTU=int(mtu[1])))
        self.change(path, DEVICE, ServicesResolved=True)

    def drop(self, path):
        self.notifying = None
        self.change(path, DEVICE, Connected=False, ServicesResolved=False)

    async def Disconnect(self, message):
        if message.path in self.objects:
            self.drop(message.path)
        return "", []

    async def WriteValue(self, message):
        value, how = bytes(message.body[0]), message.body[1]
        device = message.path.rsplit("/", 2)[0]
        if not self.objects.get(device, {}).get(DEVICE, {}).get("Connected"):
            raise Refusal("NotConnected", "Not Connected")
        if self.outstanding:
            say("unexpected second write")
        if how.get("type") is None or how["type"].value != "request":
            say("unexpected type of a write")
        self.outstanding += 1
        await asyncio.sleep(0.01)
        self.outstanding -= 1
        self.writes += 1
        say("write", value.hex())
        if self.options.drop_after and self.writes > self.options.drop_after:
            self.drop(device)
            raise Refusal("Failed", "Not connected")
        if self.options.blink and self.writes == 1:
            self.change(device, DEVICE, Connected=False)
            asyncio.get_running_loop().call_later(0.5, lambda: self.change(device, DEVICE, Connected=True))
        if value[:2] == b"\x65\x6c":
            self.handshake = bytes([0x65, 0x6C, 4, 0xF4, 0, 6])
        else:
            self.indicate(value)
        return "", []

    async def StartNotify(self, message):
        if self.handshake is None:
            say("unexpected subscription before the handshake")
        self.notifying = message.path
        if self.intruder:
            self.intrude(message.sender, message.path)
        # What the daemon remembers comes first, and is none.
        self.indicate(b"")
        asyncio.get_running_loop().call_later(0.05, self.indicate, self.handshake or b"")
        return "", []

    def intrude(self, client, path):
        """Another user of the bus sends the client what only the daemon and the bus may say."""
        def send(path, interface, member, signature, body):
            self.intruder.send(Message(
                message_type=MessageType.SIGNAL, destination=client, path=path, interface=interface, member=member,
                signature=signature, body=body))
        send(path, PROPERTIES, "PropertiesChanged", "sa{sv}as",
             [CHARACTERISTIC, {"Value": Variant("ay", b"\xde\xad")}, []])
        device = path.rsplit("/", 2)[0]
        send(device, PROPERTIES, "PropertiesChanged", "sa{sv}as",
             [DEVICE, {"Connected": Variant("b", False), "ServicesResolved": Variant("b", False)}, []])
        send("/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged", "sss",
             ["org.bluez", self.bus.unique_name or ":1.1", ""])
        say("intruded")

    async def StopNotify(self, message):
        self.notifying = None
        return "", []

    def indicate(self, value):
        if self.notifying:
            self.change(self.notifying, CHARACTERISTIC, Value=value)


class Refusal(Exception):
    pass


def parse_failure(text):
    member, _, rest = text.partition("=")
    rest, _, times = rest.partition("*")
    error, _, words = rest.partition(":")
    return member, (error, words, int(times) if times else -1)


def variants(values):
    return {name: Variant(TYPES[name], value) for name, value in values.items()}


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("adapter", "device", "leftover", "fail", "slow", "silent", "role"):
        p.add_argument(f"--{name}", action="append", default=[])
    p.add_argument("--adapter-off", action="store_true")
    p.add_argument("--services", default="")
    p.add_argument("--mtu", default="247")
    p.add_argument("--drop-after", type=int)
    p.add_argument("--blink", action="store_true")
    p.add_argument("--intruder", action="store_true")
    p.add_argument("--quit-after")
    return p.parse_args()


async def main():
    parent = os.getppid()
    bus = await MessageBus(bus_address=os.environ["DBUS_SYSTEM_BUS_ADDRESS"], bus_type=BusType.SYSTEM).connect()
    stand_in = StandIn(arguments(), bus)
    if stand_in.options.intruder:
        stand_in.intruder = await MessageBus(
            bus_address=os.environ["DBUS_SYSTEM_BUS_ADDRESS"], bus_type=BusType.SYSTEM).connect()
    bus.add_message_handler(stand_in.handle)
    if await bus.request_name("org.bluez") != NameReply.PRIMARY_OWNER:
        sys.exit("org.bluez is taken")
    say("ready")
    while os.getppid() == parent:
        await asyncio.sleep(0.2)


asyncio.run(main())
