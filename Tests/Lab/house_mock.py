#!/usr/bin/env python3
"""A stand-in for `matterctl serve --web`: the page, and a house of some devices behind the interface that it speaks.

    house_mock.py --port 8099 [--token secret] [--state FILE] [--delay 0.15] [--without map,jobs]
    house_mock.py tell PORT set NODE PATH VALUE       an attribute changes, as if at the device (VALUE is JSON)
    house_mock.py tell PORT available NODE true|false
    house_mock.py tell PORT remove NODE               and `add NODE` puts it back
    house_mock.py tell PORT hold                      no report goes out until `release`
    house_mock.py tell PORT log                       the commands and writes that have come, a line each

It needs aiohttp, which .peers has. The page comes from Sources/HouseServer/Web/page, with the security headers of WebPage.swift.
Values that are kept (--state) outlive the program, as those of real devices do.
"""
import argparse
import asyncio
import http.client
import json
import pathlib
import re
import sys

WEB = pathlib.Path(__file__).resolve().parents[2] / "Sources/HouseServer/Web"
MARKUP = "<img src=x onerror=alert(1)>"
SCRIPT = "<script>alert(2)</script>"
LONG_ID = 18446744060824649731
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


def security_headers():
    """Those of the program, so that there is one place where they are written."""
    source = (WEB / "WebPage.swift").read_text(encoding="utf-8")
    block = re.search(r"static let headers[^=]*= \[(.*?)\n    \]", source, re.S)[1]
    policy = "".join(re.findall(r'"([^"]*)"', re.search(r"static let policy =(.*?)\n\n", source, re.S)[1]))
    return {name: value or policy for name, value in re.findall(r'\("([\w-]+)", (?:"([^"]*)"|policy)\)', block)}


def node(vendor, product, label="", endpoints=()):
    attributes = {
        "0/29/0": [{"0": 22, "1": 3}], "0/29/3": [number for number, _, _ in endpoints], "0/40/0": 17, "0/40/1": vendor, "0/40/2": 65521,
        "0/40/3": product, "0/40/4": 32769, "0/40/5": label, "0/40/7": 1, "0/40/8": "1.0", "0/40/9": 3, "0/40/10": "2.3.1",
        "0/40/15": "SN-0042", "0/62/1": [{"1": "BFr", "2": 65521, "254": 1}],
    }
    for number, types, values in endpoints:
        attributes[f"{number}/29/0"] = [{"0": kind, "1": 1} for kind in types]
        attributes[f"{number}/29/3"] = []
        for path, value in values.items():
            attributes[f"{number}/{path}"] = value
    return attributes


