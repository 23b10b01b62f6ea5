import Foundation
import Synchronization
import TestSupport
import Testing

/// One host of a share: a state directory that is a member of the fabric, and its server.
private final class ShareHost: Sendable {
    let matterctl: MatterCtl
    let port: Int
    let token: String
    /// The URL of its server, with its token, in a file.
    let url: String
    private let words: [String]
    private let server: Mutex<Child?> = Mutex(nil)

    init(_ matterctl: MatterCtl, port: Int, options: [String] = []) async throws {
        self.matterctl = matterctl
        self.port = port
        token = try await matterctl.succeed("serve", "token", "add", "peer", "--role", "administer").result
        url = matterctl.folder.file("url").path
        try "ws://127.0.0.1:\(port)/ws/\(token)\n".write(toFile: url, atomically: true, encoding: .utf8)
        // Two members of a fabric on one machine: the usual socket has the name of the fabric.
        words =
            [
                "serve", "--socket", matterctl.folder.file("serve.sock").path, "--listen", "127.0.0.1:\(port)",
                "--only", "north=lamp",
            ] + options
    }

    var log: String { server.withLock { $0?.stderr ?? "" } }

    func start() async throws {
        let child = try matterctl.start(words)
        server.withLock { $0 = child }
        try await eventually("the server listens: \(child.stderr)") {
            child.stderr.contains("http://127.0.0.1:\(self.port)")
        }
    }

    func kill() async {
        let child = server.withLock { $0 }
        child?.signal(SIGKILL)
        _ = await child?.status()
    }

    func health() async throws -> JSON { try JSON(parsing: try await get("/health")) }

    func get(_ path: String) async throws -> String {
        let script = """
            import sys, urllib.request
            request = urllib.request.Request(sys.argv[1], headers={"Authorization": "Bearer " + sys.argv[2]})
            print(urllib.request.urlopen(request, timeout=10).read().decode())
            """
        let child = try Child(
            Laboratory.python, ["-c", script, "http://127.0.0.1:\(port)\(path)", token],
            environment: Laboratory.environment, folder: matterctl.folder)
        #expect(await child.status() == 0, "\(child.stderr)")
        return child.stdout
    }

    /// Waits until the share is in a state, with its light followed or not.
    func waitFor(_ state: String, up: Int, of share: Int = 0) async throws {
        var last: JSON?
        for _ in 0..<300 {
            let health = try await health()
            last = health["shares"]?[share]
            if last?["state"]?.string == state, last?["nodes_up"]?.int == up { return }
            // Another process: nothing tells when it is so.
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("not \(state) with \(up) up: \(String(describing: last)) \(log)")
    }

    /// A client that prints each event that it is told.
    func listen() throws -> Child {
        let script = """
            import asyncio, sys, aiohttp
            async def main():
                async with aiohttp.ClientSession() as session, session.ws_connect(sys.argv[1]) as socket:
                    await socket.receive()
                    await socket.send_str('{"message_id": "1", "command": "start_listening"}')
                    await socket.receive()
                    print("listening", flush=True)
                    async for message in socket: print(message.data, flush=True)
            asyncio.run(main())
            """
        return try Child(
            Laboratory.python, ["-c", script, "ws://127.0.0.1:\(port)/ws/\(token)"],
            environment: Laboratory.environment,
            folder: matterctl.folder)
    }

    /// A server that says that it is this one, takes one request, and does nothing.
    func imposter(port: Int) throws -> Child {
        let script = """
            import asyncio, sys, urllib.request
            from aiohttp import web
            request = urllib.request.Request(sys.argv[1], headers={"Authorization": "Bearer " + sys.argv[2]})
            info = urllib.request.urlopen(request, timeout=10).read().decode()
            async def talk(request):
                socket = web.WebSocketResponse()
                await socket.prepare(request)
                await socket.send_str(info)
                print("asked", (await socket.receive()).data, flush=True)
                await socket.receive()
                return socket
            async def main():
                app = web.Application()
                app.router.add_get("/ws", talk)
                runner = web.AppRunner(app)
                await runner.setup()
                await web.TCPSite(runner, "127.0.0.1", int(sys.argv[3])).start()
                print("ready", flush=True)
                await asyncio.sleep(3600)
            asyncio.run(main())
            """
        return try Child(
            Laboratory.python, ["-c", script, "http://127.0.0.1:\(self.port)/info", token, "\(port)"],
            environment: Laboratory.environment, folder: matterctl.folder)
    }

    /// Sends one command of the interface over a WebSocket.
    func ask(_ command: String, _ arguments: String) async throws -> JSON {
        let script = """
            import asyncio, json, sys, aiohttp
            async def main():
                async with aiohttp.ClientSession() as session, session.ws_connect(sys.argv[1]) as socket:
                    await socket.receive()
                    await socket.send_str(json.dumps(
                        {"message_id": "1", "command": sys.argv[2], "args": json.loads(sys.argv[3])}))
                    print((await socket.receive()).data)
            asyncio.run(main())
            """
        let child = try Child(
            Laboratory.python, ["-c", script, "ws://127.0.0.1:\(port)/ws/\(token)", command, arguments],
            environment: Laboratory.environment, folder: matterctl.folder)
        #expect(await child.status() == 0, "\(child.stderr)")
        return try JSON(parsing: child.stdout)
    }
}

/// Two hosts that serve one fabric.
private struct TwoHosts {
    let light: VirtualDevice
    let first: ShareHost
    let second: ShareHost
    static let toggle =
        #"{"node_id": 1, "endpoint_id": 1, "cluster_id": 6, "command_name": "Toggle", "payload": {}}"#

