#!/usr/bin/env python3
"""Writes a fabric of matterctl as the stores of other programs have it, from the description of their formats alone.

    neighbour_stores.py HOME FABRIC FOLDER NODE=LABEL ...
    neighbour_stores.py --several HOME FOLDER FABRIC ... -- FABRIC:NODE=LABEL ...      only chip-tool/ and python/, with several fabrics

FOLDER gets chip-tool/, python/, js-file/, js-log/ and js-database/, and in the file ipk the identity protection key, which the SDK's
programs do not keep. In each, the controller is that of the fabric, with its own node id.
Everything is an hour old, so that no program seems to be at work.
"""
import base64
import gzip
import hashlib
import hmac
import json
import os
import pathlib
import sqlite3
import struct
import sys
import time
import urllib.parse

VENDOR, PRODUCT, TYPE = 0xFFF1, 0x8001, 0x0100


def record(path):
    """A record behind its header line."""
    return path.read_bytes().split(b"\n", 1)[1]


def hkdf(secret, salt, info, count):
    key = hmac.new(salt, secret, hashlib.sha256).digest()
    return hmac.new(key, info + b"\x01", hashlib.sha256).digest()[:count]


def public_key(certificate):
    """The point in a certificate in TLV: field 9, a string of 65 bytes."""
    place = certificate.index(b"\x30\x09\x41\x04") + 3
    return certificate[place:place + 65]


# TLV: fields of a structure, arrays and structures without tags.
def number(tag, value, size):
    return bytes([0x24 + {1: 0, 2: 1, 4: 2, 8: 3}[size], tag]) + value.to_bytes(size, "little")


def octets(tag, value):
    return bytes([0x30, tag, len(value)]) + value


def text(tag, value):
    return bytes([0x2C, tag, len(value)]) + value.encode()


def array(tag, *items):
    return bytes([0x36, tag]) + b"".join(items) + b"\x18"


def structure(*fields):
    return b"\x15" + b"".join(fields) + b"\x18"


class Fabric:
    def __init__(self, home, name, nodes):
        folder = home / "fabrics" / name
        facts = json.loads(record(folder / "fabric.json"))
        self.root, self.noc = bytes.fromhex(facts["root"]), bytes.fromhex(facts["noc"])
        # The authority that has signed the controller's certificate, where it is not the root.
        self.intermediate = bytes.fromhex(facts.get("nocIntermediate") or "")
        self.id, self.node = int(facts["fabricId"]), int(facts["nodeId"])
        self.keys = {kind: record(folder / "keys" / kind) for kind in ("operational", "root", "ipk", "intermediate")
                     if (folder / "keys" / kind).exists()}
        point = public_key(self.root)
        self.compressed = hkdf(point[1:], self.id.to_bytes(8, "big"), b"CompressedFabric", 8)
        self.operational_ipk = hkdf(self.keys["ipk"], self.compressed, b"GroupKey v1.0", 16)
        self.nodes = nodes

    def pair(self, kind, certificate):
        return public_key(certificate) + self.keys[kind]

    def authority(self, index):
        """What the SDK's example issuer keeps of its authorities."""
        values = {f"ExampleOpCredsCAKey{index:x}": self.pair("root", self.root), f"ExampleCARootCert{index:x}": self.root}
        if self.intermediate:
            values |= {f"ExampleOpCredsICAKey{index:x}": self.pair("intermediate", self.intermediate),
                       f"ExampleCAIntermediateCert{index:x}": self.intermediate}
        return values

    def sdk_values(self, index):
        """What all controllers of the SDK keep of a fabric."""
        key = structure(number(4, 0, 1), number(5, 0x1234, 2), octets(6, self.operational_ipk))
        none = structure(number(4, 0, 1), number(5, 0, 1), octets(6, bytes(16)))
        values = {
            "g/fidx": structure(number(0, index + 1, 1), array(1, bytes([0x04, index]))),
            "g/gdc": struct.pack("<I", 1000),
            f"f/{index:x}/r": self.root, f"f/{index:x}/i": self.intermediate, f"f/{index:x}/n": self.noc,
            f"f/{index:x}/m": structure(number(0, VENDOR, 2), text(1, "house")),
            f"f/{index:x}/k/0": structure(number(1, 0, 1), number(2, 1, 1), array(3, key, none, none), number(7, 0xFFFF, 2)),
        }
        sessions = []
        for place, node in enumerate(self.nodes):
            resumption = bytes([place] * 16)
            if place % 2:
                sessions.append(b"\x15" + number(1, index, 1) + number(2, node, 8) + b"\x18")
            else:
                values[f"f/{index:x}/s/{node:016X}"] = structure(octets(3, resumption), octets(4, bytes(32)), octets(5, bytes(12)))
            values["g/s/" + base64.b64encode(resumption).decode()] = structure(number(1, index, 1), number(2, node, 8))
        values["g/sri"] = b"\x16" + b"".join(sessions) + b"\x18"
        return values

    def attributes(self, label):
        return {
            (0, 29, 0): [{"0": 22, "1": 1}], (0, 29, 1): [29, 31, 40, 48, 62], (0, 29, 3): [1],
            (0, 40, 1): "Example", (0, 40, 2): VENDOR, (0, 40, 3): "Light", (0, 40, 4): PRODUCT, (0, 40, 5): label, (0, 40, 10): "1.0",
            (1, 29, 0): [{"0": TYPE, "1": 2}], (1, 29, 1): [3, 4, 6, 29], (1, 6, 0): False, (1, 6, 0xFFF9): [0, 1, 2],
        }


