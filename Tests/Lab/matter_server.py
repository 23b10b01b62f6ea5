#!/usr/bin/env python3
"""A stand-in for a Matter server with the WebSocket interface of Home Assistant's python-matter-server. It commissions nothing.

    matter_server.py MODE PORT|/SOCKET [CERTIFICATE KEY]

MODE says what it does once it is asked to commission a device:

    answer      says that it has the device
    fragments   the same in many fragments, with pings between them whose pongs it waits for
    refuse      error 1, with words that no terminal should see as they are
    silent      never answers
    hang-up     ends the connection in the middle of the answer
    masked      answers with a frame that no server may send
    flood       announces a frame of eight exabytes
    not-json    answers with something else
    no-id       answers without a node id

or what it is: `old` and `new` (its version), `mute` (does not say what it is), `no-socket` (an HTTP server), `wrong-key`
(accepts another key). It prints `ready` with its port, and a line for each command: its name, and whether only the network is to be used.
"""
import base64
import hashlib
import json
import os
import socket
import ssl
import struct
import sys
import threading

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
INFO = {
    "fabric_id": 1, "compressed_fabric_id": 0xFEDCBA9876543210, "schema_version": 11, "min_supported_schema_version": 9,
    "sdk_version": "stand-in", "wifi_credentials_set": False, "thread_credentials_set": False, "bluetooth_enabled": False,
}


def exactly(stream, count):
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data


def receive(stream):
    """The opcode and the payload of a client's frame, which is masked."""
    first, second = exactly(stream, 2)
    assert second & 0x80, "a frame of a client is masked"
    length = second & 0x7F
    if length == 126:
        length, = struct.unpack(">H", exactly(stream, 2))
    elif length == 127:
        length, = struct.unpack(">Q", exactly(stream, 8))
    mask = exactly(stream, 4)
    return first & 0x0F, bytes(byte ^ mask[at % 4] for at, byte in enumerate(exactly(stream, length)))


def frame(payload, opcode=1, last=True):
    head = bytes([(0x80 if last else 0) | opcode])
    if len(payload) < 126:
        return head + bytes([len(payload)]) + payload
    if len(payload) < 65536:
        return head + bytes([126]) + struct.pack(">H", len(payload)) + payload
    return head + bytes([127]) + struct.pack(">Q", len(payload)) + payload


def handshake(stream, mode):
    fields = {}
    request = stream.readline()
    while (line := stream.readline().strip()):
        name, _, value = line.decode().partition(":")
        fields[name.lower()] = value.strip()
    if mode == "no-socket" or not request.startswith(b"GET /ws "):
        stream.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        stream.flush()
        return False
    key = "another" if mode == "wrong-key" else fields["sec-websocket-key"]
    accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
    stream.write(
        f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode())
    stream.flush()
    return True


def serve(connection, mode):
    stream = connection.makefile("rwb")

    def send(*frames):
        for data in frames:
            stream.write(data)
        stream.flush()

    if not handshake(stream, mode):
        return
    info = dict(INFO)
    if mode == "old":
        info["schema_version"] = info["min_supported_schema_version"] = 5
    if mode == "new":
        info["schema_version"] = info["min_supported_schema_version"] = 99
    if mode != "mute":
        send(frame(json.dumps(info).encode()))
    while True:
        opcode, payload = receive(stream)
        if opcode == 8:
            # The client need not wait for our leave.
            print("closed", flush=True)
            return
        if opcode != 1:
            continue
        request = json.loads(payload)
        print(request["command"], request["args"].get("network_only"), flush=True)
        assert request["args"]["code"].startswith("MT:")
        answer = {"message_id": request["message_id"], "result": {"node_id": 77, "available": True}}
        if mode == "refuse":
            answer = {
                "message_id": request["message_id"], "error_code": 1, "details": "no \x1b[31m<device>\u202e here"}
        if mode == "no-id":
            answer["result"] = {}
        data = frame(json.dumps(answer).encode())
        if mode in ("silent", "mute"):
            continue
        if mode == "hang-up":
            send(data[: len(data) // 2])
            connection.shutdown(socket.SHUT_RDWR)
            return
        if mode == "masked":
            data = bytes([0x81, 0x80 | 2, 0, 0, 0, 0]) + b"{}"
        if mode == "flood":
            data = bytes([0x81, 127]) + struct.pack(">Q", 1 << 62)
        if mode == "not-json":
            data = frame(b"hello")
        if mode == "fragments":
            text = json.dumps(answer).encode()
            send(frame(b"", last=False))
            for at in range(0, len(text), 7):
                send(frame(text[at:at + 7], 0, last=False), frame(b"are you there", 9))
                assert receive(stream) == (10, b"are you there")
            data = frame(b"", 0)
        send(data)


def main():
    mode, place, *identity = sys.argv[1:]
    context = None
    if identity:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*identity)
    if place.startswith("/"):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(place)
        os.chmod(place, 0o600)
    else:
        listener = socket.create_server(("127.0.0.1", int(place)))
    listener.listen()
    print("ready", *([] if place.startswith("/") else [listener.getsockname()[1]]), flush=True)

    def run(connection):
        try:
            if context:
                connection = context.wrap_socket(connection, server_side=True)
            serve(connection, mode)
        except (EOFError, OSError):
            print("lost", flush=True)
        connection.close()

    while True:
        connection, _ = listener.accept()
        threading.Thread(target=run, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main()
