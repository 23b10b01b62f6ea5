import Foundation
import TestSupport

/// python-matter-server, which is Home Assistant's controller: a fabric of its own, and a WebSocket on this host.
final class PythonMatterServer {
    /// Sends one command, and prints the answer.
    private static let client = """
        import asyncio, json, sys
        import aiohttp

        async def main(url, command, arguments):
            async with aiohttp.ClientSession() as session, session.ws_connect(url, max_msg_size=0) as socket:
                await socket.receive_json()
                await socket.send_json({"message_id": "1", "command": command, "args": json.loads(arguments)})
                print(json.dumps(await socket.receive_json()))

        asyncio.run(main(*sys.argv[1:]))
        """

    private let folder: TemporaryFolder
    private let child: Child
    let url: String

    /// - Parameter devices: whose authorities it trusts.
    init(trusting devices: [VirtualDevice]) async throws {
        folder = try TemporaryFolder()
        let (trust, storage) = (folder.file("paa"), folder.file("storage"))
        for path in [trust, storage] {
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        }
        for (number, device) in devices.enumerated() {
            for name in try FileManager.default.contentsOfDirectory(atPath: device.trust) where name.hasSuffix(".der") {
                try FileManager.default.copyItem(
                    atPath: "\(device.trust)/\(name)", toPath: trust.appendingPathComponent("\(number)-\(name)").path)
            }
        }
        // Without this file it takes the folder for an old one, and empties it.
        try Data("1".utf8).write(to: trust.appendingPathComponent(".version"))
        url = "ws://127.0.0.1:5580/ws"
        // It leaves files where it runs.
        child = try Child(
            URL(fileURLWithPath: "/usr/bin/env"),
            [
                "-C", storage.path, Laboratory.python.path, "-m", "matter_server.server", "--storage-path",
                storage.path,
                "--listen-address", "127.0.0.1", "--paa-root-cert-dir", trust.path,
            ], folder: folder)
        try await awaitEvent("the server: \(child.stderr)") { [child] in
            child.stderr.contains("Matter Server successfully initialized")
        }
    }

    deinit { child.signal(SIGKILL) }

    var log: String { child.stderr }

    /// Has it send a command of On/Off.
    func command(_ name: String, node: Int) async throws -> String {
        let arguments = """
            {"node_id":\(node),"endpoint_id":1,"cluster_id":6,"command_name":"\(name)","payload":{}}
            """
        let client = try Child(
            Laboratory.python, ["-c", Self.client, url, "device_command", arguments], folder: folder)
        _ = await client.status()
        return client.stdout + client.stderr
    }
}
