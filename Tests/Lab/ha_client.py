#!/usr/bin/env python3
"""Drives a Matter server with one of Home Assistant's own clients: the one of the interpreter that runs this file.

    .peers/ha7/bin/python   Tests/Lab/ha_client.py URL      python-matter-server 7.0.1
    .peers/ha8/bin/python   Tests/Lab/ha_client.py URL      python-matter-server 8.1.2
    .peers/ha15/bin/python  Tests/Lab/ha_client.py URL      matter-python-client 1.5.5

URL is `ws://HOST:PORT/ws` or `unix:PATH`. It connects, listens, and performs the steps that come on stdin, one in a line: a
JSON array (`["command", 1, 1, "OnOff", "Toggle"]`), or words (`command 1 1 OnOff Toggle`), of which those that are JSON are
read as such. `"$node"` stands for the node that was commissioned last. It ends with the input. --list names all verbs.

stdout has JSON lines: `ready` once it listens, `{"step": 1, "verb": …, "result": …}` or `"error": {"type", "code", "details"}` for each
step, `{"event": …, "data": …}` for each event (nodes without their attributes, unless --full), `log` for warnings of the client,
and `closed` when the server has closed the connection.

Exit codes: 0 if all went well, refused steps included; 2 if the connection ended before the input; 3 if the client failed at what
the server sent, which in Home Assistant means an endless reload; 4 if a `wait` or `expect` did not come true; 5 if it cannot connect.
"""

import argparse
import asyncio
import dataclasses
import enum
import json
import logging
import os
import sys
import threading
import traceback

# A neighbour of this file has the name of the clients' package.
sys.path.pop(0)

import aiohttp
from chip.clusters import Objects
from chip.clusters.Types import Nullable
from matter_server.client import MatterClient
from matter_server.common import errors
from matter_server.common.helpers.util import dataclass_from_dict


class Unmet(Exception):
    """A condition that did not come true."""


def say(**line):
    print(json.dumps(line, default=plain, allow_nan=False), flush=True)