def ini(path, values, plain=()):
    def escaped(key):
        return "".join(f"\\x{ord(char):02x}" if char in " =\\" or not 33 <= ord(char) < 127 else char for char in key)

    lines = [f"{escaped(key)}={base64.b64encode(value).decode()}" for key, value in values.items()]
    path.write_text("[Default]\n" + "\n".join(lines + [f"{key}={value}" for key, value in plain]) + "\n", encoding="utf-8")


def chip_tool(fabric, folder):
    folder.mkdir(parents=True)
    ini(folder / "chip_tool_config.ini", fabric.sdk_values(1))
    ini(folder / f"chip_tool_config.{fabric.id}.ini", {
        **fabric.authority(0), "LocalNodeId": fabric.node.to_bytes(8, "little"), "CommissionerCATs": bytes(12),
    }, [("LoggingLevel", "Detail")])
    (folder / "chip_tool_history").write_text("pairing code 1 MT:ABC\n", encoding="utf-8")


def python(fabric, folder):
    folder.mkdir(parents=True)
    values = fabric.sdk_values(1) | fabric.authority(1)
    (folder / "chip.json").write_text(json.dumps({
        "repl-config": {"caList": {"1": [{"fabricId": fabric.id, "vendorId": VENDOR}]}},
        "sdk-config": {key: base64.b64encode(value).decode() for key, value in values.items()},
    }, indent=4), encoding="utf-8")
    nodes = {}
    for node, label in fabric.nodes.items():
        nodes[str(node)] = {
            "node_id": node, "date_commissioned": "2025-01-01T00:00:00", "last_interview": "2025-01-01T00:00:00",
            "interview_version": 6, "available": True, "is_bridge": False, "attribute_subscriptions": [],
            "attributes": {"/".join(map(str, path)): value for path, value in fabric.attributes(label).items()},
        }
    name = f"{int.from_bytes(fabric.compressed, 'big')}.json"
    # The newest is cut off; the one before is whole.
    whole = json.dumps({"vendor_info": {}, "last_node_id": max(fabric.nodes), "nodes": nodes})
    (folder / name).write_text(whole[:len(whole) // 2], encoding="utf-8")
    (folder / f"{name}.backup").write_text(whole, encoding="utf-8")


def special(kind, value):
    return json.dumps({"__object__": kind, "__value__": value}, separators=(",", ":"))


def blob(value):
    return special("Uint8Array", value.hex())


def large(value):
    return special("BigInt", str(value))


def matterjs_values(fabric):
    """(context, key) -> value."""
    own = fabric.pair("operational", fabric.noc)
    stored = {
        "fabricIndex": 1, "fabricId": large(fabric.id), "nodeId": large(fabric.node), "rootNodeId": large(fabric.node),
        "globalId": large(int.from_bytes(fabric.compressed, "big")), "rootPublicKey": blob(public_key(fabric.root)),
        "keyPair": {"publicKey": blob(own[:65]), "privateKey": blob(own[65:])}, "rootVendorId": VENDOR,
        "rootCert": blob(fabric.root), "identityProtectionKey": blob(fabric.keys["ipk"]),
        "operationalIdentityProtectionKey": blob(fabric.operational_ipk), "operationalCert": blob(fabric.noc), "label": "house",
        "operationalId": blob(fabric.compressed),
    }
    values = {
        ("fabrics", "fabrics"): [stored], ("fabrics", "nextFabricIndex"): 2,
        ("certificates", "rootCertId"): large(1), ("certificates", "rootCertBytes"): blob(fabric.root),
        ("certificates", "rootKeyPair"): {
            "publicKey": blob(public_key(fabric.root)), "privateKey": blob(fabric.keys["root"])},
    }
    for place, (node, label) in enumerate(fabric.nodes.items(), 1):
        peer = f"nodes.peer{place}.endpoints"
        values[f"{peer}.0.commissioning", "peerAddress"] = {"fabricIndex": 1, "nodeId": large(node)}
        for (endpoint, cluster, attribute), value in fabric.attributes(label).items():
            if (cluster, attribute) == (29, 0):
                value = [{"deviceType": entry["0"], "revision": entry["1"]} for entry in value]
            values[f"{peer}.{endpoint}.{cluster}", str(attribute)] = value
    return values


def js_file(fabric, folder):
    folder.mkdir(parents=True)
    for (context, key), value in matterjs_values(fabric).items():
        name = urllib.parse.quote(f"{context}.{key}", safe="-_.~")
        (folder / name).write_text(json.dumps(value), encoding="utf-8")
    (folder / "driver.json").write_text('{"kind": "file"}', encoding="utf-8")


def js_log(fabric, folder):
    (folder / "wal").mkdir(parents=True)
    (folder / "driver.json").write_text('{"kind": "wal"}', encoding="utf-8")
    data, late = {}, []
    for (context, key), value in matterjs_values(fabric).items():
        if context.startswith("nodes.peer2"):
            late.append({"op": "upd", "key": context, "values": {key: value}})
        else:
            data.setdefault(context, {})[key] = value
    with gzip.open(folder / "snapshot.json.gz", "wt", encoding="utf-8") as file:
        json.dump({"commitId": {"segment": 2, "offset": 0}, "ts": 1, "data": data}, file)
    gone = [{"op": "upd", "key": "nodes.peer9.endpoints.0.commissioning",
             "values": {"peerAddress": {"fabricIndex": 1, "nodeId": large(99)}}}]
    lines = [
        # The snapshot has this one already, and what came before.
        {"ts": 1, "ops": [{"op": "del", "key": "fabrics"}]},
        {"ts": 2, "ops": gone}, late, {"ts": 4, "ops": [{"op": "del", "key": "nodes.peer9"}]},
    ]
    with gzip.open(folder / "wal/00000001.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps({"ts": 0, "ops": [{"op": "del", "key": ""}]}) + "\n")
    # The last line was being written.
    (folder / "wal/00000002.jsonl").write_text("\n".join(map(json.dumps, lines)) + '\n{"ts":5,"ops":[{"op":"d', encoding="utf-8")


def js_database(fabric, folder):
    folder.mkdir(parents=True)
    (folder / "driver.json").write_text('{"kind": "sqlite"}', encoding="utf-8")
    database = sqlite3.connect(folder / "storage.db")
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA wal_autocheckpoint=0")
    database.execute("CREATE TABLE kvstore (context TEXT, key TEXT, value_type TEXT, value_json TEXT, value_blob BLOB, "
                     "PRIMARY KEY (context, key))")
    database.executemany("INSERT INTO kvstore VALUES (?, ?, 'json', ?, NULL)", [
        (context, key, json.dumps(value)) for (context, key), value in matterjs_values(fabric).items()])
    database.commit()
    # It stays open, so that all of it is in the log beside the database.
    return database


def merged(fabrics):
    """The SDK's values of several fabrics, in one store: lists of all of them are one."""
    all_values = [fabric.sdk_values(index) for index, fabric in enumerate(fabrics, 1)]
    values = {}
    for some in all_values:
        values |= some
    indices = b"".join(bytes([0x04, index]) for index in range(1, len(fabrics) + 1))
    values["g/fidx"] = structure(number(0, len(fabrics) + 1, 1), array(1, indices))
    values["g/sri"] = b"\x16" + b"".join(some["g/sri"][1:-1] for some in all_values) + b"\x18"
    return values


def several(fabrics, folder):
    """Stores with several fabrics: chip-tool's has a file for each of its identities, the other one a list of authorities."""
    for name in ("chip-tool", "python"):
        (folder / name).mkdir(parents=True)
    ini(folder / "chip-tool/chip_tool_config.ini", merged(fabrics))
    values = merged(fabrics)
    for index, fabric in enumerate(fabrics, 1):
        ini(folder / f"chip-tool/chip_tool_config.{fabric.id}.ini", {
            **fabric.authority(0), "LocalNodeId": fabric.node.to_bytes(8, "little"), "CommissionerCATs": bytes(12)})
        values |= fabric.authority(index)
        (folder / f"ipk-{fabric.id}").write_bytes(fabric.keys["ipk"])
    authorities = {str(index): [{"fabricId": fabric.id, "vendorId": VENDOR}] for index, fabric in enumerate(fabrics, 1)}
    (folder / "python/chip.json").write_text(json.dumps({
        "repl-config": {"caList": authorities},
        "sdk-config": {key: base64.b64encode(value).decode() for key, value in values.items()}}), encoding="utf-8")


def make_old(folder):
    hour_ago = time.time() - 3600
    for path in folder.rglob("*"):
        os.utime(path, (hour_ago, hour_ago))


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__.strip())
    if sys.argv[1] == "--several":
        home, folder = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
        end = sys.argv.index("--")
        words = [word.split(":", 1) for word in sys.argv[end + 1:]]
        several([
            Fabric(home, name, {int(node): label for fabric, word in words if fabric == name
                                for node, label in [word.split("=", 1)]})
            for name in sys.argv[4:end]], folder)
        make_old(folder)
        return
    nodes = dict(word.split("=", 1) for word in sys.argv[4:])
    fabric = Fabric(pathlib.Path(sys.argv[1]), sys.argv[2], {int(node): label for node, label in nodes.items()})
    folder = pathlib.Path(sys.argv[3])
    chip_tool(fabric, folder / "chip-tool")
    python(fabric, folder / "python")
    js_file(fabric, folder / "js-file/server")
    js_log(fabric, folder / "js-log/server-1-fff1")
    database = js_database(fabric, folder / "js-database/server")
    (folder / "ipk").write_bytes(fabric.keys["ipk"])
    make_old(folder)
    sys.stdout.flush()
    if database.in_transaction:
        sys.exit("the database was not written")
    # Without closing the database, which would empty its log.
    os._exit(0)


main()
