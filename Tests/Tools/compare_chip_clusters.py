#!/usr/bin/env python3
"""Writes encodings made by the official controller's Python definitions, for MatterDataModelTests to compare with ours.

    .peers/bin/python Tests/Tools/compare_chip_clusters.py cases.jsonl

The suite ChipClusters runs it by itself. Every command, attribute and event that chip.clusters knows gets several cases
with random values from a fixed seed: one JSON object per line with the ids, the value as JSON and the TLV that chip.tlv
makes of it. Enums and bitmaps are given by name in half of the cases.
"""

import argparse
import enum
import json
import pathlib
import random
import struct
import sys
import typing

import chip.clusters.Objects  # noqa: F401  (fills the tables below)
from chip import tlv
from chip.clusters import ClusterObjects
from chip.clusters.Types import Nullable, NullValue

EXACT = 1 << 53
SIGNED = [0, 1, -1, 127, -128, 128, -129, 32767, -32768, 32768, 2**31 - 1, -(2**31), 2**31, 2**63 - 1, -(2**63)]
UNSIGNED = [0, 1, 254, 255, 256, 65535, 65536, 2**32 - 1, 2**32, EXACT, EXACT + 1, 2**64 - 1]
TEXTS = ["", "a", "kitchen light", "null", "hex:00", "50%", "Küche ☃ 💡", "tab\tquote\"back\\slash", "x" * 300]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def number(self, edges, bits, signed):
        if self.random.random() < 0.4:
            return self.random.choice(edges)
        width = self.random.choice([7, 8, 15, 16, 31, 32, 53, bits])
        value = self.random.getrandbits(min(width, bits))
        if signed:
            value = value >> 1 if value >= 2**63 else value
            return -value if self.random.random() < 0.5 else value
        return value

    def json_number(self, value):
        # Ids beyond 2^53 are decimal strings; hexadecimal is as good.
        if abs(value) > EXACT:
            return str(value) if value < 0 or self.random.random() < 0.5 else hex(value)
        return value

    def names(self, kind, values):
        return [value.name[1:] for value in values]

    def value(self, kind):
        """A value for chip.clusters and the same as JSON."""
        arguments = typing.get_args(kind)
        if typing.get_origin(kind) is typing.Union:
            real = [argument for argument in arguments if argument not in (type(None), Nullable)][0]
            if Nullable in arguments and self.random.random() < 0.25:
                return NullValue, None
            return self.value(real)
        if typing.get_origin(kind) is list:
            pairs = [self.value(arguments[0]) for _ in range(self.random.choice([0, 1, 1, 2, 3]))]
            return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        if issubclass(kind, ClusterObjects.ClusterObject):
            return self.structure(kind)
        if issubclass(kind, enum.IntFlag):
            chosen = [flag for flag in kind if self.random.random() < 0.4]
            # Several bits that hold a number have no plain name.
            named = self.random.random() < 0.5 and all(bin(flag.value).count("1") == 1 for flag in chosen)
            value = kind(0)
            for flag in chosen:
                value |= flag
            return value, self.names(kind, chosen) if named else int(value)
        if issubclass(kind, enum.Enum):
            known = [member for member in kind if member.name != "kUnknownEnumValue"]
            member = self.random.choice(known or list(kind))
            named = known and self.random.random() < 0.5
            return member, member.name[1:] if named else int(member)
        if issubclass(kind, bool):
            flag = self.random.random() < 0.5
            return flag, flag
        if issubclass(kind, tlv.uint):
            value = self.number(UNSIGNED, 64, False)
            return kind(value), self.json_number(value)
        if issubclass(kind, int):
            value = self.number(SIGNED, 64, True)
            return value, self.json_number(value)
        if issubclass(kind, tlv.float32):
            wide = self.random.choice([0.0, -1.5, 21.3, 1e30, self.random.uniform(-1e4, 1e4)])
            value = struct.unpack("<f", struct.pack("<f", wide))[0]
            return tlv.float32(value), value
        if issubclass(kind, float):
            value = self.random.choice([0.0, -1.5, 21.3, 1e300, self.random.uniform(-1e9, 1e9)])
            return value, value
        if issubclass(kind, str):
            text = self.random.choice(TEXTS)
            return text, text
        if issubclass(kind, bytes):
            octets = self.random.randbytes(self.random.choice([0, 1, 8, 16, 32, 300]))
            return octets, "hex:" + octets.hex().upper()
        sys.exit(f"no values for {kind}")

    def structure(self, kind):
        data, result = {}, {}
        for field in kind.descriptor.Fields:
            optional = typing.get_origin(field.Type) is typing.Union and type(None) in typing.get_args(field.Type)
            if optional and self.random.random() < 0.4:
                continue
            data[field.Label], result[field.Label] = self.value(field.Type)
        return data, result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=4, help="cases per element")
    options = parser.parse_args()
    generator = Generator(options.seed)
    tables = [
        ("request", ClusterObjects.ALL_ACCEPTED_COMMANDS), ("response", ClusterObjects.ALL_GENERATED_COMMANDS),
        ("attribute", ClusterObjects.ALL_ATTRIBUTES), ("event", ClusterObjects.ALL_EVENTS),
    ]
    with options.output.open("w") as output:
        for kind, table in tables:
            for cluster in sorted(table):
                for number in sorted(table[cluster]):
                    element = table[cluster][number]
                    for _ in range(options.repeat):
                        if kind == "attribute":
                            field = element.attribute_type
                            value, result = generator.value(field.Type)
                            writer = tlv.TLVWriter()
                            field.PutFieldToTLV(None, value, writer, "")
                            encoding = writer.encoding
                        else:
                            value, result = generator.structure(element)
                            encoding = element.descriptor.DictToTLV(value)
                        output.write(json.dumps({
                            "kind": kind, "cluster": cluster,
                            "clusterName": ClusterObjects.ALL_CLUSTERS[cluster].__name__,
                            "id": number, "name": element.__name__,
                            "json": result, "tlv": bytes(encoding).hex(),
                        }) + "\n")


if __name__ == "__main__":
    main()
