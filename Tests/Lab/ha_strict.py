#!/usr/bin/env python3
"""A client of Home Assistant's Matter interface that forgives nothing, to judge a server by what it sends.

    .peers/ha8/bin/python Tests/Lab/ha_strict.py URL [--seconds S] [--stall S] [--counter EP/CL/ATTR]
    python3 Tests/Lab/ha_strict.py --self-test

URL is `ws://HOST:PORT/ws` or `unix:PATH`. It connects, listens, and sends the commands that come on stdin, one JSON object in a line:
`{"command": "device_command", "args": {…}}`, and `{"sleep": 2}`. stdout has JSON lines: `ready` once it listens, `answer` for each
command, `event` for each event (nodes without their attributes), `violation` with the name of the rule that was broken, and a `summary`
at the end. It ends S seconds after the input, or once the server closes. Exit code 1 if a rule was broken, 5 without a connection.

The rules are those of section 6 of ../shared/reference/matter/19-websocket-server.md, by these names, and the forms of its other sections:

    snapshot-first        nothing comes between start_listening and its answer
    known-nodes           attribute_updated and the like only for nodes that were announced, and nothing after node_removed
    known-events          only event names of schema 11; others end the older clients' loop
    endpoint-values       the value of an endpoint that was not announced yet is in the next node_updated
    endpoint-order        endpoint_added follows a node_updated that has the endpoint
    value-order           the values of a --counter never go back; event numbers of a node grow and never repeat
    quiet-shutdown        no node becomes unavailable right before server_shutdown, and nothing follows it
    server-info-first, envelope, node-form, event-form, json
"""

import argparse
import asyncio
import datetime
import json
import re
import sys
import time
import uuid

INFO = {
    "fabric_id": int, "compressed_fabric_id": int, "schema_version": int, "min_supported_schema_version": int,
    "sdk_version": str, "wifi_credentials_set": bool, "thread_credentials_set": bool, "bluetooth_enabled": bool,
}
NODE = {
    "node_id": int, "date_commissioned": str, "last_interview": str, "interview_version": int, "available": bool,
    "is_bridge": bool, "attributes": dict, "attribute_subscriptions": list,
}
NODE_EVENT = {
    "node_id": int, "endpoint_id": int, "cluster_id": int, "event_id": int, "event_number": int, "priority": int,
    "timestamp": int, "timestamp_type": int,
}
EVENTS = {
    "node_added", "node_updated", "node_removed", "node_event", "attribute_updated", "server_shutdown",
    "server_info_updated", "endpoint_added", "endpoint_removed",
}
PATH = re.compile(r"(0|[1-9]\d*)/(0|[1-9]\d*)/(0|[1-9]\d*)")
ROOT_NODE = 22
DESCRIPTOR = 29
# So long before the shutdown no node may become unavailable.
SHUTDOWN_SECONDS = 1.0


def is_a(value, kind):
    """A Boolean is an int in Python, and no number in JSON."""
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


