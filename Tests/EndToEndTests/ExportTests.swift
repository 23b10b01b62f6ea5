import Foundation
import TestSupport
import Testing

/// Exports and backups, as `age` and other programs see them.
@Suite("Exports and backups", .enabled(if: Laboratory.isHere), .laboratorySlot) struct ExportTests {
    private static let words = "correct horse battery staple"

    /// Types answers when it is asked for them, and prints what the terminal shows.
    private static let typist = """
        import os, pty, sys
        asked, answer, seen = sys.argv[1].encode(), sys.argv[2].encode(), b""
        def read(fd):
            global seen
            data = os.read(fd, 1024)
            seen += data.lower()
            while asked in seen:
                seen = seen.split(asked, 1)[1]
                os.write(fd, answer + b"\\n")
            return data
        sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[3:], read)))
        """

    private func typing(_ answer: String, at question: String, _ command: [String], _ home: MatterCtl) async throws -> (
        status: Int32, screen: String
    ) {
        var environment = Laboratory.environment
        environment["MATTERCTL_HOME"] = home.home.path
        let child = try Child(
            Laboratory.python, ["-c", Self.typist, question, answer] + command, environment: environment,
            folder: home.folder)
        let status = await child.status()
        return (status, child.stdout + child.stderr)
    }

    private func file(_ name: String, _ contents: String, in home: MatterCtl) throws -> String {
        let url = home.folder.file(name)
        try Data(contents.utf8).write(to: url)
        return url.path
    }

    @Test("a house is exported with a passphrase, age opens it, and another machine goes on with it")
    func passphrase() async throws {
        let lamp = try await VirtualDevice.start(isAdvertised: true)
        defer { lamp.stop() }
        let owner = try MatterCtl()
        try await owner.commission(lamp, ["--name", "lamp"])
        try await owner.succeed("group", "create", "lights")
        try await owner.succeed("group", "add", "lights", "lamp")
        try await owner.succeed("on", "group:lights")
        try await eventually("the first group command: \(lamp.events)") { lamp.switchings == 1 }
        let export = owner.folder.file("house.age").path
        // Asked for twice, on a terminal, and never shown.
        let made = try await typing(
            Self.words, at: "passphrase", [Laboratory.binary.path, "fabric", "export", export], owner)
        #expect(made.status == 0 && !made.screen.contains(Self.words), "\(made)")
        #expect(try FileManager.default.attributesOfItem(atPath: export)[.posixPermissions] as? Int == 0o600)
        let plain = owner.folder.file("plain.json").path
        let opened = try await typing(
            Self.words, at: "passphrase", ["/usr/bin/age", "-d", "-o", plain, export], owner)
        #expect(opened.status == 0, "is age installed? \(opened)")
        let document = try JSON(parsing: String(contentsOfFile: plain, encoding: .utf8))
        #expect(document["format"]?.string == "matterctl-export" && document["version"]?.int == 1)
        let names = document["fabrics"]?.elements.first?["files"]?.elements.compactMap { $0["file"]?.string } ?? []
        #expect(names.contains("keys/root") && names.contains("nodes/0000000000000001.json"), "\(names)")
        #expect(!names.contains { $0.hasPrefix("sessions/") }, "\(names)")

        let guest = try MatterCtl()
        let pass = try file("pass", Self.words + "\n", in: guest)
        let wrong = try file("wrong", "incorrect\n", in: guest)
        let refused = try await guest.fail(64, "fabric", "import", export, "--passphrase", "@\(wrong)", "--json")
        #expect(try refused.error()["id"]?.string == "age.wrong-key", "\(refused)")
        #expect(!FileManager.default.fileExists(atPath: guest.home.path))
        let taken = try await guest.succeed("fabric", "import", export, "--passphrase", "@\(pass)", "--json").json()
        #expect(taken.elements.first?["nodeCount"]?.int == 1 && taken.elements.first?["result"]?.string == "restored")
        try await guest.succeed("off", "lamp")
        #expect(lamp.switchings == 2)
        // A message to the group has a counter that the first machine has not used: the light takes it.
        try await guest.succeed("on", "group:lights")
        try await eventually("the second machine's group command: \(lamp.events)") { lamp.switchings == 3 }
        // New devices are commissioned, with an id that the first machine does not give out.
        let second = try await VirtualDevice.start(isAdvertised: true)
        defer { second.stop() }
        try await guest.commission(second, ["--name", "new"])
        let ids = try await guest.nodes().commissioned
        #expect(ids.count == 2 && ids.contains(1) && ids.allSatisfy { $0 == 1 || $0 > 1000 }, "\(ids)")
        // A fabric that is here is not replaced.
        let again = try await guest.fail(10, "fabric", "import", export, "--passphrase", "@\(pass)", "--json")
        #expect(try again.error()["id"]?.string == "export.present", "\(again)")
    }

    @Test("a copy of the state directory is told of at its first command, and by doctor and fabric show")
    func copied() async throws {
        let lamp = try await VirtualDevice.start(isAdvertised: true)
        defer { lamp.stop() }
        let owner = try MatterCtl()
        try await owner.commission(lamp, ["--name", "lamp"])
        try await owner.succeed("group", "create", "lights")
        try await owner.succeed("group", "add", "lights", "lamp")
        try await owner.succeed("on", "group:lights")
        try await eventually("the light: \(lamp.events)") { lamp.switchings == 1 }
        let guest = try MatterCtl()
        try? FileManager.default.removeItem(at: guest.home)
        try FileManager.default.copyItem(at: owner.home, to: guest.home)
        // The original sends what the copy does not know of.
        try await owner.succeed("toggle", "group:lights")
        try await eventually("the original: \(lamp.events)") { lamp.switchings == 2 }
        let first = try await guest.succeed("node", "ls")
        #expect(first.stderr.contains("was used in another folder of this machine before"), "\(first)")
        #expect(
            first.stderr.contains("fabric remove 'home'") || first.stderr.contains("fabric remove home"), "\(first)")
        // It repeats no counter: the light takes it.
        let next = try await guest.succeed("toggle", "group:lights")
        #expect(!next.stderr.contains("before"), "it is said once: \(next)")
        try await eventually("the copy: \(lamp.events)") { lamp.switchings == 3 }
        let shown = try await guest.succeed("fabric", "show", "--json").json()["usedBefore"]
        #expect(shown?["way"]?.string == "copy" && shown?["sameMachine"]?.bool == true, "\(String(describing: shown))")
        func copies(_ matterctl: MatterCtl) async throws -> JSON? {
            try await matterctl.run(["doctor", "--json"]).json()["checks"]?.elements.first {
                $0["check"]?.string == "copies"
            }
        }
        let told = try await copies(guest)
        #expect(told?["verdict"]?.string == "note" && told?["cure"] != nil, "\(String(describing: told))")
        #expect(try await copies(owner)?["verdict"]?.string == "ok")
        let original = try await owner.succeed("node", "ls")
        #expect(original.stderr.isEmpty, "\(original)")
        #expect(try await owner.succeed("fabric", "show", "--json").json()["usedBefore"] == nil)
    }

    @Test("another host that acts as our node is found by doctor while it does")
    func ownNode() async throws {
        let owner = try MatterCtl()
        try await owner.succeed("fabric", "create", "home")
        func verdict() async throws -> JSON? {
            try await owner.run(["doctor", "--json"]).json()["checks"]?.elements.first {
                $0["check"]?.string == "own-node"
            }
        }
        #expect(try await verdict()?["verdict"]?.string == "ok")
        // Our own listener is no other host.
        let listener = try owner.start(["icd", "listen"])
        try await eventually("the listener to be ready: \(listener.stderr)") {
            listener.stderr.contains("listening for check-ins")
        }
        #expect(try await verdict()?["verdict"]?.string == "ok")
        listener.signal(SIGTERM)
        _ = await listener.status()
    }

    @Test("a backup for a recipient needs no secret, is checked, kept so many times, and brought back")
    func backups() async throws {
        let owner = try MatterCtl()
        try await owner.succeed("fabric", "create", "home")
        try await owner.succeed("fabric", "create", "lake")
        let key = owner.folder.file("key").path
        let maker = try Child(
            URL(fileURLWithPath: "/usr/bin/age-keygen"), ["-o", key], environment: Laboratory.environment,
            folder: owner.folder)
        #expect(await maker.status() == 0)
        let text = try String(contentsOfFile: key, encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("# public key: ") })
        let recipient = String(line.dropFirst("# public key: ".count))
        let folder = owner.folder.file("backups").path
        func backUp() async throws -> JSON {
            try await owner.succeed(
                "fabric", "backup", "--to", folder, "--keep", "2", "--recipient", recipient, "--json"
            ).json()
        }
        let first = try await backUp()
        #expect(first["fabrics"]?.elements.map { $0["name"]?.string } == ["home", "lake"], "\(first)")
        _ = try await backUp()
        #expect(try await backUp()["removedCount"]?.int == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
        let shown = try await owner.succeed("fabric", "show", "lake", "--json").json()["lastBackup"]
        #expect(shown?["file"]?.string?.hasPrefix(folder) == true)

        // Without the identity nothing can be read, and with it all of it.
        let locked = try await owner.fail(64, "fabric", "restore", folder, "--check", "--json")
        #expect(try locked.error()["id"]?.string == "usage.file", "\(locked)")
        let checked = try await owner.succeed(
            "fabric", "restore", folder, "--check", "--identity", "@\(key)", "--json"
        ).json()
        #expect(checked["result"]?.string == "checked" && checked["fabrics"]?.elements.count == 2)
        let guest = try MatterCtl()
        let restored = try await guest.succeed("fabric", "restore", folder, "--identity", "@\(key)", "--json").json()
        #expect(restored.elements.map { $0["fabric"]?.string } == ["home", "lake"], "\(restored)")
        for name in ["home", "lake"] {
            let (here, there) = (
                try await owner.succeed("fabric", "show", name, "--json").json(),
                try await guest.succeed("fabric", "show", name, "--json").json()
            )
            #expect(
                here["rcac"] == there["rcac"] && here["noc"] == there["noc"] && there["nodeIds"]?.string == "random")
        }
        // One of several gets another name.
        let third = try await guest.succeed(
            "fabric", "restore", folder, "--identity", "@\(key)", "--only", "lake", "--as", "pond", "--json")
        #expect(try third.json().elements.first?["fabric"]?.string == "pond")
        #expect(third.stderr.contains("same node"), "\(third)")

        // A byte that changes is noticed, and nothing is written.
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).sorted().last)
        let path = folder + "/" + name
        var octets = try Data(contentsOf: URL(fileURLWithPath: path))
        octets[octets.count - 100] ^= 1
        try octets.write(to: URL(fileURLWithPath: path))
        let stranger = try MatterCtl()
        let damaged = try await stranger.fail(10, "fabric", "restore", path, "--identity", "@\(key)", "--json")
        #expect(try damaged.error()["id"]?.string == "age.damaged", "\(damaged)")
        #expect(!FileManager.default.fileExists(atPath: stranger.home.path))
    }

    @Test("a restore that is killed leaves a whole fabric or none, and is done by the next one")
    func killed() async throws {
        let owner = try MatterCtl()
        try await owner.succeed("fabric", "create", "home")
        for number in 0..<20 { try await owner.succeed("group", "create", "group-\(number)") }
        let path = owner.folder.file("house.json").path
        try await owner.succeed("fabric", "export", path, "--plain", "--yes")
        let guest = try MatterCtl()
        var killed = 0
        for round in 0..<40 {
            let child = try guest.start(["fabric", "restore", path])
            // A moment later each time, wherever the program is by then.
            try await Task.sleep(for: .milliseconds(2 + round * 3))
            child.signal(SIGKILL)
            if await child.status() != 0 { killed += 1 }
            let fabrics = try await guest.succeed("fabric", "ls", "--json").json().elements
            guard !fabrics.isEmpty else { continue }
            #expect(try await guest.succeed("group", "ls", "--json").json().elements.count == 20)
            try await guest.succeed("fabric", "remove", "home", "--yes")
        }
        #expect(killed > 0)
        try await guest.succeed("fabric", "restore", path)
        #expect(try await guest.succeed("group", "ls", "--json").json().elements.count == 20)
    }

    @Test("an export without encryption is asked for, and a wrong line says so")
    func plain() async throws {
        let owner = try MatterCtl()
        try await owner.succeed("fabric", "create", "home")
        let path = owner.folder.file("house.json").path
        try await owner.fail(64, "fabric", "export", path, "--plain")
        try await owner.succeed("fabric", "export", path, "--plain", "--yes")
        let there = try await owner.fail(64, "fabric", "export", path, "--plain", "--yes")
        #expect(there.stderr.contains("--force"), "\(there)")
        try await owner.succeed("fabric", "export", path, "--plain", "--yes", "--force")
        let piped = try await owner.succeed("fabric", "export", "-", "--plain", "--yes")
        #expect(try JSON(parsing: piped.stdout)["format"]?.string == "matterctl-export")
        try await owner.fail(64, "fabric", "export", path, "--passphrase", "secret")
        try await owner.fail(64, "fabric", "export", path, "--recipient", "age1wrong")
        try await owner.fail(64, "fabric", "export", path)
        let guest = try MatterCtl()
        try await guest.succeed("fabric", "import", path)
        try await guest.fail(64, "fabric", "import", owner.folder.file("nothing").path, "--passphrase", "@\(path)")
        // Something else that is no export.
        let noise = try file("noise", "hello", in: guest)
        #expect(
            try await guest.fail(10, "fabric", "restore", noise, "--json").error()["id"]?.string == "export.damaged")
        try await guest.fail(3, "fabric", "restore", guest.folder.url.path)
    }

    @Test(
        "a fabric that the official controller made goes back to it, with a light that matterctl has commissioned",
        .enabled(if: PeerPython.hasController), .timeLimit(.minutes(20)))
    func official() async throws {
        let device = try await VirtualDevice.start(isAdvertised: true)
        let second = try await VirtualDevice.start(isAdvertised: true)
        defer {
            device.stop()
            second.stop()
        }
        let official = try OfficialStorage(trusting: device)
        let joined = try await official("commission", "7", "--code", device.qrCode)
        #expect(joined.contains("commissioned node 7"), "\(joined)\n\(device.events)")
        let guest = try MatterCtl()
        try await guest.succeed(
            "fabric", "import", "--from", "python-matter-server", official.storage.path, "--force", "--take-over")
        try await guest.commission(second, ["--name", "new"])
        let id = try #require(try await guest.nodes().commissioned.first { $0 != 7 })
        // New certificates of the same authority: the official controller takes them as it took its own.
        try await guest.succeed("fabric", "rotate", "certificates")
        let written = try await guest.succeed(
            "fabric", "export", "--to", "python-matter-server", guest.folder.file("back").path, "--yes", "--json"
        ).json()
        #expect(written["nodeCount"]?.int == 2 && written["files"]?.elements.count == 2, "\(written)")
        // Nothing is written over a store.
        let again = try await guest.fail(
            10, "fabric", "export", "--to", "python-matter-server", guest.folder.file("back").path, "--yes", "--json")
        #expect(try again.error()["id"]?.string == "neighbour.present")
        // The controller starts with that store alone.
        try FileManager.default.removeItem(at: official.storage)
        try FileManager.default.copyItem(at: guest.folder.file("back"), to: official.storage)
        for (node, light) in [(7, device), (id, second)] {
            let before = light.switchings
            let output = try await official("toggle", "\(node)")
            #expect(light.switchings == before + 1, "\(output)\n\(light.events)")
        }
        // chip-tool has the same key; our reader finds it there.
        try await guest.succeed("fabric", "export", "--to", "chip-tool", guest.folder.file("tool").path, "--yes")
        let third = try MatterCtl()
        let read = try await third.succeed(
            "fabric", "import", "--from", "chip-tool", guest.folder.file("tool").path, "--force", "--dry-run", "--json")
        #expect(try read.json()["nodeId"]?.int == 112_233)
    }

    @Test("a store for matter.js has everything to act on the fabric; the SDK's programs cannot have its key")
    func neighbours() async throws {
        let lamp = try await VirtualDevice.start(isAdvertised: true)
        defer { lamp.stop() }
        let owner = try MatterCtl()
        try await owner.commission(lamp, ["--name", "lamp"])
        let folder = owner.folder.file("js").path
        try await owner.succeed("fabric", "export", "--to", "matterjs", folder, "--yes")
        let guest = try MatterCtl()
        try await guest.succeed("fabric", "import", "--from", "matterjs", folder, "--force", "--take-over")
        try await guest.succeed("toggle", "1")
        #expect(lamp.switchings == 1)
        for program in ["chip-tool", "python-matter-server"] {
            let refused = try await owner.fail(
                10, "fabric", "export", "--to", program, owner.folder.file("sdk").path, "--yes", "--json")
            #expect(try refused.error()["id"]?.string == "neighbour.other-ipk", "\(refused)")
            #expect(!FileManager.default.fileExists(atPath: owner.folder.file("sdk").path))
        }
    }
}