def plain(value):
    """JSON of the clients' own classes."""
    if isinstance(value, bytes):
        return "hex:" + value.hex()
    if isinstance(value, Nullable):
        return None
    if isinstance(value, enum.Enum):
        return value.value
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, (set, tuple)):
        return list(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return str(value)


def version():
    from importlib import metadata
    for package in ("python-matter-server", "matter-python-client"):
        try:
            return f"{package} {metadata.version(package)}"
        except metadata.PackageNotFoundError:
            continue
    return "unknown"


def summary(node):
    """A raw node without its attributes."""
    if not isinstance(node, dict) or "attributes" not in node:
        return node
    return {**node, "attributes": len(node["attributes"])}


def includes(whole, part):
    """Whether a value has all that another has: members of objects, items of lists in their places, equal others."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and includes(whole[key], part[key]) for key in part)
    if isinstance(part, list):
        return isinstance(whole, list) and len(whole) >= len(part) and all(map(includes, whole, part))
    return whole == part and isinstance(whole, bool) == isinstance(part, bool)


class Client(MatterClient):
    """The official client, which also tells which events came."""

    def __init__(self, url, session, driver):
        super().__init__(url, session)
        self.driver = driver

    def _handle_event_message(self, msg):
        # The client's own handling comes first: it must not fail.
        super()._handle_event_message(msg)
        self.driver.happened(msg.event.value if isinstance(msg.event, enum.Enum) else msg.event, msg.data)


class Driver:
    def __init__(self, options):
        self.options = options
        self.events = []
        self.cursor = 0
        self.changed = asyncio.Event()
        self.client = self.session = self.listening = None
        self.is_closing = False
        # The node that was commissioned last.
        self.node = None

    # Connection

    async def connect(self):
        url, connector = self.options.url, None
        if url.startswith("unix:"):
            connector = aiohttp.UnixConnector(path=url.removeprefix("unix:").removeprefix("//"))
            url = "ws://localhost/ws"
        self.session = aiohttp.ClientSession(connector=connector)
        self.client = Client(url, self.session, self)
        self.is_closing = False
        # As Home Assistant does: 10 s for the connection, 30 s for the nodes.
        await asyncio.wait_for(self.client.connect(), 10)
        ready = asyncio.Event()
        self.listening = asyncio.create_task(self.listen(ready))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait([waiting, self.listening], timeout=30, return_when=asyncio.FIRST_COMPLETED)
        if not ready.is_set():
            raise Unmet("the nodes did not come")
        say(ready=version(), server=self.client.server_info, nodes=sorted(n.node_id for n in self.client.get_nodes()))

    async def listen(self, ready):
        try:
            await self.client.start_listening(ready)
        except asyncio.CancelledError:
            raise
        except BaseException:
            say(failure=traceback.format_exc())
            sys.stdout.flush()
            self.exit(3)
        if not self.is_closing:
            say(closed=True)
            self.happened("closed", None)

    def exit(self, code):
        sys.stdout.flush()
        os._exit(code)

    async def disconnect(self):
        self.is_closing = True
        await self.client.disconnect()
        await asyncio.wait([self.listening], timeout=5)
        await self.session.close()

    def happened(self, event, data):
        if event != "closed":
            shown = data if self.options.full or event not in ("node_added", "node_updated") else summary(data)
            say(event=event, data=shown)
        self.events.append({"event": event, "data": data})
        self.changed.set()

    # Steps

    async def perform(self, number, words):
        verb, *arguments = [self.named(word) for word in words]
        method = getattr(self, "do_" + verb.replace("-", "_"), None)
        if method is None:
            sys.exit(f"ha_client.py: no verb {verb!r}")
        work = asyncio.create_task(method(*arguments))
        waiting = [work] if verb in ("wait", "reconnect", "sleep") else [work, self.listening]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            # The connection is lost; the client cancels what waits for answers.
            await asyncio.wait([work], timeout=2)
            work.cancel()
            say(step=number, verb=verb, error={"type": "ConnectionClosed", "code": None, "details": None})
            return
        try:
            say(step=number, verb=verb, result=work.result())
        except errors.MatterError as error:
            code = next((code for code, kind in errors.ERROR_MAP.items() if kind is type(error)), None)
            say(step=number, verb=verb, error={"type": type(error).__name__, "code": code, "details": str(error)})
        except Unmet as error:
            say(step=number, verb=verb, unmet=str(error))
            raise
        except (Exception, asyncio.CancelledError) as error:
            say(step=number, verb=verb, error={"type": type(error).__name__, "code": None, "details": str(error)})

    def named(self, value):
        """A word of a step with the node in it."""
        if isinstance(value, list):
            return [self.named(item) for item in value]
        if isinstance(value, dict):
            return {key: self.named(item) for key, item in value.items()}
        return self.node if value == "$node" else value

    async def do_nodes(self):
        """nodes: the nodes as the client's object model has them"""
        return [self.shown(node) for node in sorted(self.client.get_nodes(), key=lambda node: node.node_id)]

    def shown(self, node):
        return {
            "node_id": node.node_id, "available": node.available, "is_bridge": node.is_bridge_device,
            "name": node.name, "vendor": getattr(node.device_info, "vendorName", None),
            "product": getattr(node.device_info, "productName", None),
            "endpoints": {
                str(number): {
                    "device_types": sorted(kind.device_type for kind in endpoint.device_types),
                    "clusters": sorted(endpoint.clusters),
                } for number, endpoint in sorted(node.endpoints.items())
            },
        }

    async def do_node(self, node):
        """node NODE: the data of a node as the client keeps it"""
        return self.client.get_node(node).node_data

    async def do_value(self, node, endpoint, cluster, attribute):
        """value NODE ENDPOINT CLUSTER ATTRIBUTE: an attribute in the client's object model"""
        kind = getattr(getattr(Objects, cluster).Attributes, attribute)
        return self.client.get_node(node).get_attribute_value(endpoint, None, kind)

    async def do_command(self, node, endpoint, cluster, command, payload=None, timed=None):
        """command NODE ENDPOINT CLUSTER COMMAND [FIELDS [TIMED-MS]]: by the names of chip.clusters"""
        kind = getattr(getattr(Objects, cluster).Commands, command)
        value = dataclass_from_dict(kind, payload or {}, allow_sdk_types=True)
        return await self.client.send_device_command(node, endpoint, value, timed_request_timeout_ms=timed)

    async def do_read(self, node, path):
        """read NODE PATH|[PATH, …]"""
        return await self.client.read_attribute(node, path)

    async def do_refresh(self, node, path):
        """refresh NODE PATH: read it, and put it into the object model"""
        await self.client.refresh_attribute(node, path)

    async def do_write(self, node, path, value):
        """write NODE PATH VALUE"""
        return await self.client.write_attribute(node, path, value)

    async def do_discover(self):
        """discover"""
        return await self.client.discover_commissionable_nodes()

    async def do_commission(self, code, network_only=True):
        """commission CODE [NETWORK-ONLY]"""
        found = await self.client.commission_with_code(str(code), network_only=network_only)
        self.node = found.node_id
        return found

    async def do_commission_on_network(self, passcode, address=None):
        """commission-on-network PASSCODE [ADDRESS]"""
        found = await self.client.commission_on_network(passcode, address)
        self.node = found.node_id
        return found

    async def do_window(self, node, timeout=300):
        """window NODE [SECONDS]"""
        return await self.client.open_commissioning_window(node, timeout=timeout)

    async def do_acl(self, node, entries):
        """acl NODE ENTRIES"""
        return await self.client.send_command("set_acl_entry", node_id=node, entry=entries)

    async def do_binding(self, node, endpoint, bindings):
        """binding NODE ENDPOINT BINDINGS"""
        return await self.client.send_command("set_node_binding", node_id=node, endpoint=endpoint, bindings=bindings)

    async def do_fabrics(self, node):
        """fabrics NODE"""
        return await self.client.get_matter_fabrics(node)

    async def do_remove_fabric(self, node, index):
        """remove-fabric NODE INDEX"""
        return await self.client.remove_matter_fabric(node, index)

    async def do_interview(self, node):
        """interview NODE"""
        return await self.client.interview_node(node)

    async def do_ping(self, node):
        """ping NODE"""
        return await self.client.ping_node(node)

    async def do_ips(self, node, prefer_cache=True, scoped=False):
        """ips NODE [PREFER-CACHE [SCOPED]]"""
        return await self.client.get_node_ip_addresses(node, prefer_cache, scoped)

    async def do_remove(self, node):
        """remove NODE"""
        return await self.client.remove_node(node)

    async def do_diagnostics(self, node=None):
        """diagnostics [NODE]: of the server, or of a node"""
        if node is not None:
            return await self.client.node_diagnostics(node)
        found = await self.client.get_diagnostics()
        return {"info": found.info, "nodes": [summary(plain(node)) for node in found.nodes], "events": found.events}

    async def do_label(self, label):
        """label TEXT|null: of the fabric"""
        return await self.client.set_default_fabric_label(label)

    async def do_vendor_names(self, vendors=None):
        """vendor-names [VENDORS]"""
        return await self.client.send_command("get_vendor_names", require_schema=3, filter_vendors=vendors)

    async def do_check_update(self, node):
        """check-update NODE"""
        return await self.client.check_node_update(node)

    async def do_update(self, node, software_version):
        """update NODE VERSION"""
        return await self.client.update_node(node, software_version)

    async def do_wifi(self, ssid, credentials):
        """wifi SSID CREDENTIALS"""
        return await self.client.set_wifi_credentials(ssid, credentials)

    async def do_thread(self, dataset):
        """thread DATASET"""
        return await self.client.set_thread_operational_dataset(dataset)

    async def do_call(self, method, arguments=None):
        """call METHOD [ARGUMENTS]: any method of the client, by its name"""
        return await getattr(self.client, method)(**(arguments or {}))

    async def do_raw(self, command, arguments=None):
        """raw COMMAND [ARGUMENTS]: any command of the interface"""
        return await self.client.send_command(command, **(arguments or {}))

    async def do_wait(self, event, part=None, timeout=30):
        """wait EVENT [PART [SECONDS]]: for an event that has all that PART has, behind the one of the last wait"""
        async def found():
            while True:
                self.changed.clear()
                for index in range(self.cursor, len(self.events)):
                    if self.events[index]["event"] != event:
                        continue
                    if part is None or includes(self.events[index]["data"], part):
                        self.cursor = index + 1
                        return self.events[index]
                await self.changed.wait()
        try:
            seen = await asyncio.wait_for(found(), timeout)
        except asyncio.TimeoutError:
            raise Unmet(f"no {event} {'' if part is None else json.dumps(part)} in {timeout} s") from None
        return summary(seen["data"])

    async def do_callback(self, kind, part=None, timeout=30):
        """callback KIND [PART [SECONDS]]: for an event of a camera; its data goes through the client's own classes"""
        # Older clients do not have them.
        from matter_server.common.models import WebRTCCallbackData, WebRTCIceCandidate
        data = await self.do_wait("webrtc_callback", {"event_type": kind, **(part or {})}, timeout)
        found = dataclass_from_dict(WebRTCCallbackData, data)
        if kind == "ice_candidates":
            found.data["ice_candidates"] = [
                dataclass_from_dict(WebRTCIceCandidate, one) for one in found.data["ice_candidates"]
            ]
        return found

    async def do_expect(self, node, endpoint, cluster, attribute, value, timeout=30):
        """expect NODE ENDPOINT CLUSTER ATTRIBUTE VALUE [SECONDS]: until the object model has it"""
        async def found():
            while True:
                self.changed.clear()
                if json.loads(json.dumps(await self.do_value(node, endpoint, cluster, attribute), default=plain)) == value:
                    return
                await self.changed.wait()
        try:
            await asyncio.wait_for(found(), timeout)
        except asyncio.TimeoutError:
            raise Unmet(f"{cluster}.{attribute} is not {json.dumps(value)} after {timeout} s") from None

    async def do_type(self, pipe, line):
        """type PIPE LINE: at a virtual device, whose input is a pipe"""
        with open(pipe, "w") as hand:
            hand.write(f"{line}\n")

    async def do_sleep(self, seconds):
        """sleep SECONDS"""
        await asyncio.sleep(seconds)

    async def do_reconnect(self, attempts=20):
        """reconnect [ATTEMPTS]: as Home Assistant reloads; one attempt a second"""
        await self.disconnect()
        for attempt in range(attempts):
            try:
                return await self.connect()
            except Exception:
                await self.session.close()
                if attempt + 1 == attempts:
                    raise
                await asyncio.sleep(1)


class Lines(logging.Handler):
    """The warnings of the client, in the output. They tell of values that it cannot read."""

    def emit(self, record):
        say(log=record.levelname.lower(), text=record.getMessage())


def words(line):
    line = line.strip()
    if line.startswith("["):
        return json.loads(line)
    found, at = [], 0
    while at < len(line):
        try:
            value, end = json.JSONDecoder().raw_decode(line, at)
        except ValueError:
            value, end = None, at
        if end == at or not (end == len(line) or line[end].isspace()):
            end = next((index for index in range(at, len(line)) if line[index].isspace()), len(line))
            value = line[at:end]
        found.append(value)
        at = end + len(line[end:]) - len(line[end:].lstrip())
    return found


async def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("url", nargs="?")
    parser.add_argument("--full", action="store_true", help="print nodes with all their attributes")
    parser.add_argument("--list", action="store_true", help="name all verbs")
    options = parser.parse_args()
    if options.list or not options.url:
        print(*[method.__doc__ for name, method in vars(Driver).items() if name.startswith("do_")], sep="\n")
        return 0
    logging.getLogger().addHandler(Lines(logging.WARNING))
    driver = Driver(options)
    try:
        await driver.connect()
    except Exception as error:
        say(failure=f"{type(error).__name__}: {error}")
        return 5
    loop, steps = asyncio.get_running_loop(), asyncio.Queue()

    def read():
        for line in sys.stdin:
            loop.call_soon_threadsafe(steps.put_nowait, line)
        loop.call_soon_threadsafe(steps.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
    number, result = 0, 0
    while (line := await steps.get()) is not None:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        number += 1
        step = words(line)
        if driver.listening.done() and step[0] not in ("wait", "reconnect", "sleep"):
            say(step=number, verb=step[0], error={"type": "ConnectionClosed", "code": None, "details": None})
            result = 2
            continue
        try:
            await driver.perform(number, step)
        except Unmet:
            result = 4
            break
    await driver.disconnect()
    return result


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