class Checker:
    """What a server has sent so far, and how it broke the rules. No connection of its own."""

    def __init__(self, counter=None):
        self.counter = counter
        self.violations = []
        self.pending = {}
        self.listening_id = None
        self.is_listening = self.has_info = self.is_over = False
        self.nodes, self.removed = {}, set()
        self.endpoint_values, self.event_numbers, self.counted = {}, {}, {}
        self.unavailable_at = None
        self.counts = {"messages": 0, "repeated": 0}

    def broken(self, rule, text):
        self.violations.append({"violation": rule, "text": text})

    # Sending

    def request(self, command, arguments=None):
        """The text of a request, whose answer is awaited from now on."""
        number = uuid.uuid4().hex
        self.pending[number] = command
        if command == "start_listening":
            self.listening_id = number
        return json.dumps({"message_id": number, "command": command, "args": arguments}), number

    # Receiving

    def receive(self, text, now):
        """Judges a message; returns it, or None if it is no JSON object."""
        self.counts["messages"] += 1
        if self.is_over:
            self.broken("quiet-shutdown", f"a message after server_shutdown: {text[:200]}")
        try:
            message = json.loads(text, parse_constant=lambda name: self.broken("json", f"{name} is not JSON"))
        except ValueError as error:
            self.broken("json", f"{error}: {text[:200]}")
            return None
        if not isinstance(message, dict):
            self.broken("envelope", f"no object: {text[:200]}")
            return None
        if not self.has_info:
            self.has_info = True
            if self.form(message, INFO, "server-info-first", "the first message"):
                if message["schema_version"] < 11 or message["min_supported_schema_version"] > 11:
                    self.broken("server-info-first", "the versions do not include 11")
            return message
        if "event" in message:
            self.event(message, now)
        elif "message_id" in message:
            self.answer(message)
        else:
            self.broken("envelope", f"neither event nor answer: {text[:200]}")
        return message

    def answer(self, message):
        number = message["message_id"]
        command = self.pending.pop(number, None)
        if command is None:
            self.broken("envelope", f"an answer to no request, or a second one: {json.dumps(message)[:200]}")
            return
        if self.listening_id is not None and not self.is_listening and number != self.listening_id:
            self.broken("snapshot-first", f"the answer to {command} came before that to start_listening")
        if "error_code" in message:
            if set(message) - {"message_id", "error_code", "details", "status", "cluster_status", "reason"}:
                self.broken("envelope", f"an error with other keys: {sorted(message)}")
            if not is_a(message["error_code"], int) or not 0 <= message["error_code"] <= 11:
                self.broken("envelope", f"{command}: error {message['error_code']} ends the older clients' loop")
            if not (message.get("details") is None or isinstance(message["details"], str)):
                self.broken("envelope", f"{command}: details are no text")
            return
        if set(message) != {"message_id", "result"}:
            self.broken("envelope", f"{command}: an answer with the keys {sorted(message)}")
        if number == self.listening_id:
            self.is_listening = True
            for node in message.get("result") or []:
                self.node(node, "start_listening")

    def event(self, message, now):
        if set(message) != {"event", "data"}:
            self.broken("envelope", f"an event with the keys {sorted(message)}")
        name, data = message["event"], message.get("data")
        self.counts[name] = self.counts.get(name, 0) + 1
        if not self.is_listening:
            self.broken("snapshot-first", f"{name} came before the answer to start_listening")
        if name not in EVENTS:
            self.broken("known-events", f"{name!r} is no event of schema 11")
            return
        getattr(self, "on_" + name)(data, now)

    def on_node_added(self, data, now):
        if self.node(data, "node_added"):
            self.removed.discard(data["node_id"])

    def on_node_updated(self, data, now):
        known = dict(self.nodes)
        if not self.node(data, "node_updated"):
            return
        number = data["node_id"]
        if number in self.removed:
            self.broken("known-nodes", f"node_updated after node_removed of {number}")
        if not data["available"] and known.get(number, {}).get("available"):
            self.unavailable_at = now
        for path in self.endpoint_values.pop(number, {}):
            if path not in data["attributes"]:
                self.broken("endpoint-values", f"node {number}: {path} was told, and is not in node_updated")

    def on_node_removed(self, data, now):
        if not is_a(data, int):
            self.broken("event-form", f"node_removed has {data!r}, no number")
            return
        if data not in self.nodes:
            self.broken("known-nodes", f"node_removed of {data}, which is not known")
        self.nodes.pop(data, None)
        self.endpoint_values.pop(data, None)
        self.event_numbers.pop(data, None)
        self.removed.add(data)

    def on_attribute_updated(self, data, now):
        if not isinstance(data, list) or len(data) != 3 or not is_a(data[0], int) or not isinstance(data[1], str):
            self.broken("event-form", f"attribute_updated has {json.dumps(data)[:200]}")
            return
        number, path, value = data
        if not PATH.fullmatch(path):
            self.broken("event-form", f"attribute_updated of {path!r}")
            return
        node = self.nodes.get(number)
        if node is None:
            self.broken("known-nodes", f"attribute_updated of node {number}, which is not known")
            return
        if int(path.split("/")[0]) not in endpoints(node):
            self.endpoint_values.setdefault(number, {})[path] = value
            return
        if path in node["attributes"] and node["attributes"][path] == value:
            self.counts["repeated"] += 1
        node["attributes"][path] = value
        if path == self.counter:
            if value < self.counted.get(number, value):
                self.broken("value-order", f"node {number}: {path} went from {self.counted[number]} to {value}")
            self.counted[number] = value

    def on_node_event(self, data, now):
        if not self.form(data, NODE_EVENT, "event-form", "node_event"):
            return
        if not (data.get("data") is None or isinstance(data["data"], dict)) or "data" not in data:
            self.broken("event-form", f"node_event: data is {data.get('data')!r}")
        if not 0 <= data["priority"] <= 2 or not 0 <= data["timestamp_type"] <= 2:
            self.broken("event-form", f"node_event: priority {data['priority']}, time {data['timestamp_type']}")
        number = data["node_id"]
        if number not in self.nodes:
            self.broken("known-nodes", f"node_event of node {number}, which is not known")
        last = self.event_numbers.get(number)
        if last is not None and data["event_number"] <= last:
            self.broken("value-order", f"node {number}: event {data['event_number']} after {last}")
        self.event_numbers[number] = data["event_number"]

    def on_endpoint_added(self, data, now):
        if not self.form(data, {"node_id": int, "endpoint_id": int}, "event-form", "endpoint_added"):
            return
        node = self.nodes.get(data["node_id"])
        if node is None or data["endpoint_id"] not in endpoints(node):
            self.broken("endpoint-order", f"endpoint_added {json.dumps(data)} before the node has it")

    def on_endpoint_removed(self, data, now):
        if not self.form(data, {"node_id": int, "endpoint_id": int}, "event-form", "endpoint_removed"):
            return
        node = self.nodes.get(data["node_id"])
        if node is None:
            self.broken("known-nodes", f"endpoint_removed of node {data['node_id']}, which is not known")
            return
        prefix = f"{data['endpoint_id']}/"
        node["attributes"] = {path: value for path, value in node["attributes"].items() if not path.startswith(prefix)}

    def on_server_info_updated(self, data, now):
        self.form(data, INFO, "event-form", "server_info_updated")

    def on_server_shutdown(self, data, now):
        if self.unavailable_at is not None and now - self.unavailable_at < SHUTDOWN_SECONDS:
            self.broken("quiet-shutdown", "a node became unavailable right before server_shutdown")
        self.is_over = True

    # Forms

    def form(self, value, kinds, rule, place):
        if not isinstance(value, dict):
            self.broken(rule, f"{place} is no object: {json.dumps(value)[:200]}")
            return False
        wrong = [key for key, kind in kinds.items() if not is_a(value.get(key), kind)]
        if wrong:
            self.broken(rule, f"{place}: {', '.join(f'{key} is {value.get(key)!r}' for key in wrong)[:300]}")
        return not wrong

    def node(self, node, place):
        """Judges a node object, and keeps it."""
        if not self.form(node, NODE, "node-form", place):
            return False
        number = node["node_id"]
        place = f"{place}, node {number}"
        for key in ("date_commissioned", "last_interview"):
            try:
                if datetime.datetime.fromisoformat(node[key]).tzinfo is not None:
                    self.broken("node-form", f"{place}: {key} has a zone: {node[key]}")
            except ValueError:
                self.broken("node-form", f"{place}: {key} is {node[key]!r}")
        attributes = node["attributes"]
        for path in attributes:
            if not PATH.fullmatch(path):
                self.broken("node-form", f"{place}: the path {path!r}")
                return False
        if attributes and not any(has_type(item, ROOT_NODE) for item in attributes.get("0/29/0") or []):
            self.broken("node-form", f"{place}: 0/29/0 has no root node")
        for endpoint in sorted(endpoints(node)):
            if f"{endpoint}/{DESCRIPTOR}/0" not in attributes:
                self.broken("node-form", f"{place}: endpoint {endpoint} has no descriptor")
        is_bridge = any(has_type(item, 14) for item in attributes.get("1/29/0") or [])
        if is_bridge != node["is_bridge"]:
            self.broken("node-form", f"{place}: is_bridge is {node['is_bridge']}")
        self.nodes[number] = node
        return True


