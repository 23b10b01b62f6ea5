import Foundation
import Testing

/// A server of a house with one virtual light, and a way to ask it over HTTP.
private final class ServedHouse: Sendable {
    let matterctl: MatterCtl
    let light: VirtualDevice
    let server: Child
    let token: String
    let port: Int

    init(
        _ type: String = "dimmable-light", faults: [String] = [], port: Int, options: [String] = [],
        environment: [String: String] = [:]
    ) async throws {
        var matterctl = try MatterCtl()
        for (name, value) in environment { matterctl.environment[name] = value }
        light = try await VirtualDevice.start(type, faults: faults, isAdvertised: true)
        try await matterctl.commission(light, ["--name", "lamp"])
        try await matterctl.succeed("session", "drop", "lamp")
        token = try await matterctl.succeed("serve", "token", "add", "test", "--role", "administer").result
        self.matterctl = matterctl
        self.port = port
        server = try matterctl.start(["serve", "--listen", "127.0.0.1:\(port)", "--metrics-values"] + options)
        try await eventually("the server listens: \(server.stderr)") { [server] in
            server.stderr.contains("http://127.0.0.1:\(port)") || !server.isRunning
        }
        try #require(server.isRunning, "\(server.stderr)")
        try await waitUntilFollowed()
    }