    /// Makes the second one a member of the first one's fabric.
    private static func join(_ anna: MatterCtl, _ owner: MatterCtl) async throws {
        let (request, answer) = (anna.folder.file("request").path, owner.folder.file("answer").path)
        try await anna.succeed("fabric", "join-request", "--output", request)
        try await owner.succeed("fabric", "member", "add", "anna", "--csr", request, "--output", answer, "--yes")
        try await anna.succeed("fabric", "import", answer)
    }

    init(ports: (Int, Int)) async throws {
        light = try await VirtualDevice.start("on-off-light", isAdvertised: true)
        let (owner, anna) = (try MatterCtl(), try MatterCtl())
        try await owner.commission(light, ["--name", "lamp"])
        try await Self.join(anna, owner)
        first = try await ShareHost(owner, port: ports.0)
        // Each knows the other's URL with its token; only one of them says so at its start.
        second = try await ShareHost(
            anna, port: ports.1, options: ["--stand-by", "north", "--peer", "@\(first.url)"])
        try await first.start()
        try await second.start()
        try await first.waitFor("held", up: 1)
        try await second.waitFor("stand-by", up: 0)
    }

    /// Two hosts, each with a share of its own, that wait with the other's.
    init(ports: (Int, Int), and hall: VirtualDevice) async throws {
        light = try await VirtualDevice.start("on-off-light", isAdvertised: true)
        let (owner, anna) = (try MatterCtl(), try MatterCtl())
        try await owner.commission(light, ["--name", "lamp"])
        try await owner.commission(hall, ["--name", "hall"])
        try await Self.join(anna, owner)
        let second = anna.folder.file("url").path
        first = try await ShareHost(
            owner, port: ports.0,
            options: ["--only", "south=hall", "--stand-by", "south", "--peer", "south=@\(second)"])
        self.second = try await ShareHost(
            anna, port: ports.1,
            options: ["--only", "south=hall", "--stand-by", "north", "--peer", "north=@\(first.url)"])
        try await first.start()
        try await self.second.start()
        try await first.waitFor("held", up: 1)
        try await self.second.waitFor("held", up: 1, of: 1)
    }

