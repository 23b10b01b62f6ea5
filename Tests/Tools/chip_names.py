#!/usr/bin/env python3
"""Writes the names that an installed `chip.clusters` has, to compare with those of HouseServer.

    .peers/bin/python Tests/Tools/chip_names.py names.json

The suite FieldSpellingTests runs it by itself. The output is a list of {"cluster": number, "clusterName": …, "kind":
request|response|event|struct, "id": number (or null for a struct), "name": …, "fields": {"tag": "label"}}.
"""

import json
import sys

import chip.clusters.Objects  # noqa: F401  (fills the tables below)
from chip.clusters import ClusterObjects


def fields(kind):
    return {str(field.Tag): field.Label for field in kind.descriptor.Fields}


def main():
    tables = [
        ("request", ClusterObjects.ALL_ACCEPTED_COMMANDS), ("response", ClusterObjects.ALL_GENERATED_COMMANDS),
        ("event", getattr(ClusterObjects, "ALL_EVENTS", {})),
    ]
    names = []
    for number, cluster in sorted(ClusterObjects.ALL_CLUSTERS.items()):
        def add(kind, number_of_it, name, element):
            names.append({
                "cluster": number, "clusterName": cluster.__name__, "kind": kind, "id": number_of_it, "name": name,
                "fields": fields(element)})
        for kind, table in tables:
            for number_of_it, element in sorted(table.get(number, {}).items()):
                add(kind, number_of_it, element.__name__, element)
        for name, element in vars(getattr(cluster, "Structs", object)).items():
            if isinstance(element, type) and hasattr(element, "descriptor"):
                add("struct", None, name, element)
    with open(sys.argv[1], "w") as output:
        json.dump(names, output)


if __name__ == "__main__":
    main()