def has_type(item, number):
    return isinstance(item, dict) and item.get("0") == number


def endpoints(node):
    return {int(path.split("/")[0]) for path in node["attributes"]}


# MARK: A live server

async def watch(options):
    import aiohttp
    url, connector = options.url, None
    if url.startswith("unix:"):
        connector = aiohttp.UnixConnector(path=url.removeprefix("unix:").removeprefix("//"))
        url = "ws://localhost/ws"
    checker, answers, told = Checker(options.counter), {}, 0

    def say(**line):
        print(json.dumps(line), flush=True)

    def tell():
        nonlocal told
        for violation in checker.violations[told:]:
            say(**violation)
        told = len(checker.violations)

    async with aiohttp.ClientSession(connector=connector) as session:
        try:
            socket = await session.ws_connect(url, max_msg_size=0, heartbeat=55, compress=15)
        except aiohttp.ClientError as error:
            say(failure=str(error))
            return 5

        async def read():
            async for message in socket:
                if message.type != aiohttp.WSMsgType.TEXT:
                    checker.broken("envelope", f"a message of the type {message.type}")
                    continue
                found = checker.receive(message.data, time.monotonic())
                tell()
                if found is None:
                    continue
                if "event" in found:
                    data = found.get("data")
                    if isinstance(data, dict) and "attributes" in data:
                        data = {**data, "attributes": len(data["attributes"])}
                    say(event=found["event"], data=data)
                elif found.get("message_id") in answers:
                    answers.pop(found["message_id"]).set_result(found)
            say(closed=socket.close_code)

        async def ask(command, arguments):
            text, number = checker.request(command, arguments)
            answers[number] = asyncio.get_running_loop().create_future()
            awaited = answers[number]
            await socket.send_str(text)
            if options.stall and command == "start_listening":
                await asyncio.sleep(options.stall)
            return awaited

        # A reader that stalls leaves what comes in the socket.
        reading = None if options.stall else asyncio.create_task(read())
        listening = await ask("start_listening", None)
        reading = reading or asyncio.create_task(read())
        await asyncio.wait([listening, reading], timeout=30, return_when=asyncio.FIRST_COMPLETED)
        if not listening.done():
            say(failure="no answer to start_listening")
            return 5
        say(ready=True, nodes=sorted(checker.nodes))
        loop = asyncio.get_running_loop()
        while not reading.done() and (line := await loop.run_in_executor(None, sys.stdin.readline)):
            if not line.strip():
                continue
            step = json.loads(line)
            if "sleep" in step:
                await asyncio.sleep(step["sleep"])
                continue
            awaited = await ask(step["command"], step.get("args"))
            await asyncio.wait([awaited, reading], return_when=asyncio.FIRST_COMPLETED)
            if awaited.done():
                say(answer=step["command"], **{k: v for k, v in awaited.result().items() if k != "message_id"})
        await asyncio.wait([reading], timeout=options.seconds)
        reading.cancel()
        await socket.close()
    tell()
    say(summary=checker.counts, violations=len(checker.violations))
    return 1 if checker.violations else 0