    func end() async {
        await first.kill()
        await second.kill()
        light.stop()
    }
}

/// Shares of a house, on two hosts.
@Suite("Shares of a house", .enabled(if: Laboratory.isHere), .laboratorySlot) struct ServeShareTests {
    @Test(
        "a share moves to the host that takes it, stays there over restarts, and comes back", .timeLimit(.minutes(15)))
    func moves() async throws {
        let hosts = try await TwoHosts(ports: (8581, 8582))
        let (first, second, light) = (hosts.first, hosts.second, hosts.light)
        let before = try await second.ask("device_command", TwoHosts.toggle)
        #expect(before["error_code"]?.int == 3, "\(before)")
        #expect(before["details"]?.string?.contains("'north'") == true, "\(before)")
        #expect(light.steps.count { $0 == "subscribed" } == 1, "\(light.steps)")

        let listener = try first.listen()
        try await eventually("the client listens: \(listener.stderr)") { listener.stdout.contains("listening") }
        let taken = try await second.matterctl.succeed("serve", "take", "north", "--json").json()
        #expect(taken["result"]?.string == "taken" && taken["givenUp"]?.bool == true, "\(taken)")
        #expect(taken["nodeCount"]?.int == 1 && taken["from"]?.string?.contains("mctl_") == false, "\(taken)")
        try await second.waitFor("held", up: 1)
        try await first.waitFor("given-up", up: 0)
        // Home Assistant would forget a node that is removed, with its name and automations.
        try await eventually("the client is told: \(listener.stdout)") {
            listener.stdout.contains("\"available\":false")
        }
        #expect(listener.stdout.contains("node_updated") && !listener.stdout.contains("node_removed"))
        // The first one has ended its session before the second one subscribed.
        let steps = light.steps
        let places = steps.indices.filter { steps[$0] == "subscribed" }
        #expect(places.count == 2, "\(steps)")
        if let begin = places.first, let end = places.last {
            #expect(steps[begin..<end].contains("closed"), "\(steps)")
        }
        let refused = try await first.ask("device_command", TwoHosts.toggle)
        #expect(refused["error_code"]?.int == 3, "\(refused)")
        #expect(try await first.ask("get_node", #"{"node_id": 1}"#)["result"]?["available"]?.bool == false)
        #expect(light.switchings == 0)
        #expect(try await second.ask("device_command", TwoHosts.toggle)["error_code"] == nil)
        #expect(light.switchings == 1)

        await first.kill()
        try await first.start()
        try await first.waitFor("given-up", up: 0)
        let shares = try await first.matterctl.succeed("serve", "shares", "--json").json()
        #expect(shares[0]?["state"]?.string == "given-up" && shares[0]?["host"] != nil, "\(shares)")
        #expect(light.steps.count { $0 == "subscribed" } == 2, "\(light.steps)")
        await second.kill()
        try await second.start()
        // Whatever the option says with which it was started.
        try await second.waitFor("held", up: 1)

        // The first one does not know where the second one is.
        let unnamed = try await first.matterctl.fail(64, "serve", "take", "north", "--json")
        #expect(try unnamed.error()["id"]?.string == "serve.peer-unnamed", "\(unnamed)")
        try await first.matterctl.succeed("serve", "take", "north", "--from", "@\(second.url)")
        try await first.waitFor("held", up: 1)
        try await second.waitFor("given-up", up: 0)
        let again = try await first.matterctl.succeed("serve", "take", "north", "--json").json()
        #expect(again["result"]?.string == "held", "\(again)")
        #expect(!first.log.contains("mctl_") && !second.log.contains("mctl_"))
        await hosts.end()
    }

    @Test(
        "a share of a host that is dead is taken by force only; both are told apart when it lives again",
        .timeLimit(.minutes(15)))
    func dead() async throws {
        let hosts = try await TwoHosts(ports: (8583, 8584))
        let (first, second) = (hosts.first, hosts.second)
        await first.kill()
        let unreached = try await second.matterctl.fail(4, "serve", "take", "north", "--json")
        let error = try unreached.error()
        #expect(error["id"]?.string == "serve.peer-unreachable", "\(error)")
        #expect(error["message"]?.string?.contains("127.0.0.1:\(first.port)") == true, "\(error)")
        #expect(error["hint"]?.string?.contains("--force") == true, "\(error)")
        #expect(!unreached.stderr.contains("mctl_"), "\(unreached)")
        try await second.waitFor("stand-by", up: 0)
        let forced = try await second.matterctl.succeed("serve", "take", "north", "--force", "--json")
        #expect(try forced.json()["givenUp"]?.bool == false, "\(forced)")
        #expect(forced.stderr.contains("follows it, too"), "\(forced)")
        try await second.waitFor("held", up: 1)
        // The dead host did not hear of it.
        try await first.start()
        try await first.waitFor("held", up: 1)
        let mended = try await second.matterctl.succeed("serve", "take", "north", "--json").json()
        #expect(mended["givenUp"]?.bool == true, "\(mended)")
        try await first.waitFor("given-up", up: 0)
        try await second.waitFor("held", up: 1)

        let unknown = try await second.matterctl.fail(3, "serve", "take", "south", "--json")
        #expect(try unknown.error()["id"]?.string == "serve.share-unknown", "\(unknown)")
        await second.kill()
        let none = try await second.matterctl.fail(10, "serve", "shares", "--json")
        #expect(try none.error()["id"]?.string == "serve.not-running", "\(none)")
        await hosts.end()
    }

    @Test(
        "a host that is killed while it takes a share, and one that is never answered, do not follow; the next take mends it",
        .timeLimit(.minutes(15)))
    func interrupted() async throws {
        let hosts = try await TwoHosts(ports: (8587, 8588))
        let (first, second) = (hosts.first, hosts.second)
        let imposter = try first.imposter(port: 8589)
        try await eventually("it listens: \(imposter.stderr)") { imposter.stdout.contains("ready") }
        let words = ["serve", "take", "north", "--from", "ws://127.0.0.1:8589/ws", "--json"]
        let killed = try second.matterctl.start(words)
        try await eventually("it is asked: \(killed.stderr)") { imposter.stdout.contains("asked") }
        #expect(imposter.stdout.contains("give_up_share"), "\(imposter.stdout)")
        await second.kill()
        #expect(await killed.status() == 4, "\(killed.stderr)")
        #expect(try JSON(parsing: killed.stderr)["error"]?["outcome"]?.string == "unknown", "\(killed.stderr)")
        try await second.start()
        try await second.waitFor("taking", up: 0)
        let shares = try await second.matterctl.succeed("serve", "shares", "--json").json()
        #expect(shares[0]?["state"]?.string == "taking" && shares[0]?["upCount"]?.int == 0, "\(shares)")
        try await first.waitFor("held", up: 1)

        let asked = imposter.stdout.count { $0 == "\n" }
        let lost = try second.matterctl.start(words)
        try await eventually("it is asked again: \(lost.stderr)") { imposter.stdout.count { $0 == "\n" } > asked }
        imposter.signal(SIGKILL)
        #expect(await lost.status() == 4, "\(lost.stderr)")
        #expect(lost.stderr.contains("serve.peer-lost"), "\(lost.stderr)")
        try await second.waitFor("taking", up: 0)
        try await second.matterctl.succeed("serve", "take", "north")
        try await second.waitFor("held", up: 1)
        try await first.waitFor("given-up", up: 0)
        await hosts.end()
    }

    @Test("two hosts with a share each wait with the other's, and one takes both", .timeLimit(.minutes(15)))
    func both() async throws {
        let hall = try await VirtualDevice.start("on-off-light", isAdvertised: true)
        defer { hall.stop() }
        let hosts = try await TwoHosts(ports: (8577, 8578), and: hall)
        let (first, second) = (hosts.first, hosts.second)
        try await first.waitFor("stand-by", up: 0, of: 1)
        try await second.waitFor("stand-by", up: 0)
        #expect(try await first.ask("device_command", TwoHosts.toggle)["error_code"] == nil)
        #expect(try await second.ask("device_command", TwoHosts.toggle)["error_code"]?.int == 3)
        let metrics = try await second.get("/metrics")
        #expect(metrics.contains("{state=\"elsewhere\"} 1") && metrics.contains("{state=\"down\"} 0"), "\(metrics)")
        try await first.matterctl.succeed("serve", "take", "south")
        try await first.waitFor("held", up: 1, of: 1)
        try await first.waitFor("held", up: 1)
        try await second.waitFor("given-up", up: 0, of: 1)
        try await second.waitFor("stand-by", up: 0)
        await hosts.end()
    }

    @Test("two takes at once: the share moves once, and the other one is told", .timeLimit(.minutes(15)))
    func atOnce() async throws {
        let hosts = try await TwoHosts(ports: (8585, 8586))
        let second = hosts.second
        let takes = try (0..<4).map { _ in try second.matterctl.start(["serve", "take", "north", "--json"]) }
        var ends: [Int32: Int] = [:]
        for take in takes {
            let status = await take.status()
            ends[status, default: 0] += 1
            if status != 0 { #expect(take.stderr.contains("serve.share-busy"), "\(take.stderr)") }
        }
        // Those that come later find it here.
        #expect(ends[0, default: 0] >= 1 && ends[0, default: 0] + ends[10, default: 0] == 4, "\(ends)")
        #expect(takes.count { $0.stdout.contains("\"taken\"") } == 1)
        try await second.waitFor("held", up: 1)
        try await hosts.first.waitFor("given-up", up: 0)

        // A token that may only switch does not move a share.
        let token = try await hosts.first.matterctl.succeed("serve", "token", "add", "panel", "--role", "control")
            .result
        let place = second.matterctl.folder.file("weak").path
        try "ws://127.0.0.1:\(hosts.first.port)/ws/\(token)".write(toFile: place, atomically: true, encoding: .utf8)
        let weak = try await second.matterctl.fail(9, "serve", "take", "north", "--from", "@\(place)", "--json")
        #expect(try weak.error()["message"]?.string?.contains("administer") == true, "\(weak)")
        try await second.waitFor("held", up: 1)
        let open = try await second.matterctl.fail(
            64, "serve", "take", "north", "--from", "ws://127.0.0.1:\(hosts.first.port)/ws/\(token)")
        #expect(open.stderr.contains("@FILE") && !open.stderr.contains("mctl_"), "\(open)")
        await hosts.end()
    }
}
