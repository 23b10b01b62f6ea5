#!/usr/bin/env python3
"""Compares what two servers answered to the same steps of ha_client.py, field by field.

    Tests/Lab/ha_compare.py OURS.jsonl THEIRS.jsonl      prints the differences; exit code 1 if there is one
    Tests/Lab/ha_compare.py --self-test

The outputs are those of `ha_client.py --full`. `compare(ours, theirs)` does the work. Values that no two runs share (times, ids, keys, codes)
must have the same form; what python-matter-server answers and we do not want is in the table DIFFERENT, with the reason.
"""

import json
import re
import sys

# Places whose values differ between two runs: same types, same keys, and for lists the same number of entries.
FORM = [
    r".*\.(date_commissioned|last_interview|fabric_id|compressed_fabric_id|sdk_version|node_id)",
    r".*\.setup_(pin_code|manual_code|setup_qr_code|qr_code)",
    r".*\.mac_address", r".*\.(timestamp|event_number)",
    # Access: the subject is the controller.
    r".*\.0/31/0\[\d+\]\.3\[\d+\]",
    # UniqueID, of the node and of the devices behind a bridge.
    r".*\.0/40/18", r".*[. ]\d+/57/18",
    # Network interfaces: the device draws its hardware address.
    r".*\.0/51/0\[\d+\]\.4",
    # Reboots and the time since.
    r".*\.0/51/[12]",
    # Our fabric: certificates, keys, ids, and the label that the server gives it.
    r".*\.0/62/(0|1|4)\[\d+\]\.\d+", r".*\.0/62/4\[\d+\]", r".*\.fabrics.*\.fabric_id",
    # The time.
    r".*\.0/56/0", r".*\.0/56/7",
    # Vendor names: theirs are those of the ledger, which the laboratory does not have.
    r"vendor-names\.result\.\d+",
]
# Places that are not compared, as the answers are not wanted: (place, reason).
DIFFERENT = [
    (r".*\.details", "the words are free"),
    (r"ping\.result\..*", "theirs needs a program `ping`, which the laboratory does not have"),
    (r"discover\.result.*\.(addresses|host_name|port|instance_name|rotating_id|mrp_.*|pairing_.*|supports_tcp|long_discriminator)",
     "drawn at random, or not told by both"),
    (r"read\.result\.1/6/9999", "theirs answers with a text of the SDK for an attribute that is not there"),
    (r"diagnostics\.result\.events.*", "the last 25 events, which the run decides"),
    (r".*\.0/62/1\[\d+\]\.5", "the label of our fabric"),
    (r".*\.0/62/0\[\d+\]\.2", "theirs has an intermediate authority, our own authority has none"),
    (r".*\.0/51/10\.[34]", "counts of the messages that the device has had"),
    (r"raw\.result\.attributes\.0/29/3", "theirs keeps the list of parts until the next interview when a bridge loses one"),
    (r"diagnostics\.result\.active_fabrics\[\d+\]\.fabric_label", "ours writes the label at once, theirs with the next interview"),
    (r"happened\.events\[\d+\]\.data\.adminNodeID", "the node id of the controller"),
    (r"happened\.events\[\d+\]\.data\.latestValue\.auxiliaryType", "a field of Matter 1.5, which theirs does not know"),
]
# Steps that theirs refuses with another number: (verb, theirs, ours, reason).
OTHER_CODES = [
    ("write", 0, 8, "theirs lets the type error through as unknown"),
    ("command", 0, 7, "theirs lets the refusal of a device through as unknown"),
    ("read", None, 7, "theirs answers with a text of the SDK for an endpoint that is gone"),
]
# Attributes that one run reports and another does not, as they change with time.
# A list is emptied and filled; either may be the last that is told of one that is emptied again.
RESTLESS = re.compile(r"(\d+/30/0|0/51/[12]|0/56/.*|0/62/.*|0/31/.*|0/48/0|0/60/.*|0/63/.*|0/40/18|\d+/8/1|\d+/3/0)")


def matches(place, patterns):
    return any(re.fullmatch(pattern, place) for pattern in patterns)


def kind(value):
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


def show(value):
    return json.dumps(value)[:160]


