#!/usr/bin/env python3
"""Encodes commands and attributes with the official controller's Python definitions, to compare what our verbs send.

    .peers/bin/python Tests/Tools/encode_with_chip.py cases.json encodings.json

The suite VerbEncodingTests runs it by itself. The input is a list of {"cluster": "DoorLock", "command": "LockDoor",
"fields": {"PINCode": "hex:31"}} or {"cluster": …, "attribute": …, "value": …}, by the names of chip.clusters; the output
is a list with the ids and the TLV of each.
"""

import json
import sys
import typing

from chip import tlv
from chip.clusters import ClusterObjects, Objects
from chip.clusters.Types import Nullable, NullValue


def value(kind, given):
    """A value of chip.clusters for one of JSON."""
    if typing.get_origin(kind) is typing.Union:
        if given is None:
            return NullValue
        real = [argument for argument in typing.get_args(kind) if argument not in (type(None), Nullable)]
        return value(real[0], given)
    if typing.get_origin(kind) is list:
        return [value(typing.get_args(kind)[0], item) for item in given]
    if issubclass(kind, ClusterObjects.ClusterObject):
        return structure(kind, given)
    if issubclass(kind, bytes):
        return bytes.fromhex(given.removeprefix("hex:"))
    return kind(given)


def structure(kind, given):
    types = {field.Label: field.Type for field in kind.descriptor.Fields}
    unknown = set(given) - set(types)
    if unknown:
        sys.exit(f"{kind.__name__} has no {unknown}")
    return {label: value(types[label], given[label]) for label in given}


def encoded(case):
    cluster = getattr(Objects, case["cluster"])
    if "attribute" in case:
        attribute = getattr(cluster.Attributes, case["attribute"])
        writer = tlv.TLVWriter()
        field = attribute.attribute_type
        field.PutFieldToTLV(None, value(field.Type, case["value"]), writer, "")
        return {"cluster": cluster.id, "id": attribute.attribute_id, "tlv": bytes(writer.encoding).hex()}
    command = getattr(cluster.Commands, case["command"])
    encoding = command.descriptor.DictToTLV(structure(command, case["fields"]))
    return {
        "cluster": cluster.id, "id": command.command_id, "tlv": bytes(encoding).hex(),
        "timed": command.must_use_timed_invoke,
    }


def main():
    with open(sys.argv[1]) as cases, open(sys.argv[2], "w") as output:
        json.dump([encoded(case) for case in json.load(cases)], output)


if __name__ == "__main__":
    main()
