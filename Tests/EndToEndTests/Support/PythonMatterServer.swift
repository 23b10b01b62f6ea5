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

    /// - Parameters:
    ///   - devices: whose authorities it trusts.
    ///   - port: of its own, if others run beside it.
    init(trusting devices: [VirtualDevice], port: Int = 5580) async throws {
        folder = try TemporaryFolder()
        let trust = devices.flatMap { ["--trust", $0.trust] }
        url = "ws://127.0.0.1:\(port)/ws"
        child = try Child(
            Laboratory.python,
            [Laboratory.scripts.appendingPathComponent("ha_server.py").path, folder.url.path, "--port", "\(port)"]
                + trust,
            folder: folder)
        try await awaitEvent("the server: \(child.stderr)") { [child] in
            child.stderr.contains("Matter Server successfully initialized")
        }
    }

    deinit { child.signal(SIGKILL) }

    var log: String { child.stderr }

    /// Where it keeps its fabric.
    var storage: URL { folder.url.appendingPathComponent("storage") }

    /// The value of an attribute as it knows it, without asking the node.
    func known(_ path: String, of node: Int) async throws -> JSON? {
        let client = try Child(
            Laboratory.python, ["-c", Self.client, url, "get_node", "{\"node_id\":\(node)}"], folder: folder)
        _ = await client.status()
        return try JSON(parsing: client.stdout)["result"]?["attributes"]?[path]
    }

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