def differences(ours, theirs, place):
    """How two values differ: lines that name the place."""
    if matches(place, [pattern for pattern, _ in DIFFERENT]):
        return []
    if kind(ours) != kind(theirs):
        return [f"{place}: ours is {show(ours)}, theirs {show(theirs)}"]
    if isinstance(ours, dict):
        found = []
        for key in sorted(set(ours) | set(theirs)):
            inside = f"{place}.{key}"
            if key not in ours or key not in theirs:
                if not matches(inside, [pattern for pattern, _ in DIFFERENT]):
                    found.append(f"{inside}: only {'theirs' if key not in ours else 'ours'} has it")
                continue
            found += differences(ours[key], theirs[key], inside)
        return found
    if isinstance(ours, list):
        if len(ours) != len(theirs):
            return [f"{place}: ours has {len(ours)} entries, theirs {len(theirs)}: {show(ours)} / {show(theirs)}"]
        return [line for index, pair in enumerate(zip(ours, theirs)) for line in differences(*pair, f"{place}[{index}]")]
    if isinstance(ours, int) != isinstance(theirs, int):
        return [f"{place}: ours is {ours!r}, theirs {theirs!r}: one is written with a fraction"]
    if ours == theirs or matches(place, FORM):
        return []
    return [f"{place}: ours is {show(ours)}, theirs {show(theirs)}"]


def distinct(items):
    """Devices that were found, each once; theirs tells of one for each address."""
    found = {}
    for item in items:
        found.setdefault((item.get("instance_name"), item.get("port")), item)
    return list(found.values())


def step(ours, theirs):
    verb = theirs["verb"]
    if verb == "wait":
        # What was waited for is compared with the events.
        return []
    ours_error, theirs_error = ours.get("error"), theirs.get("error")
    if ours_error or theirs_error:
        codes = [error and error["code"] for error in (ours_error, theirs_error)]
        if codes[0] == codes[1] or any((verb, codes[1], codes[0]) == known[:3] for known in OTHER_CODES):
            return []
        return [f"step {theirs['step']} {verb}: ours is {show(ours_error or ours.get('result'))}, "
                f"theirs {show(theirs_error or theirs.get('result'))}"]
    pair = [ours.get("result"), theirs.get("result")]
    if verb == "discover":
        # Which devices are open just then is chance; the form of what is told of them is not.
        forms = [{key: kind(value) for key, value in (distinct(items) or [{}])[0].items()} for items in pair]
        # A device need not tell all of it.
        untold = {key for form in forms for key, known in form.items() if known == kind(None)}
        pair = [{key: known for key, known in form.items() if key not in untold} for form in forms]
    if verb in ("write", "acl", "binding"):
        # Theirs tells of a list that is emptied and filled twice.
        pair = [items and [item for index, item in enumerate(items) if item not in items[:index]] for items in pair]
    if verb == "ips":
        pair = [sorted(items) for items in pair]
    if verb == "diagnostics":
        # In the order in which mDNS answers.
        for item in pair:
            if isinstance(item, dict) and isinstance(item.get("ip_adresses"), list):
                item["ip_adresses"].sort()
    return [f"step {theirs['step']} {line}" for line in differences(*pair, f"{verb}.result")]


def events(lines):
    """What happened, in forms that two runs share: the last value of each attribute, the events of devices in their order, the
    coming and going of nodes."""
    values, happenings, nodes, known = {}, [], [], {}
    # Each node as it was told last, and what was told of it with an endpoint that came.
    told, come = {}, []

    def named(number):
        return known.setdefault(number, f"node{len(known) + 1}")

    for line in lines:
        name, data = line.get("event"), line.get("data")
        if name == "attribute_updated":
            if not RESTLESS.fullmatch(data[1]):
                values[f"{named(data[0])} {data[1]}"] = data[2]
        elif name == "node_event":
            happenings.append({**data, "node_id": named(data["node_id"])})
        elif name in ("node_added", "node_removed"):
            nodes.append([name, named(data if name == "node_removed" else data["node_id"])])
            if name == "node_added":
                told[data["node_id"]] = data
        elif name == "node_updated":
            told[data["node_id"]] = data
        elif name == "endpoint_removed":
            nodes.append([name, named(data["node_id"]), data["endpoint_id"]])
        elif name == "endpoint_added":
            node = told.get(data["node_id"], {})
            # A client makes its entities from the attributes that it has then.
            nodes.append([name, named(data["node_id"]), data["endpoint_id"], sorted(
                path for path in node.get("attributes", {}) if path.startswith(f"{data['endpoint_id']}/"))])
            come.append(node)
    return {"values": values, "events": happenings, "nodes": nodes, "come": come}


