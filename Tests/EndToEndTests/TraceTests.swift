import Foundation
import TestSupport
import Testing

/// Messages in words: those of a command, and those of captures.
@Suite("Traces and captures", .enabled(if: Laboratory.isHere), .laboratorySlot) struct TraceTests {
    /// A recording of all UDP traffic of the near host, by tcpdump.
    private final class Recording: Sendable {
        private let child: Child
        let file: URL

        init(in folder: TemporaryFolder, _ filter: String = "udp") async throws {
            file = folder.file("recorded.pcap")
            let child = try Child(
                URL(fileURLWithPath: "/usr/bin/env"),
                [
                    "tcpdump", "-Z", "root", "-U", "--immediate-mode", "-B", "16384", "-i", "any", "-s", "0", "-w",
                    file.path, filter,
                ],
                environment: Laboratory.environment.merging(["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]) { $1 },
                folder: folder)
            self.child = child
            try await eventually("tcpdump listens") { child.stderr.contains("listening on") }
        }

        /// Ends it once the file has all that was sent: a datagram of our own comes last.
        func end(in folder: TemporaryFolder) async throws {
            let mark = "end-of-recording"
            let sender = try Child(
                URL(fileURLWithPath: "/bin/bash"), ["-c", "echo \(mark) > /dev/udp/10.77.0.1/9"],
                environment: Laboratory.environment, folder: folder)
            #expect(await sender.status() == 0, "\(sender.stderr)")
            try await eventually("the recording has everything") {
                (try? Data(contentsOf: file))?.range(of: Data(mark.utf8)) != nil
            }
            child.signal(SIGINT)
            _ = await child.status()
        }
    }

    private func mode(_ file: URL) throws -> Int {
        let facts = try FileManager.default.attributesOfItem(atPath: file.path)
        return try #require((facts[.posixPermissions] as? NSNumber)?.intValue)
    }

    @Test("each message of a command is a block on stderr, and the result stays alone on stdout")
    func traced() async throws {
        let lamp = try await VirtualDevice.start()
        defer { lamp.stop() }
        let matterctl = try MatterCtl()
        let joined = try await matterctl.commission(lamp, ["--name", "lamp", "--trace"])
        // The certificates in the handshake, as they come and go: those of the fabric are no secret, its key is one.
        for sigma in ["Sigma2, ", "Sigma3, "] {
            let blocks = joined.stderr.components(separatedBy: "\n").split { !$0.hasPrefix(" ") }
                .map { $0.joined(separator: "\n") }.filter { $0.contains(sigma) }
            #expect(
                !blocks.isEmpty
                    && blocks.allSatisfy { $0.contains("noc certificate=") && $0.contains("Matter certificate of") })
        }
        #expect(joined.stderr.contains("ipkValue=(secret)"), "\(joined.stderr)")
        let first = try await matterctl.succeed("level", "lamp", "50%", "--trace", "--fresh")
        #expect(first.stdout == (try await matterctl.succeed("level", "lamp", "50%")).stdout)
        for text in [
            "Sigma1, unsecured", "Sigma2Resume, unsecured", "node=1 'lamp'", "command 1/level-control/move-to-level",
            "level=127",
        ] {
            #expect(first.stderr.contains(text), "\(text): \(first.stderr)")
        }
        #expect(first.stderr.contains("acknowledges ") && first.stderr.contains(" after "), "\(first.stderr)")
        let kept = try await matterctl.succeed("read", "lamp", "1/on-off/on-off", "--trace")
        #expect(kept.stderr.contains("report 1/on-off/on-off = true"), "\(kept.stderr)")
        #expect(
            kept.stderr.contains("node 1 'lamp'") && !kept.stderr.contains("Sigma1"), "the kept session is opened too")
        // For programs a line each.
        let json = try await matterctl.succeed("toggle", "lamp", "--trace", "--json")
        let lines = try json.messages.map { try JSON(parsing: $0) }
        #expect(lines.allSatisfy { $0.keys == ["trace"] }, "\(json)")
        #expect(
            lines.compactMap { $0["trace"] }.contains {
                $0["message"]?.string == "InvokeRequest" && $0["direction"]?.string == "sent"
            }, "\(json)")
        #expect(json.stdout.hasPrefix("{"))
    }

    @Test("a PIN is in no trace, unless it is asked for; --trace-secrets is for a terminal, or with --yes")
    func secrets() async throws {
        let door = try await VirtualDevice.start("door-lock")
        defer { door.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(door, ["--name", "door"])
        let words = ["invoke", "door", "1/door-lock/unlock-door", "pin-code=text:867530"]
        let file = matterctl.folder.file("door.pcapng")
        let plain = try await matterctl.run(words + ["--trace"])
        let json = try await matterctl.run(words + ["--trace", "--json"])
        _ = try await matterctl.run(words + ["--trace", file.path])
        let comments = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        for text in [plain.stderr, json.stderr, comments] {
            #expect(text.contains("unlock-door") && text.contains("(secret)"), "\(text)")
            #expect(!text.contains("867530") && !text.lowercased().contains("383637353330"), "\(text)")
        }
        #expect(try mode(file) == 0o600)
        let refused = try await matterctl.run(words + ["--trace", "--trace-secrets", "--json"])
        #expect(refused.status == 64, "\(refused)")
        #expect(try refused.error()["id"]?.string == "usage.confirmation-needed", "\(refused)")
        let shown = try await matterctl.run(words + ["--trace", "--trace-secrets", "--yes"])
        #expect(shown.stderr.lowercased().contains("383637353330"), "\(shown)")
    }

    @Test("--trace FILE.pcapng is shown by tshark, with the text as its comments, and read back by decode")
    func capture() async throws {
        let lamp = try await VirtualDevice.start()
        defer { lamp.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(lamp, ["--name", "lamp"])
        let file = matterctl.folder.file("lamp.pcapng")
        try await matterctl.succeed("toggle", "lamp", "--fresh", "--trace", file.path)
        let child = try Child(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["tshark", "-r", file.path, "-T", "fields", "-e", "udp.port", "-e", "frame.comment"],
            environment: Laboratory.environment, folder: matterctl.folder)
        #expect(await child.status() == 0, "\(child.stderr)")
        #expect(
            child.stdout.contains("command 1/on-off/toggle") && child.stdout.contains("\(lamp.port)"), "\(child.stdout)"
        )
        let decoded = try await matterctl.succeed("decode", file.path)
        #expect(decoded.stdout.contains("Sigma1, unsecured") && decoded.stdout.contains("sealed"), "\(decoded)")
        #expect(decoded.stderr.contains("0 faults"), "\(decoded)")
    }

    @Test("a light that we did not write, recorded by tcpdump: all is opened with the key log, mDNS needs no key")
    func circuitMatter() async throws {
        let light = try await Light.start()
        defer { light.stop() }
        var matterctl = try MatterCtl()
        let keys = matterctl.folder.file("keys")
        matterctl.environment["MATTERCTL_KEYLOG"] = keys.path
        let recording = try await Recording(in: matterctl.folder)
        try await matterctl.commission(light, nil, ["--name", "light"])
        let toggled = try await matterctl.succeed("toggle", "light")
        #expect(toggled.stderr.contains("warning") && toggled.stderr.contains("MATTERCTL_KEYLOG"), "\(toggled)")
        try await matterctl.succeed("discover", "--timeout", "2s")
        try await recording.end(in: matterctl.folder)
        #expect(try mode(keys) == 0o600)
        matterctl.environment["MATTERCTL_KEYLOG"] = nil
        let lines = try await matterctl.succeed(
            "decode", recording.file.path, "--keys", keys.path, "--json"
        ).messages.isEmpty
        #expect(lines == false)
        let decoded = try await matterctl.succeed("decode", recording.file.path, "--keys", keys.path)
        let port = ":\(light.port)"
        // Other tests of this network are recorded too; their sessions stay sealed.
        let blocks = decoded.stdout.components(separatedBy: "\n").reduce(into: [String]()) { blocks, line in
            if line.hasPrefix(" "), !blocks.isEmpty {
                blocks[blocks.count - 1] += "\n" + line
            } else {
                blocks.append(line)
            }
        }.filter { $0.prefix { $0 != "\n" }.contains(port) }
        #expect(blocks.count > 30, "\(decoded)")
        #expect(!blocks.contains { $0.contains("sealed") }, "\(blocks.filter { $0.contains("sealed") })")
        for text in [
            "PBKDFParamRequest", "Pake3", "command 0/operational-credentials/add-noc", "Matter certificate of",
            "X.509 certificate of", "Sigma3", "command 0/general-commissioning/commissioning-complete",
            "command 1/on-off/toggle", "status 1/on-off/toggle status=SUCCESS",
        ] {
            #expect(blocks.contains { $0.contains(text) }, "\(text)")
        }
        // The key log opens what both sides encrypt in the handshake: their certificates.
        for sigma in ["Sigma2, ", "Sigma3, "] {
            let of = blocks.filter { $0.contains(sigma) }
            #expect(
                !of.isEmpty && of.allSatisfy { $0.contains("noc certificate=") && $0.contains("Matter certificate of") }
            )
        }
        #expect(decoded.stdout.contains("_matter._tcp.local"), "mDNS")
        // Without keys the handshakes are read all the same.
        let without = try await matterctl.succeed("decode", recording.file.path)
        #expect(
            without.stdout.contains("Sigma1, unsecured") && !without.stdout.contains("add-noc"), "\(without.stderr)")
    }

    @Test("the official controller, recorded while it commissions and switches: a device of ours wrote the keys")
    func official() async throws {
        var environment = Laboratory.environment
        let folder = try TemporaryFolder()
        let keys = folder.file("keys")
        environment["MATTERCTL_KEYLOG"] = keys.path
        let lamp = try await VirtualDevice.start(isAdvertised: true, environment: environment)
        defer { lamp.stop() }
        let recording = try await Recording(in: folder)
        let official = try OfficialStorage(trusting: lamp)
        _ = try await official("commission", "7", "--code", lamp.qrCode)
        _ = try await official("toggle", "7")
        try await recording.end(in: folder)
        try #require(lamp.switchings == 1)
        let matterctl = try MatterCtl()
        let decoded = try await matterctl.succeed("decode", recording.file.path, "--keys", keys.path)
        for text in [
            "command 0/general-commissioning/arm-fail-safe", "command 0/operational-credentials/add-noc",
            "ipkValue=(secret)", "command 1/on-off/toggle", "noc certificate=",
        ] {
            #expect(decoded.stdout.contains(text), "\(text)")
        }
        let messages = try await matterctl.succeed("decode", recording.file.path, "--keys", keys.path, "--json").stdout
            .split(separator: "\n").map { try JSON(parsing: String($0)) }
        let own = messages.filter { message in
            ["source", "destination"].contains { message[$0]?.string?.hasSuffix(":\(lamp.port)") == true }
        }
        #expect(own.count > 40 && own.allSatisfy { $0["session"]?.string != "sealed" }, "\(own.count)")
        #expect(own.allSatisfy { $0["fault"] == nil }, "\(own.filter { $0["fault"] != nil })")
    }

    @Test("what is no capture is refused, and damage inside one is named")
    func damaged() async throws {
        let matterctl = try MatterCtl()
        let file = matterctl.folder.file("x.pcap")
        try Data("no capture at all".utf8).write(to: file)
        let refused = try await matterctl.run(["decode", file.path, "--json"])
        #expect(refused.status == 64, "\(refused)")
        #expect(try refused.error()["id"]?.string == "capture.unreadable", "\(refused)")
        let header: [UInt8] = [
            0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 101, 0, 0, 0,
        ]
        try Data(header + [1, 2, 3]).write(to: file)
        let cut = try await matterctl.succeed("decode", file.path)
        #expect(cut.stdout.contains("fault: the header of the last packet is cut off"), "\(cut)")
        #expect(cut.stderr.contains("1 fault"), "\(cut)")
    }
}