LIGHT = {"6/0": False, "6/65532": 1, "8/0": 128, "8/2": 1, "8/3": 254, "8/65532": 3}
HOUSE = {
    1: ("Lamp", "kitchen", node("Acme", "Dimmer", "Lamp", [(1, [257], LIGHT)])),
    2: ("Ceiling", "living room", node("Acme", "White 2", "", [
        (1, [268], {**LIGHT, "6/0": True, "768/7": 370, "768/16395": 153, "768/16396": 500, "768/65532": 16})])),
    3: ("Radiator", "living room", node("Warm", "TRV", "", [
        (1, [769], {"513/0": 1950, "513/18": 2100, "513/21": 500, "513/22": 3000, "513/27": 2, "513/28": 4, "513/65532": 1}),
    ]) | {"0/47/12": 34, "0/47/14": 1}),
    4: ("Front door", "hall", node("Keys", "Bolt", "", [(1, [10], {"257/0": 1, "257/3": 1, "257/65532": 0})])),
    5: ("Climate", "kitchen", node("Sense", "TH-1", "", [
        (1, [770], {"1026/0": 2135}), (2, [775], {"1029/0": 4820})]) | {"0/47/12": 180, "0/47/14": 0}),
    6: (MARKUP, "<b>attic</b>", node(MARKUP, SCRIPT, MARKUP, [(1, [256], {"6/0": False})])),
    7: ("Shed plug", None, node("Acme", "Plug", "", [(1, [266], {"6/0": True})])),
    8: ("Hub", "hall", node("Link", "Hub 8", "", [
        (1, [14], {}),
        (3, [19, 514], {"57/3": "Roller", "57/5": "Blind", "57/17": True, "258/10": 0, "258/14": 2500, "258/8": 25, "258/65532": 5}),
        (4, [19, 256], {"57/5": SCRIPT, "57/17": True, "6/0": False})])),
    9: ("Fan", "bedroom", node("Breeze", "F1", "", [(1, [43], {"514/0": 1, "514/1": 2, "514/2": 30, "514/3": 30, "514/65532": 2})])),
    10: ("Window", "bedroom", node("Sense", "Contact", "", [(1, [21], {"69/0": True})])),
    11: ("Stubborn", "cellar", node("Acme", "Refuser", "", [(1, [256], {"6/0": False})])),
    LONG_ID: ("Freezer", "cellar", node("Acme", "Meter plug", "", [
        (1, [266], {"6/0": True, "144/8": 84300, "145/1": {"0": 5231000}}),
        (2, [266], {"6/0": False})])),
}
DATE = "2026-11-28T20:15:30.123000"
MAP = {
    "threadNetworks": [{
        "extendedPanId": "1122334455667788", "name": "home", "channel": 15, "partitions": [{"id": 305419896, "leader": "node-1"}],
        "devices": [
            {"id": "border-router-6A", "borderRouter": {"instance": "Hub " + MARKUP, "addresses": []}, "role": "router", "hops": 0},
            {"id": "node-1", "node": 1, "name": "Lamp", "role": "leader", "nextHop": "border-router-6A", "hops": 1, "wayOut": "single"},
            {"id": "node-2", "node": 2, "name": "Ceiling", "role": "router", "nextHop": "border-router-6A", "hops": 1, "wayOut": "several"},
            {"id": "node-5", "node": 5, "name": "Climate", "role": "sleepy end device", "nextHop": "node-1", "hops": 2}],
        "links": [
            {"one": "node-1", "other": "border-router-6A", "quality": "good", "oneSided": False, "stale": False, "parent": False},
            {"one": "node-2", "other": "border-router-6A", "quality": "fair", "oneSided": False, "stale": False, "parent": False},
            {"one": "node-1", "other": "node-2", "quality": "weak", "oneSided": False, "stale": False, "parent": False},
            {"one": "node-5", "other": "node-1", "quality": "good", "oneSided": False, "stale": False, "parent": True}]}],
    "accessPoints": [{"bssid": "02:00:00:00:01:1a", "ssid": "house", "channel": 6,
                      "nodes": [{"node": 9, "name": "Fan", "rssi": -52, "quality": "good"}]}],
    "ethernet": [{"node": 8, "name": "Hub"}],
    "bridges": [{"node": 8, "name": "Hub", "devices": [{"endpoint": 3, "label": "Blind", "reachable": True}]}],
    "elsewhere": [], "silent": [{"node": 7, "name": "Shed plug", "error": {"id": "session.timeout", "message": "node 'Shed plug' did not answer"}}],
    "findings": [{"kind": "weak-link", "devices": ["node-1", "node-2"], "text": "the link between Lamp and Ceiling is weak"}],
    "readAt": "2026-11-28T21:00:00Z"}
JOBS = [{
    "job": 1, "kind": "certificates", "state": "open", "done": 3, "pending": 1, "refused": 1, "madeAt": "2026-11-28T13:50:03Z", "nodes": [
        {"node": 1, "name": "Lamp", "state": "done", "since": "2026-11-28T13:50:03Z"},
        {"node": 7, "name": "Shed plug", "state": "pending", "error": {"id": "session.not-discovered", "message": "no address is known"}}]}]


class Refusal(Exception):
    def __init__(self, code, details):
        super().__init__(details)
        self.code, self.details = code, details