# MARK: Self-test

def example(number=1, attributes=None, **more):
    return {
        "node_id": number, "date_commissioned": "2026-01-31T08:15:30.123000", "last_interview": "2026-01-31T08:15:30.000000",
        "interview_version": 6, "available": True, "is_bridge": False, "attribute_subscriptions": [],
        "attributes": {"0/29/0": [{"0": 22, "1": 1}], "1/29/0": [{"0": 256, "1": 1}], "1/6/0": False, **(attributes or {})}, **more}


def self_test():
    info = {key: kind() for key, kind in INFO.items()} | {"schema_version": 11, "min_supported_schema_version": 9}
    new_endpoint = {"2/29/0": [{"0": 256, "1": 1}], "2/6/0": True}

    def happening(number, **more):
        return {"event": "node_event", "data": {**{key: 0 for key in NODE_EVENT}, "node_id": 1, "event_number": number, "data": None, **more}}

    def update(value, path="1/6/0", node=1):
        return {"event": "attribute_updated", "data": [node, path, value]}

    good = [
        update(True), {"event": "node_updated", "data": example(available=False)}, {"event": "node_updated", "data": example()},
        update(True, "2/6/0"), {"event": "node_updated", "data": example(attributes=new_endpoint)},
        {"event": "endpoint_added", "data": {"node_id": 1, "endpoint_id": 2}}, update(False, "2/6/0"),
        happening(1), happening(2), {"event": "endpoint_removed", "data": {"node_id": 1, "endpoint_id": 2}},
        {"event": "node_added", "data": example(2)}, update(1, "1/8/0", 2), update(2, "1/8/0", 2),
        {"event": "node_removed", "data": 2}, {"event": "node_added", "data": example(2)},
        {"event": "server_info_updated", "data": info}, {"event": "server_shutdown", "data": {}},
    ]
    bad = {
        "known-nodes": [
            [update(True, node=9)], [{"event": "node_removed", "data": 1}, update(True)], [{"event": "node_removed", "data": 9}],
            [{"event": "node_removed", "data": 1}, {"event": "node_updated", "data": example()}], [happening(1, node_id=9)],
        ],
        "known-events": [[{"event": "thread_diagnostics_updated", "data": {}}]],
        "endpoint-values": [[update(True, "2/6/0"), {"event": "node_updated", "data": example()}]],
        "endpoint-order": [[{"event": "endpoint_added", "data": {"node_id": 1, "endpoint_id": 2}}]],
        "value-order": [[happening(2), happening(1)], [happening(1), happening(1)], [update(2, "1/8/0"), update(1, "1/8/0")]],
        "quiet-shutdown": [
            [{"event": "node_updated", "data": example(available=False)}, {"event": "server_shutdown", "data": {}}],
            [{"event": "server_shutdown", "data": {}}, update(True)],
        ],
        "event-form": [
            [update(True, "1/6")], [{"event": "attribute_updated", "data": [1, "1/6/0"]}], [happening(1, timestamp=None)],
            [happening(1, data=[])], [{"event": "node_removed", "data": "1"}], [happening(1, priority=3)],
        ],
        "node-form": [
            [{"event": "node_updated", "data": example(**more)}] for more in (
                {"date_commissioned": None}, {"last_interview": "yesterday"}, {"last_interview": "2026-01-31T08:15:30Z"},
                {"is_bridge": True}, {"available": 1}, {"node_id": 1.0}, {"attributes": {"3/6/0": True}},
                {"attributes": {"1/x/0": True}}, {"attributes": {"0/29/0": None}})
        ],
        "envelope": [
            [{"event": "node_removed", "data": 1, "more": 1}], [{"message_id": "0", "result": None}], [{}], [[]],
            ["error", {"error_code": 100, "details": None}], ["error", {"error_code": None, "result": None}], ["error", {}],
            ["error", {"error_code": 1, "details": 5}],
        ],
        "json": [["text", '{"event": "attribute_updated", "data": [1, "1/6/0", NaN]}'], ["text", "{"]],
        "snapshot-first": [["early", update(True)], ["early", {"message_id": "other", "result": None}]],
        "server-info-first": [["first", {"sdk_version": "x"}], ["first", {**info, "schema_version": 10}], ["first", update(True)]],
    }

    def run(stream):
        checker = Checker("1/8/0")
        kind = stream[0] if stream and isinstance(stream[0], str) else None
        checker.receive(json.dumps(stream[1] if kind == "first" else info), 0)
        _, number = checker.request("start_listening")
        if kind == "early":
            checker.pending["other"] = "get_node"
            checker.receive(json.dumps(stream[1]), 0)
        checker.receive(json.dumps({"message_id": number, "result": [example()]}), 0)
        if kind == "text":
            checker.receive(stream[1], 0)
        elif kind == "error":
            _, number = checker.request("get_node")
            checker.receive(json.dumps({"message_id": number, **stream[1]}), 0)
        elif kind is None:
            for at, message in enumerate(stream):
                checker.receive(json.dumps(message), at * 0.1)
        return [violation["violation"] for violation in checker.violations]

    failures = [f"a good stream broke {run(good)}"] if run(good) else []
    for rule, streams in bad.items():
        for stream in streams:
            if rule not in run(stream):
                failures.append(f"{rule} was not noticed: {json.dumps(stream)[:200]}; only {run(stream)}")
    for failure in failures:
        print(failure)
    print(f"{len(bad)} rules, {sum(map(len, bad.values())) + 1} streams, {len(failures)} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("url", nargs="?")
    parser.add_argument("--seconds", type=float, default=2, help="how long to listen after the input")
    parser.add_argument("--stall", type=float, default=0, help="read nothing for so many seconds after start_listening")
    parser.add_argument("--counter", help="an attribute whose values only grow")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test or not options.url:
        return self_test()
    return asyncio.run(watch(options))


if __name__ == "__main__":
    sys.exit(main())
