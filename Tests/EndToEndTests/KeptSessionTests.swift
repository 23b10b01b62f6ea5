import Foundation
import Testing

/// Commands that go on with the session of the one before.
@Suite("Sessions that are kept", .enabled(if: Laboratory.isHere), .laboratorySlot)
struct KeptSessionTests {
    /// The session that a successful command reports.
    private static func rung(_ matterctl: MatterCtl, _ words: String...) async throws -> String? {
        let outcome = try await matterctl.run(words + ["--progress", "json"])
        try #require(outcome.status == 0, "\(outcome)")
        let lines = try outcome.messages.map { try JSON(parsing: $0) }
        return lines.first { $0["progress"]?["stage"]?.string == "session" }?["progress"]?["session"]?.string
    }

    @Test("CircuitMatter is switched on one session by process after process")
    func circuitMatter() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let matterctl = scene.matterctl
        #expect(try await Self.rung(matterctl, "toggle", "kitchen") == "full")
        for _ in 0..<3 {
            #expect(try await Self.rung(matterctl, "toggle", "kitchen") == "kept")
        }
        #expect(try await matterctl.succeed("read", "kitchen", "1/on-off/on-off").stdout == "false\n")
        #expect(try await matterctl.succeed("ping", "kitchen", "--json").json()["session"]?.string == "kept")
        #expect(scene.light.switchings == 4)
        let listed = try await matterctl.succeed("session", "ls", "--json").json()
        #expect(listed[0]?["node"]?.int == 1 && listed[0]?["name"]?.string == "kitchen")
        let shown = try await matterctl.succeed("node", "show", "kitchen", "--json").json()
        #expect(shown["keptSession"]?["ageSeconds"]?.int != nil, "\(shown)")
        #expect(try await matterctl.succeed("session", "drop", "kitchen").stdout.isEmpty)
        #expect(try await matterctl.succeed("session", "ls", "--json").json().elements.isEmpty)
        #expect(try await matterctl.succeed("session", "warm", "kitchen", "--json").json()["session"]?.string == "full")
        let warmed = try await matterctl.succeed("session", "warm", "--all", "--json")
        #expect(try warmed.json()[0]?["session"]?.string == "kept" && warmed.stderr.isEmpty, "\(warmed)")
        #expect(try await Self.rung(matterctl, "toggle", "kitchen", "--fresh") == "full")
        #expect(
            try await Self.rung(matterctl, "toggle", "kitchen", "--no-keep") == "kept")
        #expect(try await matterctl.succeed("session", "ls", "--json").json().elements.isEmpty)
        #expect(scene.light.switchings == 6)
    }

    @Test("the first datagram is the command: command, answer, acknowledgement, and no more")
    func onTheWire() async throws {
        let device = try await VirtualDevice.start()
        defer { device.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(device, ["--name", "kitchen"])
        try await matterctl.succeed("toggle", "kitchen")
        let capture = try await Self.capture(device, seconds: 4, matterctl)
        try await matterctl.succeed("toggle", "kitchen")
        #expect(await capture.status() == 0)
        let datagrams = Self.datagrams(capture)
        #expect(datagrams.map { $0[0] } == ["up", "down", "up"], "\(datagrams)")
        #expect(datagrams.allSatisfy { $0[1] != "0" }, "all of them encrypted: \(datagrams)")
        #expect(device.switchings == 2)
    }

    /// Sees all UDP of this host that comes from the device's port or goes there, for a while from its return on.
    private static func capture(_ device: VirtualDevice, seconds: Int, _ matterctl: MatterCtl) async throws -> Child {
        let script = """
            import socket, struct, sys, time
            port, s = int(sys.argv[1]), socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
            s.settimeout(0.1)
            print("listening", flush=True)
            end = time.monotonic() + int(sys.argv[2])
            while time.monotonic() < end:
                try: frame, (_, _, kind, _, _) = s.recvfrom(65536)
                except socket.timeout: continue
                if kind != socket.PACKET_OUTGOING or frame[12:14] != b"\\x86\\xdd" or frame[20] != 17: continue
                source, target = struct.unpack_from("!HH", frame, 54)
                data = frame[62:]
                if port in (source, target):
                    session, counter = struct.unpack_from("<HxI", data, 1)
                    print("up" if target == port else "down", session, counter, data.hex(), flush=True)
            """
        let capture = try Child(
            Laboratory.python, ["-c", script, "\(device.port)", "\(seconds)"], environment: Laboratory.environment,
            folder: matterctl.folder)
        try await eventually("the capture listens") { capture.stdout.contains("listening") }
        return capture
    }

    /// The records of a capture: direction, session id, message counter and all bytes of each datagram.
    private static func datagrams(_ capture: Child) -> [[Substring]] {
        capture.stdout.split(separator: "\n").dropFirst().map { $0.split(separator: " ") }
    }

    /// Has a folder in memory of its own, so that the records in it are known to be its.
    private static func alone() throws -> (matterctl: MatterCtl, records: () throws -> [URL]) {
        var matterctl = try MatterCtl()
        let shared = try #require(Laboratory.environment["XDG_RUNTIME_DIR"])
        let base = URL(fileURLWithPath: shared).appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(
            at: base, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        matterctl.environment["XDG_RUNTIME_DIR"] = base.path
        let folder = base.appendingPathComponent("matterctl")
        return (matterctl, { try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) })
    }

    @Test("a record that is taken back, as by a snapshot of the machine: commands work, and no counter is used twice")
    func takenBack() async throws {
        let device = try await VirtualDevice.start()
        defer { device.stop() }
        let (matterctl, records) = try Self.alone()
        try await matterctl.commission(device, ["--name", "kitchen"])
        try await matterctl.succeed("toggle", "kitchen")
        let capture = try await Self.capture(device, seconds: 600, matterctl)
        for _ in 0..<3 {
            let record = try #require(try records().first)
            let contents = try Data(contentsOf: record)
            try await matterctl.succeed("toggle", "kitchen")
            // In place: a copy would be another file.
            try FileHandle(forWritingTo: record).write(contentsOf: contents)
            #expect(try await matterctl.succeed("read", "kitchen", "1/on-off/on-off").stdout.isEmpty == false)
            try await matterctl.succeed("on", "kitchen")
        }
        capture.signal(SIGTERM)
        _ = await capture.status()
        let sent = Self.datagrams(capture).filter { $0[0] == "up" && $0[1] != "0" }
        let pairs = Dictionary(grouping: sent) { "\($0[1]) \($0[2])" }
        #expect(pairs.count > 6, "\(pairs.count)")
        for (pair, datagrams) in pairs { #expect(Set(datagrams.map { $0[3] }).count == 1, "\(pair)") }
    }

    @Test("a node that is commissioned again under its id within a minute is switched by the first command")
    func sameID() async throws {
        let device = try await VirtualDevice.start()
        defer { device.stop() }
        let (matterctl, records) = try Self.alone()
        try await matterctl.commission(device, ["--name", "kitchen", "--node-id", "1"])
        try await matterctl.succeed("toggle", "kitchen")
        #expect(try records().count == 1)
        try await matterctl.succeed("node", "remove", "kitchen", "--yes")
        #expect(try records().isEmpty)
        try await matterctl.commission(device, ["--name", "kitchen", "--node-id", "1"])
        let before = device.switchings
        try await matterctl.succeed("toggle", "kitchen")
        #expect(device.switchings == before + 1)
    }

    @Test("a node and a fabric that are forgotten leave no keys of sessions")
    func forgotten() async throws {
        let device = try await VirtualDevice.start()
        defer { device.stop() }
        let (matterctl, records) = try Self.alone()
        try await matterctl.commission(device, ["--name", "kitchen"])
        try await matterctl.succeed("toggle", "kitchen")
        #expect(try records().count == 1)
        try await matterctl.succeed("node", "forget", "kitchen", "--yes")
        #expect(try records().isEmpty)
        let other = try await VirtualDevice.start()
        defer { other.stop() }
        try await matterctl.commission(other, ["--name", "hall"])
        try await matterctl.succeed("toggle", "hall")
        #expect(try records().count == 1)
        let fabrics = try await matterctl.succeed("fabric", "ls", "--json").json()
        try await matterctl.succeed("fabric", "remove", try #require(fabrics[0]?["name"]?.string), "--yes")
        #expect(try records().isEmpty)
    }

    @Test("a device that was restarted: what may be repeated works; a toggle with the proof as well")
    func restarted() async throws {
        let device = try await VirtualDevice.start()
        defer { device.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(device, ["--name", "kitchen"])
        try await matterctl.succeed("on", "kitchen")
        try await device.restart()
        #expect(try await Self.rung(matterctl, "on", "kitchen") == "resumed")
        #expect(try await matterctl.succeed("read", "kitchen", "1/on-off/on-off").stdout == "true\n")
        // A start is proof only where it is later than all that was heard, and not too young: its time is told in seconds.
        try await Task.sleep(for: .seconds(2.5))
        try await device.restart()
        try await Task.sleep(for: .seconds(3.5))
        let toggled = try await matterctl.succeed("toggle", "kitchen", "-v")
        #expect(toggled.stderr.contains("started again before the command was sent"), "\(toggled)")
        #expect(try await matterctl.succeed("read", "kitchen", "1/on-off/on-off").stdout == "false\n")
    }

    @Test("a device that moved, with a stranger at its old address: found again, and the stranger is told nothing")
    func moved() async throws {
        let device = try await VirtualDevice.start(isAdvertised: true)
        defer { device.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(device, ["--name", "kitchen"])
        try await matterctl.succeed("on", "kitchen")
        #expect(try await Self.rung(matterctl, "on", "kitchen") == "kept")
        try await device.restart(options: ["--port", "\(device.port + 1000)"])
        let stranger = try await VirtualDevice.start(options: ["--port", "\(device.port)"])
        defer { stranger.stop() }
        try await matterctl.succeed("off", "kitchen")
        #expect(device.values("OnOff", "OnOff").last?.bool == false, "\(device.events)")
        #expect(try await Self.rung(matterctl, "off", "kitchen") == "kept")
        // It moves once more: a toggle is exact, or says that its outcome is not known.
        try await device.restart(options: ["--port", "\(device.port + 2000)"])
        let before = device.switchings
        let toggled = try await matterctl.run(["toggle", "kitchen", "--json"])
        let count = device.switchings - before
        if toggled.status == 0 {
            #expect(count == 1, "\(toggled)")
        } else {
            #expect(toggled.status == 4 && count <= 1, "\(toggled)")
            #expect(try toggled.error()["outcome"]?.string == "unknown", "\(toggled)")
        }
        // It is gone, and only the stranger is left.
        await device.end()
        let gone = try await matterctl.run(["on", "kitchen", "--timeout", "6s", "--json"])
        #expect(gone.status == 4 && gone.stdout.isEmpty, "\(gone)")
        #expect(stranger.switchings == 0 && !stranger.steps.contains("case-established"), "\(stranger.events)")
    }

    @Test("without a folder in memory, with a full one and with one of others, each command has its own session")
    func nowhere() async throws {
        let device = try await VirtualDevice.start()
        defer { device.stop() }
        let plain = try MatterCtl(keepsSessions: false)
        try await plain.commission(device, ["--name", "kitchen"])
        for _ in 0..<2 {
            #expect(try await Self.rung(plain, "toggle", "kitchen") == "resumed")
        }
        #expect(try await plain.succeed("session", "ls", "--json").stdout == "[]\n")
        let script = """
            mkdir -p "$1" && chmod 700 "$1" && mount -t tmpfs -o size=16k,mode=700 tmpfs "$1" || exit 99
            case $2 in full) mkdir -m 700 "$1/matterctl"; head -c 64k /dev/zero > "$1/fill" ;; open) chmod 777 "$1" ;; esac
            XDG_RUNTIME_DIR=$1; export XDG_RUNTIME_DIR
            "$3" toggle kitchen && "$3" toggle kitchen -v; status=$?
            ls "$1/matterctl" 2>/dev/null; exit $status
            """
        for kind in ["full", "open"] {
            var environment = plain.environment
            environment["MATTERCTL_HOME"] = plain.home.path
            let child = try Child(
                URL(fileURLWithPath: "/usr/bin/unshare"),
                ["-m", "sh", "-c", script, "sh", plain.folder.file("run-\(kind)").path, kind, Laboratory.binary.path],
                environment: environment, folder: plain.folder)
            #expect(await child.status() == 0, "\(kind): \(child.stdout) \(child.stderr)")
            #expect(child.stderr.contains("session: resumed"), "\(kind): \(child.stderr)")
        }
        #expect(device.switchings == 6)
    }
}