class House:
    def __init__(self, arguments):
        self.arguments = arguments
        self.nodes = {number: dict(attributes) for number, (_, _, attributes) in HOUSE.items()}
        self.away = {7}
        self.removed = set()
        self.listeners = set()
        self.log = []
        # Reports of what commands changed; closed while they are held back.
        self.gate = asyncio.Event()
        self.gate.set()
        self.state = pathlib.Path(arguments.state) if arguments.state else None
        if self.state and self.state.exists():
            for number, attributes in json.loads(self.state.read_text()).items():
                self.nodes[int(number)].update(attributes)

    def object(self, number):
        return {
            "node_id": number, "date_commissioned": DATE, "last_interview": DATE, "interview_version": 6,
            "available": number not in self.away, "is_bridge": number == 8, "attributes": self.nodes[number],
            "attribute_subscriptions": []}

    def all(self):
        return [self.object(number) for number in self.nodes if number not in self.removed]

    def info(self):
        return {"fabric_id": 1, "compressed_fabric_id": 2 ** 63 + 5, "schema_version": 11, "min_supported_schema_version": 9,
                "sdk_version": "house_mock", "wifi_credentials_set": False, "thread_credentials_set": False,
                "bluetooth_enabled": False}

    async def tell(self, event, data):
        for socket in list(self.listeners):
            await socket.send_str(json.dumps({"event": event, "data": data}))

    async def set(self, number, path, value):
        self.nodes[number][path] = value
        if self.state:
            self.state.write_text(json.dumps({key: values for key, values in self.nodes.items()}))
        await self.tell("attribute_updated", [number, path, value])

    async def later(self, number, changes):
        await asyncio.sleep(self.arguments.delay)
        await self.gate.wait()
        for path, value in changes:
            await self.set(number, path, value)

    def node(self, arguments):
        number = arguments.get("node_id")
        if number not in self.nodes or number in self.removed:
            raise Refusal(5, f"node {number} is not there")
        if number in self.away:
            raise Refusal(3, f"node {number} is not available")
        if number == 11:
            raise Refusal(7, "CONSTRAINT_ERROR (0x87)")
        return number

    def changes(self, command, endpoint, cluster, payload):
        """What a command changes at the device; None for a command that it does not know."""
        fields = {key.lower(): value for key, value in payload.items()}
        at = f"{endpoint}/{cluster}/"
        table = {
            (6, "On"): lambda: [(at + "0", True)], (6, "Off"): lambda: [(at + "0", False)],
            (8, "MoveToLevelWithOnOff"): lambda: [(at + "0", fields["level"]), (f"{endpoint}/6/0", True)],
            (768, "MoveToColorTemperature"): lambda: [(at + "7", fields["colortemperaturemireds"])],
            (258, "UpOrOpen"): lambda: [(at + "14", 0)], (258, "DownOrClose"): lambda: [(at + "14", 10000)],
            (258, "StopMotion"): lambda: [],
            (258, "GoToLiftPercentage"): lambda: [(at + "14", fields["liftpercent100thsvalue"])],
            (257, "LockDoor"): lambda: [(at + "0", 1)], (257, "UnlockDoor"): lambda: [(at + "0", 2)],
        }
        return table[cluster, command]() if (cluster, command) in table else None

    async def command(self, name, arguments):
        if name == "server_info":
            return self.info()
        if name == "device_command":
            number = self.node(arguments)
            self.log.append(f"{number} {arguments['endpoint_id']}/{arguments['cluster_id']} {arguments['command_name']} "
                            f"{json.dumps(arguments['payload'])} {arguments.get('timed_request_timeout_ms')}")
            if arguments["cluster_id"] == 257 and not arguments.get("timed_request_timeout_ms"):
                raise Refusal(7, "NEEDS_TIMED_INTERACTION (0xc6)")
            changes = self.changes(arguments["command_name"], arguments["endpoint_id"], arguments["cluster_id"], arguments["payload"])
            if changes is None:
                raise Refusal(8, "no such command")
            asyncio.ensure_future(self.later(number, changes))
            return None
        if name == "write_attribute":
            number = self.node(arguments)
            path = arguments["attribute_path"]
            self.log.append(f"{number} {path} = {json.dumps(arguments['value'])}")
            asyncio.ensure_future(self.later(number, [(path, arguments["value"])]))
            endpoint, cluster, attribute = map(int, path.split("/"))
            return [{"Path": {"EndpointId": endpoint, "ClusterId": cluster, "AttributeId": attribute}, "Status": 0}]
        raise Refusal(9, f"no command {name}")

    async def converse(self, request):
        from aiohttp import web
        if request.match_info["token"] != self.arguments.token:
            return web.Response(status=401)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str(json.dumps(self.info()))
        try:
            async for message in socket:
                asked = json.loads(message.data)
                answer = {"message_id": asked["message_id"]}
                try:
                    if asked["command"] == "start_listening":
                        answer["result"] = self.all()
                        await socket.send_str(json.dumps(answer))
                        self.listeners.add(socket)
                        continue
                    answer["result"] = await self.command(asked["command"], asked.get("args") or {})
                except Refusal as refusal:
                    answer |= {"error_code": refusal.code, "details": refusal.details}
                await socket.send_str(json.dumps(answer))
        finally:
            self.listeners.discard(socket)
        return socket

    async def document(self, request):
        from aiohttp import web
        if request.headers.get("Authorization") != f"Bearer {self.arguments.token}":
            return web.Response(status=401, text="no such token")
        name = request.path[1:]
        if name in self.arguments.without.split(","):
            return web.Response(status=404, text="not here")
        nodes = [{"node_id": number, "name": name, "room": room, "endpoints": []} for number, (name, room, _) in HOUSE.items()]
        rooms = sorted({room for _, room, _ in HOUSE.values() if room})
        value = {"house": {"rooms": rooms, "nodes": nodes}, "map": MAP, "jobs": JOBS}[name]
        return web.Response(text=json.dumps(value), content_type="application/json")

    async def page(self, request):
        from aiohttp import web
        file = WEB / "page" / (request.path[1:] or "index.html")
        return web.Response(body=file.read_bytes(), content_type=TYPES[file.suffix], charset="utf-8", headers=security_headers())

    async def told(self, request):
        """What `tell` says."""
        from aiohttp import web
        what, *words = await request.json()
        if what == "log":
            return web.Response(text="\n".join(self.log))
        if what in ("hold", "release"):
            (self.gate.clear if what == "hold" else self.gate.set)()
            return web.Response(text="")
        number = int(words[0])
        if what == "set":
            await self.set(number, words[1], json.loads(words[2]))
        elif what == "available":
            (self.away.discard if words[1] == "true" else self.away.add)(number)
            await self.tell("node_updated", self.object(number))
        elif what == "remove":
            self.removed.add(number)
            await self.tell("node_removed", number)
        elif what == "add":
            self.removed.discard(number)
            await self.tell("node_added", self.object(number))
        return web.Response(text="")


def tell(port, *words):
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=10)
    connection.request("POST", "/mock", json.dumps(words), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read().decode()
    if answer.status != 200:
        sys.exit(f"{answer.status} {text}")
    return text


def main():
    if sys.argv[1:2] == ["tell"]:
        print(tell(*sys.argv[2:]))
        return
    from aiohttp import web
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--token", default="secret")
    parser.add_argument("--state")
    parser.add_argument("--delay", type=float, default=0.15)
    parser.add_argument("--without", default="")
    house = House(parser.parse_args())
    application = web.Application()
    for path in ("/", "/page.js", "/page.css"):
        application.router.add_get(path, house.page)
    for path in ("/house", "/map", "/jobs"):
        application.router.add_get(path, house.document)
    application.router.add_get("/ws/{token}", house.converse)
    application.router.add_post("/mock", house.told)
    web.run_app(application, host="127.0.0.1", port=house.arguments.port, print=None, shutdown_timeout=0.1)


if __name__ == "__main__":
    main()