def compare(ours, theirs):
    """The differences between two outputs of the driver, as lists of its lines, in words."""
    found = differences(
        *[next((line["server"] for line in lines if "ready" in line), None) for lines in (ours, theirs)], "server")
    by_step = [{line["step"]: line for line in lines if "step" in line} for lines in (ours, theirs)]
    if set(by_step[0]) != set(by_step[1]):
        found.append(f"the steps differ: ours has {len(by_step[0])}, theirs {len(by_step[1])}")
    for number in sorted(set(by_step[0]) & set(by_step[1])):
        found += step(by_step[0][number], by_step[1][number])
    happened = [events(lines) for lines in (ours, theirs)]
    # A value that is read again at the right time is not reported by one of them; the steps wait for those that matter.
    common = set(happened[0]["values"]) & set(happened[1]["values"])
    for one in happened:
        one["values"] = {place: one["values"][place] for place in common}
    found += differences(*happened, "happened")
    for lines, name in ((ours, "ours"), (theirs, "theirs")):
        found += [f"{name}: {show(line)}" for line in lines if "failure" in line or "unmet" in line or "closed" in line]
    # The client says so of values that it cannot read.
    found += [f"ours: {show(line)}" for line in ours if "log" in line]
    return found


def self_test():
    theirs = [
        {"ready": "client", "server": {"fabric_id": 1, "schema_version": 11}, "nodes": []},
        {"event": "node_added", "data": {"node_id": 1}},
        {"step": 1, "verb": "commission", "result": {"node_id": 1, "last_interview": "2026-01-31T08:15:30", "attributes": {
            "0/40/18": "A", "1/6/0": True, "1/8/0": 100, "0/29/0": [{"0": 22, "1": 1}]}}},
        {"event": "attribute_updated", "data": [1, "1/6/0", True]},
        {"event": "node_event", "data": {"node_id": 1, "event_number": 1, "data": {"newPosition": 1}}},
        {"step": 2, "verb": "raw", "error": {"type": "NodeNotExists", "code": 5, "details": "no"}},
        {"step": 3, "verb": "write", "error": {"type": "UnknownError", "code": 0, "details": "no"}},
        {"step": 4, "verb": "command", "result": {"status": 0, "groupID": 3}},
        {"event": "node_updated", "data": {"node_id": 1, "attributes": {"4/6/0": True, "4/57/18": "A"}}},
        {"event": "endpoint_added", "data": {"node_id": 1, "endpoint_id": 4}},
        {"event": "endpoint_removed", "data": {"node_id": 1, "endpoint_id": 3}},
    ]

    def changed(index, path, value):
        lines = json.loads(json.dumps(theirs))
        inside = lines[index]
        for key in path[:-1]:
            inside = inside[key]
        if value is None:
            del inside[path[-1]]
        else:
            inside[path[-1]] = value
        return lines

    attributes = ["result", "attributes"]
    same = [
        changed(0, ["server", "fabric_id"], 7), changed(2, ["result", "last_interview"], "2027-01-31T08:15:30"),
        changed(2, [*attributes, "0/40/18"], "B"), changed(5, ["error", "details"], "other"), changed(6, ["error", "code"], 8),
        changed(8, ["data", "attributes", "4/57/18"], "B"),
    ]
    other = [
        changed(0, ["server", "fabric_id"], "1"), changed(0, ["server", "schema_version"], 12), changed(1, ["event"], "node_gone"),
        changed(2, [*attributes, "1/6/0"], False), changed(2, [*attributes, "1/6/0"], 1), changed(2, [*attributes, "1/8/0"], 100.0),
        changed(2, [*attributes, "1/8/0"], None), changed(2, [*attributes, "9/9/9"], 1), changed(2, [*attributes, "0/40/18"], 5),
        changed(2, [*attributes, "0/29/0"], []), changed(2, [*attributes, "0/29/0"], [{"0": 22, "deviceType": 1}]),
        changed(3, ["data", 2], False), changed(4, ["data", "data"], {"0": 1}), changed(4, ["event"], "other"),
        changed(5, ["error", "code"], 3), changed(6, ["error", "code"], 1), changed(7, ["result", "groupID"], 4),
        changed(7, ["result"], {"status": 0, "groupId": 3}),
        changed(8, ["data", "attributes", "4/6/0"], False), changed(8, ["data", "attributes", "4/6/0"], None),
        changed(8, ["event"], "other"), changed(9, ["data", "endpoint_id"], 5), changed(9, ["event"], "other"),
        changed(10, ["data", "endpoint_id"], 4), theirs[:-1], theirs[:8] + theirs[10:], [*theirs, {"log": "warning", "text": "invalid"}],
        [*theirs, {"failure": "KeyError"}],
    ]
    failures = [f"a difference that is none: {compare(lines, theirs)}" for lines in [theirs, *same] if compare(lines, theirs)]
    failures += [f"not noticed: {show(lines)}" for lines in other if not compare(lines, theirs)]
    for failure in failures:
        print(failure)
    print(f"{len(same) + len(other) + 1} comparisons, {len(failures)} failures")
    return 1 if failures else 0


def read(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines if line.strip()]


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    found = compare(read(sys.argv[1]), read(sys.argv[2]))
    for line in found:
        print(line)
    print(f"{len(found)} differences", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