    func waitUntilFollowed() async throws {
        for _ in 0..<300 {
            if try await get("/health").contains("\"nodes_up\":1") { return }
            // Another process: nothing tells when it is so.
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("the light is not followed: \(server.stderr)")
    }

    func get(_ path: String, token given: String? = nil) async throws -> String {
        let script = """
            import sys, urllib.request, urllib.error
            request = urllib.request.Request(sys.argv[1], headers={"Authorization": "Bearer " + sys.argv[2]})
            try: print(urllib.request.urlopen(request, timeout=10).read().decode())
            except urllib.error.HTTPError as error: print(error.code)
            """
        let child = try Child(
            Laboratory.python, ["-c", script, "http://127.0.0.1:\(port)\(path)", given ?? token],
            environment: Laboratory.environment, folder: matterctl.folder)
        #expect(await child.status() == 0, "\(child.stderr)")
        return child.stdout
    }

    func end() {
        server.signal(SIGKILL)
        light.stop()
    }
}

/// `matterctl serve` beside the command line.
@Suite("Server", .enabled(if: Laboratory.isHere), .laboratorySlot) struct ServeTests {
    @Test("commands of a shell go through the server, over its session, and are done once", .timeLimit(.minutes(15)))
    func shell() async throws {
        let house = try await ServedHouse(port: 8471)
        defer { house.end() }
        let matterctl = house.matterctl
        #expect(try await matterctl.succeed("toggle", "lamp").stdout.isEmpty)
        #expect(try await matterctl.succeed("read", "lamp", "1/on-off/on-off").stdout == "true\n")
        #expect(try await matterctl.succeed("status", "lamp", "--json").json()[0]?["name"]?.string == "lamp")
        let unknown = try await matterctl.fail(3, "toggle", "nowhere")
        let direct = try await matterctl.fail(3, "toggle", "nowhere", "--direct")
        #expect(unknown.stderr == direct.stderr)
        // They were the server's: no session was left for the next command.
        #expect(try await matterctl.succeed("session", "ls", "--json").json().elements.isEmpty)
        #expect(house.light.switchings == 1)
        try await matterctl.succeed("toggle", "lamp", "--direct")
        #expect(try await matterctl.succeed("session", "ls", "--json").json().elements.count == 1)
        #expect(house.light.switchings == 2)
        // A command for another fabric is not for this server.
        try await matterctl.succeed("fabric", "create", "other")
        try await matterctl.fail(3, "toggle", "lamp", "--fabric", "other")
    }

    @Test(
        "a server that is lost after a command was handed over: exit code 4, and nothing is done twice",
        .timeLimit(.minutes(15)))
    func lost() async throws {
        let house = try await ServedHouse(faults: ["slow-answer:4000"], port: 8472)
        defer { house.end() }
        let toggle = try house.matterctl.start(["toggle", "lamp", "--json"])
        try await eventually("the light is switched") { house.light.switchings == 1 }
        house.server.signal(SIGKILL)
        #expect(await toggle.status() == 4, "\(toggle.stderr)")
        #expect(try JSON(parsing: toggle.stderr)["error"]?["outcome"]?.string == "unknown", "\(toggle.stderr)")
        #expect(house.light.switchings == 1)
        // Without a server the next command goes its own way; the socket that is left is no obstacle.
        try await house.matterctl.succeed("off", "lamp", "--timeout", "20s")
    }

    @Test("an interrupted command is cancelled at the server, and says that it may have run", .timeLimit(.minutes(15)))
    func interrupted() async throws {
        let house = try await ServedHouse(faults: ["slow-answer:6000"], port: 8473)
        defer { house.end() }
        let toggle = try house.matterctl.start(["toggle", "lamp"])
        try await eventually("the light is switched") { house.light.switchings == 1 }
        toggle.signal(SIGINT)
        #expect(await toggle.status() == 130, "\(toggle.stderr)")
        #expect(toggle.stderr.contains("may have run"), "\(toggle.stderr)")
    }

    @Test(
        "another user is refused at both sockets, also where their permissions let everyone in; nothing runs, the log has it",
        .enabled(if: Laboratory.hasOtherUsers), .timeLimit(.minutes(15)))
    func foreignUser() async throws {
        // Its permissions are opened, and those of no other server.
        let runtime = try RuntimeFolder()
        let log = runtime.path + "/log"
        let house = try await ServedHouse(
            port: 8476, options: ["--log-file", log], environment: ["XDG_RUNTIME_DIR": runtime.path])
        defer { house.end() }
        let matterctl = house.matterctl

        func ask(as user: Int) async throws -> JSON {
            let child = try Child(
                Laboratory.python,
                [
                    Laboratory.scripts.appendingPathComponent("foreign_user.py").path, "--user", "\(user)",
                    runtime.path + "/matterctl", Laboratory.binary.path, matterctl.home.path, "lamp",
                ], folder: matterctl.folder)
            #expect(await child.status() == 0, "\(child.stderr)")
            return try JSON(parsing: child.stdout)
        }

        let stranger = try await ask(as: 65_534)
        #expect(stranger["user"]?.int == 65_534)
        #expect(stranger["shell"]?.string == "" && stranger["web"]?.string == "", "\(stranger)")
        #expect(house.light.switchings == 0)
        let said = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            .filter { $0.contains("another user was refused") }
        #expect(said.count == 2 && said.allSatisfy { $0.contains("user=65534") }, "\(said)")
        // This user's same questions are answered.
        let own = try await ask(as: 0)
        #expect(own["shell"]?.string?.hasPrefix("a") == true, "\(own)")
        #expect(own["web"]?.string?.hasPrefix("HTTP/1.1 101 ") == true, "\(own)")
        try await eventually("the light is switched: \(own)") { house.light.switchings == 1 }
    }

    @Test("systemd's stand-in is told what the server does; SIGTERM ends it in two seconds", .timeLimit(.minutes(15)))
    func serviceManager() async throws {
        let folder = try TemporaryFolder()
        let place = folder.file("notify").path
        let script = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            s.bind(sys.argv[1])
            print("bound", flush=True)
            while True: print(s.recv(4096).decode().replace("\\n", " | "), flush=True)
            """
        let manager = try Child(
            Laboratory.python, ["-c", script, place], environment: Laboratory.environment, folder: folder)
        try await eventually("the stand-in listens") { manager.stdout.contains("bound") }
        let house = try await ServedHouse(
            port: 8474, environment: ["NOTIFY_SOCKET": place, "WATCHDOG_USEC": "1000000"])
        defer { house.end() }
        try await eventually("it is ready") { manager.stdout.contains("READY=1") }
        try await eventually("the watchdog is fed") { manager.stdout.contains("WATCHDOG=1") }
        try await eventually("the status follows") { manager.stdout.contains("STATUS=1 of 1 nodes followed") }
        house.server.signal(SIGHUP)
        try await eventually("it reads again") { manager.stdout.contains("RELOADING=1 | MONOTONIC_USEC=") }
        house.server.signal(SIGTERM)
        #expect(await house.server.status() == 0, "\(house.server.stderr)")
        #expect(manager.stdout.contains("STOPPING=1"))
    }

    @Test("a socket that the service manager has opened is served", .timeLimit(.minutes(15)))
    func activated() async throws {
        let matterctl = try MatterCtl()
        try await matterctl.succeed("fabric", "create", "home")
        let place = matterctl.folder.file("activated.sock").path
        let script = """
            import os, socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.bind(sys.argv[1]); s.listen(8)
            os.dup2(s.fileno(), 3)
            os.set_inheritable(3, True)
            os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
            os.execv(sys.argv[2], [sys.argv[2], "serve"])
            """
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["XDG_STATE_HOME"] = matterctl.folder.file("xdg-state").path
        let server = try Child(
            Laboratory.python, ["-c", script, place, Laboratory.binary.path], environment: environment,
            folder: matterctl.folder)
        defer { server.signal(SIGKILL) }
        let ask = """
            import socket, sys, time
            for _ in range(100):
                try:
                    s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.settimeout(5)
                    s.sendall(b"GET /health HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
                    text = b""
                    while chunk := s.recv(65536): text += chunk
                    print(text.decode()); break
                except OSError: time.sleep(0.1)
            """
        let answer = try Child(
            Laboratory.python, ["-c", ask, place], environment: environment, folder: matterctl.folder)
        #expect(await answer.status() == 0, "\(answer.stderr)")
        #expect(answer.stdout.contains("\"node_count\":0"), "\(answer.stdout)\(server.stderr)")
    }

    @Test("the state of the house comes from memory, with the age of each value", .timeLimit(.minutes(15)))
    func remembered() async throws {
        let house = try await ServedHouse(port: 8476)
        defer { house.end() }
        let matterctl = house.matterctl
        try await matterctl.succeed("on", "lamp")
        // It is not asked: it would not answer.
        house.light.signal(SIGSTOP)
        let known = try #require(try await matterctl.succeed("status", "--json").json().elements.first)
        #expect(known["heardSeconds"]?.int != nil && known["reachable"]?.bool == true, "\(known)")
        let on = try #require(known["values"]?.elements.first { $0["quantity"]?.string == "on" })
        #expect(on["value"]?.bool == true && on["time"]?.string != nil, "\(on)")
        house.light.signal(SIGCONT)
        let direct = try #require(try await matterctl.succeed("status", "--json", "--direct").json().elements.first)
        #expect(direct["heardSeconds"] == nil && direct["summary"] == known["summary"], "\(direct)")
        // The server starts again while the light is off: what was known is kept, and is not told as the state now.
        house.server.signal(SIGTERM)
        #expect(await house.server.status() == 0, "\(house.server.stderr)")
        house.light.stop()
        let server = try matterctl.start(["serve"])
        defer { server.signal(SIGKILL) }
        for _ in 0..<300 {
            let kept = try #require(try await matterctl.run(["status", "--json"]).json().elements.first)
            if kept["error"] != nil, let on = kept["values"]?.elements.first(where: { $0["quantity"]?.string == "on" })
            {
                #expect(on["value"]?.bool == true && on["time"] == nil, "\(on)")
                #expect(kept["reachable"]?.bool == false && kept["summary"] == nil, "\(kept)")
                return
            }
            // Another process: nothing tells when it is so.
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("nothing was kept: \(server.stderr)")
    }

    @Test("a toggle after the device was killed and started again is done once", .timeLimit(.minutes(15)))
    func restarted() async throws {
        let house = try await ServedHouse(port: 8477)
        defer { house.end() }
        // The proof that a command did not run needs the whole seconds of the device's clock.
        try await Task.sleep(for: .seconds(3))
        try await house.light.restart(SIGKILL)
        try await Task.sleep(for: .seconds(3))
        let before = house.light.switchings
        try await house.matterctl.succeed("toggle", "lamp")
        #expect(house.light.switchings == before + 1)
    }

    @Test(
        "what goes on goes through the server: by its subscription, line by line, with the same words and exit codes",
        .timeLimit(.minutes(15)))
    func followed() async throws {
        let house = try await ServedHouse(port: 8478)
        defer { house.end() }
        let (matterctl, light) = (house.matterctl, house.light)
        func subscriptions() -> Int { light.steps.count { $0 == "subscribed" } }
        #expect(subscriptions() == 1)
        let path = "1/on-off/on-off"
        let watch = try matterctl.start(["subscribe", "lamp", path])
        try await eventually("the value now; there is \(watch.stdout)") { watch.stdout == "false\n" }
        try await matterctl.succeed("toggle", "lamp")
        try await eventually("the change; there is \(watch.stdout)") { watch.stdout == "false\ntrue\n" }
        watch.signal(SIGINT)
        #expect(await watch.status() == 0 && watch.stderr.isEmpty, "\(watch.stderr)")

        // `wait` for what is so, comes to be so, and does not come.
        try await matterctl.succeed("wait", "lamp", "\(path)=true")
        let wait = try matterctl.start(["wait", "lamp", "\(path)=false", "--for", "1m", "--json"])
        try await matterctl.succeed("toggle", "lamp")
        #expect(await wait.status() == 0, "\(wait.stderr)")
        #expect(try JSON(parsing: wait.stdout)["result"]?.string == "met")
        let interrupted = try matterctl.start(["wait", "lamp", "\(path)=true"])
        for word in ["--for", "--timeout"] {
            let late = try await matterctl.fail(12, "wait", "lamp", "\(path)=true", word, "1s")
            #expect(late.stderr.contains("did not happen within 1 s"), "\(late)")
        }
        interrupted.signal(SIGINT)
        #expect(await interrupted.status() == 130, "\(interrupted.stderr)")
        try await matterctl.fail(64, "wait", "lamp", "1/no-such-cluster/thing=1")

        // A kind of device, a table, and a reader that goes.
        let sensor = try await VirtualDevice.start("occupancy-sensor", isAdvertised: true)
        defer { sensor.stop() }
        try await matterctl.commission(sensor, ["--name", "hall"])
        try await eventually("the sensor is followed; \(sensor.steps)") { sensor.steps.contains("subscribed") }
        let motion = try await matterctl.run(["motion", "hall", "--watch", "--for", "1s"])
        #expect(motion.status == 0 && motion.stdout.contains("\t1\t"), "\(motion)")
        #expect(sensor.steps.count { $0 == "subscribed" } == 1, "\(sensor.steps)")
        let robot = try await VirtualDevice.start("robot-vacuum", isAdvertised: true)
        defer { robot.stop() }
        try await matterctl.commission(robot, ["--name", "robot"])
        try await eventually("the robot is followed; \(robot.steps)") { robot.steps.contains("subscribed") }
        let modes = try await matterctl.run(["mode", "robot", "--watch", "--for", "1s"])
        #expect(modes.status == 0 && modes.stdout.contains("Idle"), "\(modes)")
        #expect(robot.steps.count { $0 == "subscribed" } == 1, "\(robot.steps)")
        let scene = try await matterctl.run(["scene", "lamp", "--watch", "--for", "1s"])
        #expect(scene.status == 0, "\(scene)")
        let table = try await matterctl.succeed("subscribe", "lamp", path, "--csv", "--count", "1")
        #expect(table.stdout.hasPrefix("time,node,name,path,value,unit\n"), "\(table)")
        let program = Laboratory.binary.path
        for way in ["", " --direct"] {
            var environment = matterctl.environment
            environment["MATTERCTL_HOME"] = matterctl.home.path
            let pipe = try Child(
                URL(fileURLWithPath: "/bin/bash"),
                ["-c", "\(program) subscribe lamp \(path)\(way) | head -1; echo ${PIPESTATUS[0]}"],
                environment: environment, folder: matterctl.folder)
            #expect(await pipe.status() == 0)
            #expect(pipe.stdout == "false\n0\n", "\(way): \(pipe.stdout)\(pipe.stderr)")
        }

        // All of it was told of the one subscription, but for the command that went past the server.
        #expect(subscriptions() == 2, "\(light.steps)")
        try await matterctl.succeed("session", "drop", "lamp")
        #expect(try await matterctl.succeed("session", "ls", "--json").json().elements.isEmpty)
        let one = try await matterctl.succeed("ping", "lamp", "--json").json()
        #expect(one["session"]?.string == "kept", "\(one)")
        for words in [
            ["events", "lamp", "--json"], ["describe", "lamp", "--json"], ["acl", "ls", "lamp"], ["who", "lamp"],
            ["window", "status", "lamp", "--json"], ["net", "status", "lamp", "--json"], ["node", "fabrics", "lamp"],
            ["supports", "lamp", path], ["supports", "lamp", "1/door-lock"],
            ["subscribe", "lamp", path, "1/level-control/current-level", "--count", "2"],
            ["events", "lamp", "--follow", "--count", "1"],
            ["subscribe", "lamp", "1/on-off/4242"], ["wait", "lamp", "7/on-off/on-off=true"],
            ["subscribe", "lamp", "0/operational-credentials/fabrics", "--count", "1"],
        ] {
            let (served, direct) = (try await matterctl.run(words), try await matterctl.run(words + ["--direct"]))
            #expect(served.status == direct.status && served.stderr == direct.stderr, "\(served)\(direct)")
            #expect(Self.withoutTimes(served.stdout) == Self.withoutTimes(direct.stdout), "\(served)\(direct)")
        }
    }

    @Test(
        "what changes lists, groups, windows and networks goes through the server: same output and exit codes, no session more",
        .timeLimit(.minutes(15)))
    func administered() async throws {
        let house = try await ServedHouse(port: 8480)
        defer { house.end() }
        let (matterctl, lamp) = (house.matterctl, house.light)
        let wall = try await VirtualDevice.start("on-off-switch", isAdvertised: true)
        defer { wall.stop() }
        try await matterctl.commission(wall, ["--name", "wall"])
        try await eventually("the switch is followed; \(wall.steps)") { wall.steps.contains("subscribed") }
        try await matterctl.succeed("group", "create", "lights")
        func sessions() -> Int { [lamp, wall].reduce(0) { $0 + $1.steps.count { $0.hasPrefix("case-") } } }

        // The same change through the server and past it; in between it is taken back.
        for (words, undo) in [
            (["acl", "grant", "lamp", "77"], ["acl", "revoke", "lamp", "77"]),
            (["acl", "grant", "lamp", "77", "--json"], ["acl", "revoke", "lamp", "77"]),
            (["bind", "wall", "lamp", "--cluster", "on-off"], ["unbind", "wall", "lamp"]),
            (["bind", "wall", "lamp", "--json"], ["unbind", "wall", "lamp"]),
            (["group", "add", "lights", "lamp"], ["group", "remove", "lights", "lamp"]),
            (["group", "add", "lights", "lamp", "--json"], ["group", "remove", "lights", "lamp"]),
            (["window", "open", "lamp", "--basic", "--for", "4m"], ["window", "close", "lamp"]),
            (["node", "rename", "lamp", "lamp", "--on-device", "--json"], []),
            (["node", "set", "lamp", "--name", "lamp", "--on-device", "--json"], []),
            (["node", "fabrics", "label", "lamp", "Lake", "--json"], []),
            (["node", "refresh", "lamp", "--json"], []), (["conform", "lamp", "--json"], []),
            // Refused by the device, or by the records.
            (["acl", "revoke", "lamp", "4242"], []), (["acl", "revoke", "lamp", "entry:1"], []),
            (["acl", "set", "lamp", "[]", "--yes"], []), (["unbind", "wall", "lamp"], []),
            (["group", "remove", "lights", "nowhere"], []), (["window", "close", "lamp", "--json"], []),
            (["node", "fabrics", "remove", "lamp", "9", "--yes"], []), (["net", "scan", "lamp", "--json"], []),
            (["net", "connect", "lamp", "nowhere"], []), (["net", "remove", "lamp", "nowhere", "--yes"], []),
            (["time", "sync", "wall"], []), (["icd", "register", "lamp"], []),
            (["lock", "remove-code", "lamp", "1"], []),
        ] as [([String], [String])] {
            let before = sessions()
            let served = try await matterctl.run(words)
            if !undo.isEmpty { try await matterctl.succeed(undo) }
            #expect(sessions() == before, "\(served)\(lamp.steps)\(wall.steps)")
            let direct = try await matterctl.run(words + ["--direct"])
            if !undo.isEmpty { try await matterctl.succeed(undo + ["--direct"]) }
            #expect(served.status == direct.status && served.stderr == direct.stderr, "\(served)\(direct)")
            #expect(served.status == 0 || undo.isEmpty, "\(served)")
            #expect(Self.withoutTimes(served.stdout) == Self.withoutTimes(direct.stdout), "\(served)\(direct)")
        }
        for device in ["lamp", "wall"] { try await matterctl.succeed("session", "drop", device) }

        // A code is made for each window; it lets another administrator in.
        let before = sessions()
        let window = try await matterctl.succeed("window", "open", "lamp", "--json").json()
        #expect(window["manualCode"]?.string != nil && window["until"]?.string != nil, "\(window)")
        let open = try await matterctl.fail(5, "window", "open", "lamp", "--json")
        #expect(try open.error()["id"]?.string == "window.open", "\(open)")
        #expect(try await matterctl.succeed("window", "status", "lamp", "--json").json()["until"]?.string != nil)
        try await matterctl.succeed("window", "close", "lamp")
        #expect(sessions() == before, "\(lamp.steps)")
        #expect(try await matterctl.succeed("session", "ls", "--json").json().elements.isEmpty)
    }

    @Test(
        "records that commands change through the server and past it at once keep both changes, and the server knows them",
        .timeLimit(.minutes(15)))
    func records() async throws {
        let house = try await ServedHouse(port: 8481)
        defer { house.end() }
        let matterctl = house.matterctl
        var lights: [VirtualDevice] = []
        defer { for light in lights { light.stop() } }
        for number in 1...3 {
            lights.append(try await VirtualDevice.start("on-off-light", isAdvertised: true))
            try await matterctl.commission(lights[number - 1], ["--name", "l\(number)"])
        }
        try await matterctl.succeed("group", "create", "lights")
        let names = ["lamp", "l1", "l2", "l3"]
        let runs = try names.enumerated().map { index, name in
            try matterctl.start(["group", "add", "lights", name] + (index % 2 == 0 ? [] : ["--direct"]))
        }
        for run in runs { #expect(await run.status() == 0, "\(run.stderr)") }
        let group = try #require(try await matterctl.succeed("group", "ls", "--json").json().elements.first)
        #expect(Set(group["members"]?.elements.compactMap { $0["name"]?.string } ?? []) == Set(names), "\(group)")
        // The server sends to the group that it has filled.
        try await matterctl.succeed("on", "group:lights", "--verify")
        let renames = try ["lamp", "l1", "l2", "l3"].enumerated().map { index, name in
            try matterctl.start(
                ["node", "rename", name, "\(name)-x", "--on-device"] + (index % 2 == 0 ? [] : ["--direct"]))
        }
        for run in renames { #expect(await run.status() == 0, "\(run.stderr)") }
        try await matterctl.succeed("off", "lamp-x")
        try await matterctl.succeed("off", "l1-x")
        let listed = try await matterctl.succeed("node", "ls", "--json").json().elements.compactMap {
            $0["name"]?.string
        }
        #expect(Set(listed) == Set(names.map { "\($0)-x" }), "\(listed)")
    }

    @Test(
        "a change whose server is lost after it was handed over is told as unknown, with exit code 4, and is made once",
        .timeLimit(.minutes(15)))
    func lostChange() async throws {
        for (port, fault, words) in [
            (8482, "mute:write:1", ["acl", "grant", "lamp", "77"]),
            (8483, "slow-answer:4000", ["window", "open", "lamp"]),
        ] {
            let house = try await ServedHouse(port: port)
            defer { house.end() }
            let (matterctl, lamp) = (house.matterctl, house.light)
            // Its commissioning has written, too. The command finds that the session is gone.
            try await lamp.restart(faults: [fault])
            func entries() -> Int { lamp.events.count { $0["name"]?.string == "AccessControlEntryChanged" } }
            let before = entries()
            func isMade() -> Bool { entries() > before || lamp.count(ofCommand: "OpenCommissioningWindow") > 0 }
            let change = try matterctl.start(words + ["--json"])
            try await eventually("the change: \(words)") { isMade() }
            house.server.signal(SIGKILL)
            #expect(await change.status() == 4, "\(change.stdout)\(change.stderr)")
            #expect(change.stdout.isEmpty)
            #expect(try JSON(parsing: change.stderr)["error"]?["outcome"]?.string == "unknown", "\(change.stderr)")
            #expect(lamp.count(ofCommand: "OpenCommissioningWindow") < 2)
            let list = try await matterctl.succeed("acl", "ls", "lamp", "--json").stdout
            // Our own node id is random, and may have these digits.
            #expect(list.components(separatedBy: #""subject":77,"#).count == (port == 8482 ? 2 : 1), "\(list)")
            let window = try await matterctl.succeed("window", "status", "lamp", "--json").json()
            #expect(window["window"]?.string == (port == 8482 ? "closed" : "enhanced"), "\(window)")
        }
    }

    @Test(
        "through the server, too, a number means the list that was shown before its process began",
        .timeLimit(.minutes(15)))
    func loadedLate() async throws {
        let house = try await ServedHouse(port: 8484)
        defer { house.end() }
        let (matterctl, lamp) = (house.matterctl, house.light)
        for subject in ["4242", "4343", "4444"] {
            try await matterctl.succeed("acl", "grant", "lamp", subject, "--target", "1/\(subject)")
        }
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        let before = lamp.steps.count { $0.hasPrefix("case-") }
        let late = try Child(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "kill -STOP $$; exec \"$0\" acl revoke lamp entry:2 --json", Laboratory.binary.path],
            environment: environment, folder: matterctl.folder)
        try await eventually("the process to stop") {
            try String(contentsOfFile: "/proc/\(late.pid)/stat", encoding: .utf8).contains(") T ")
        }
        try await matterctl.succeed("acl", "revoke", "lamp", "entry:2")
        late.signal(SIGCONT)
        #expect(await late.status() == 5, "\(late.stdout) \(late.stderr)")
        #expect(late.stderr.contains("node.list-changed"), "\(late.stderr)")
        let list = try await matterctl.succeed("acl", "ls", "lamp").stdout
        #expect(["4242", "4343", "4444"].map { list.contains($0) } == [false, true, true], "\(list)")
        // The new list was shown, and what begins now means it.
        try await matterctl.succeed("acl", "revoke", "lamp", "entry:2")
        #expect(!(try await matterctl.succeed("acl", "ls", "lamp").stdout.contains("4343")))
        #expect(lamp.steps.count { $0.hasPrefix("case-") } == before, "\(lamp.steps)")
    }

    @Test(
        "a question to a person is asked by the shell's own process, and once",
        .timeLimit(.minutes(15)))
    func questions() async throws {
        let house = try await ServedHouse("thermostat", port: 8485)
        defer { house.end() }
        let matterctl = house.matterctl
        let typist = """
            import os, pty, sys
            asked, answer, seen = sys.argv[1].encode(), sys.argv[2].encode(), b""
            def read(fd):
                global seen
                data = os.read(fd, 1024)
                seen += data
                while asked in seen:
                    seen = seen.split(asked, 1)[1]
                    os.write(fd, answer + b"\\n")
                return data
            sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[3:], read)))
            """
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        let path = "1/thermostat/occupied-heating-setpoint"
        let child = try Child(
            Laboratory.python, ["-c", typist, "? ", "1", Laboratory.binary.path, "write", "lamp", path, "21"],
            environment: environment, folder: matterctl.folder)
        #expect(await child.status() == 0, "\(child.stdout)\(child.stderr)")
        #expect(child.stdout.components(separatedBy: "or 2 for").count == 2, "\(child.stdout)")
        #expect(try await matterctl.succeed("read", "lamp", path).result == "2100")
    }

    /// Lines without what two runs never share: times, and numbers of subscriptions.
    private static func withoutTimes(_ text: String) -> [String] {
        text.split(separator: "\n").map { line in
            String(line).replacing(/"time":"[^"]*"/, with: "").replacing(
                /"(subscriptionId|maxIntervalSeconds|dataVersion)":[0-9]+/, with: ""
            )
            .replacing(/[0-9]{4}-[0-9T:.-]+Z/, with: "").replacing(/^(before|after)\t.*/, with: "")
        }
    }

    @Test(
        "without a runtime folder, or with one on a disk, it runs with a warning, and commands find it",
        .timeLimit(.minutes(15)))
    func withoutRuntimeFolder() async throws {
        let disk = try TemporaryFolder()
        for folder in [nil, disk.file("runtime").path] {
            var matterctl = try MatterCtl(keepsSessions: false)
            if let folder {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                matterctl.environment["XDG_RUNTIME_DIR"] = folder
            }
            let light = try await VirtualDevice.start("on-off-light", isAdvertised: true)
            defer { light.stop() }
            try await matterctl.commission(light, ["--name", "lamp"])
            let server = try matterctl.start(["serve"])
            defer { server.signal(SIGKILL) }
            try await eventually("the server listens: \(server.stderr)") { server.stderr.contains("listening on unix") }
            let place = folder.map { $0 + "/matterctl/" } ?? matterctl.home.path + "/run/"
            let warning = folder == nil ? "XDG_RUNTIME_DIR names no folder" : "does not lie in memory"
            #expect(server.stderr.contains("warning: ") && server.stderr.contains(warning), "\(server.stderr)")
            #expect(server.stderr.contains("unix://\(place)serve-"), "\(server.stderr)")
            try await eventually("the light is followed; \(light.steps)") { light.steps.contains("subscribed") }
            let sessions = light.steps.count { $0.hasPrefix("case-") }
            try await matterctl.succeed("toggle", "lamp")
            #expect(light.switchings == 1 && light.steps.count { $0.hasPrefix("case-") } == sessions, "\(light.steps)")
            server.signal(SIGTERM)
            #expect(await server.status() == 0, "\(server.stderr)")
            // Its socket is gone: the next command goes its own way.
            try await matterctl.succeed("toggle", "lamp")
            #expect(light.switchings == 2)
        }
    }

    @Test(
        "what goes on outlives the server: it goes on by itself, unless it counts its lines",
        .timeLimit(.minutes(15)))
    func outlived() async throws {
        let house = try await ServedHouse(port: 8479)
        defer { house.end() }
        let matterctl = house.matterctl
        let path = "1/on-off/on-off"
        let watch = try matterctl.start(["subscribe", "lamp", path])
        let counted = try matterctl.start(["subscribe", "lamp", path, "--count", "3"])
        let wait = try matterctl.start(["wait", "lamp", "\(path)=true"])
        try await eventually("the values") { watch.stdout == "false\n" && counted.stdout == "false\n" }
        // A node has room for two sessions of followers that are processes of their own.
        house.server.signal(SIGKILL)
        #expect(await counted.status() == 4, "\(counted.stderr)")
        #expect(counted.stderr.contains("the server of the house was lost"), "\(counted.stderr)")
        try await eventually("it goes on; there is \(watch.stdout)\(watch.stderr)") { watch.stdout == "false\nfalse\n" }
        #expect(watch.stderr.contains("going on without it"), "\(watch.stderr)")
        try await matterctl.succeed("on", "lamp")
        #expect(await wait.status() == 0, "\(wait.stderr)")
        try await eventually("the change; there is \(watch.stdout)") { watch.stdout.hasSuffix("true\n") }
        watch.signal(SIGINT)
        #expect(await watch.status() == 0, "\(watch.stderr)")
    }

    @Test("a device that starts again and a node that joins are noticed; metrics tell them", .timeLimit(.minutes(15)))
    func changes() async throws {
        let house = try await ServedHouse(port: 8475)
        defer { house.end() }
        try await house.light.restart()
        try await house.waitUntilFollowed()
        let second = try await VirtualDevice.start("on-off-light", isAdvertised: true)
        defer { second.stop() }
        try await house.matterctl.commission(second, ["--name", "second"])
        for _ in 0..<200 {
            if try await house.get("/metrics").contains("matterctl_nodes{state=\"up\"} 2") { break }
            // Another process: nothing tells when it is so.
            try await Task.sleep(for: .milliseconds(100))
        }
        let metrics = try await house.get("/metrics")
        #expect(metrics.contains("matterctl_nodes{state=\"up\"} 2") && metrics.hasSuffix("# EOF\n\n"), "\(metrics)")
        #expect(metrics.contains("matterctl_report_age_seconds{node=\"2\"}"), "\(metrics)")
        try await house.matterctl.succeed("node", "remove", "second", "--yes")
        for _ in 0..<100 {
            if try await house.get("/health").contains("\"node_count\":1") { break }
            // Another process: nothing tells when it is so.
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(try await house.get("/health").contains("\"node_count\":1"))
        #expect(try await house.get("/health", token: "mctl_wrong") == "401\n")
    }
}
