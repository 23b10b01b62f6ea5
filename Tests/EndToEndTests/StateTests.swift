import Foundation
import Testing

@Suite("What is kept", .enabled(if: Laboratory.isHere), .laboratorySlot) struct StateTests {
    // MARK: Nodes

    @Test("node ls and show, as lines and as JSON")
    func nodes() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let matterctl = scene.matterctl
        let lines = try await matterctl.succeed("node", "ls").stdout
        #expect(
            lines.hasPrefix("1\tkitchen\tCircuitMatter\t\(scene.light.address)\tcommissioned\t-\t")
                && lines.contains("Dimmable Light"), "\(lines)")
        let node = """
            {"addresses":"<array>","attestation":"<object>","endpoints":"<array>","firmware":"<string>",\
            "lastSeen":"<string>","name":"kitchen","node":1,"productId":4660,"productName":"CircuitMatter","serialNumber":"1234","state":"commissioned","vendorId":65524,\
            "vendorName":"CircuitMatter"}
            """
        let masked: Set = ["addresses", "attestation", "endpoints", "firmware", "lastSeen"]
        let listed = try await matterctl.succeed("node", "ls", "--json").json()
        #expect(listed.elements.count == 1 && listed[0]?.masking(masked).description == node, "\(listed)")
        #expect(try await matterctl.succeed("node", "list", "--json").json() == listed)
        let shown = try await matterctl.succeed("node", "show", "kitchen", "--json").json()
        #expect(shown == listed[0])
        #expect(shown["addresses"]?.description == #"["\#(scene.light.address)"]"#)
        let text = try await matterctl.succeed("node", "show", "1").stdout
        #expect(text.contains("name\tkitchen\n") && text.contains("Dimmable Light"), "\(text)")
        #expect(try await MatterCtl().succeed("node", "ls", "--json").stdout == "[]\n")
    }

    @Test("a node is renamed; a name that is taken is refused: 10; one that is none: 64")
    func rename() async throws {
        let scene = try await Scene.commissioned(named: nil)
        let other = try await Light.start()
        defer {
            scene.end()
            other.stop()
        }
        let matterctl = scene.matterctl
        try await matterctl.commission(other, nil, ["--name", "cellar"])
        try await matterctl.succeed("node", "rename", "1", "Küche oben")
        try await matterctl.succeed("toggle", "Küche oben")
        #expect(scene.light.switchings == 1)
        let taken = try await matterctl.fail(10, "node", "rename", "1", "cellar", "--json").error()
        #expect(taken["id"]?.string == "node.name-taken")
        for name in ["7", "0x7", "a/b", "a:b", "what?", "*", "", String(repeating: "x", count: 65)] {
            try await matterctl.fail(64, "node", "rename", "1", name)
        }
        let third = try await Light.start()
        defer { third.stop() }
        let refused = try await matterctl.fail(
            10, "commission", third.qrCode, "--address", third.address, "--allow-test-devices", "--name", "cellar",
            "--json"
        ).error()
        #expect(refused["id"]?.string == "node.name-taken")
        #expect(third.fabrics == 0 && !third.lines.contains("fail-safe 60"), "refused before anything is sent")
    }

    @Test("forgetting needs --yes, sends nothing, and the light can be taken back only after it is reset")
    func forget() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let matterctl = scene.matterctl
        try await matterctl.fail(64, "node", "forget", "kitchen")
        #expect(try await matterctl.nodes() == Nodes(commissioned: [1]))
        try await matterctl.succeed("node", "forget", "kitchen", "--yes")
        #expect(try await matterctl.nodes() == Nodes())
        #expect(scene.light.fabrics == 1)
        try await matterctl.fail(3, "toggle", "kitchen")
    }

    @Test("removing makes the device leave the fabric; then it can be commissioned again")
    func remove() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        try await matterctl.fail(64, "node", "remove", "kitchen")
        try await matterctl.succeed("node", "remove", "kitchen", "--yes")
        #expect(light.fabrics == 0)
        #expect(try await matterctl.nodes() == Nodes())
        try await matterctl.succeed("commission", light.qrCode, "--name", "kitchen", "--allow-test-devices")
        try await matterctl.succeed("toggle", "kitchen")
        #expect(light.fabrics == 1)
    }

    @Test("removing a node that does not answer: 4, and it stays known")
    func removeSilent() async throws {
        let scene = try await Scene.commissioned()
        await scene.light.end()
        try await scene.matterctl.fail(4, "node", "remove", "kitchen", "--yes", "--timeout", "4s")
        #expect(try await scene.matterctl.nodes() == Nodes(commissioned: [1]))
    }

    // MARK: Fabrics

    @Test("fabric create, ls, use, show and remove")
    func fabrics() async throws {
        let matterctl = try MatterCtl()
        #expect(try await matterctl.succeed("fabric", "ls", "--json").stdout == "[]\n")
        #expect(try await matterctl.succeed("fabric", "create", "home").stdout.isEmpty)
        let lab = try await matterctl.succeed(
            "fabric", "create", "lab", "--vendor-id", "0xFFF2", "--fabric-id", "0x1234", "--json"
        ).json()
        #expect(
            lab.masking(["compressedFabricId", "nodeId", "rcac", "noc"]).keys == [
                "compressedFabricId", "fabricId", "issuer", "name", "noc", "nodeId", "nodeIds", "rcac", "vendorId",
            ])
        #expect(lab["fabricId"]?.string == "0000000000001234" && lab["vendorId"]?.int == 65522, "\(lab)")
        #expect(lab["issuer"]?.string == "local")
        let exists = try await matterctl.fail(10, "fabric", "create", "lab", "--json").error()
        #expect(exists["id"]?.string == "fabric.exists")
        // The first one stays the one in use.
        #expect(try await matterctl.succeed("fabric", "show", "--json").json()["name"]?.string == "home")
        let unknown = try await matterctl.fail(3, "toggle", "kitchen", "--json").error()
        #expect(unknown["id"]?.string == "node.unknown", "\(unknown)")
        try await matterctl.succeed("fabric", "use", "lab")
        #expect(try await matterctl.succeed("fabric", "show", "--json").json()["name"]?.string == "lab")
        let names = try await matterctl.succeed("fabric", "ls", "--json").json()
        #expect(names.elements.compactMap { $0["name"]?.string } == ["home", "lab"])
        #expect(names.elements.compactMap { $0["inUse"]?.bool } == [false, true])
        #expect(try await matterctl.succeed("fabric", "ls").stdout.contains("lab\t0000000000001234\tlocal\tyes\n"))
        try await matterctl.fail(3, "fabric", "use", "nowhere")
        try await matterctl.fail(64, "fabric", "remove", "lab")
        try await matterctl.succeed("fabric", "remove", "lab", "--yes")
        #expect(try await matterctl.succeed("fabric", "show", "--json").json()["name"]?.string == "home")
        let left = try FileManager.default.subpathsOfDirectory(atPath: matterctl.home.path)
        #expect(!left.contains { $0.contains("lab") && $0.contains("keys/") }, "\(left)")
        // Only when the one in use goes is it unclear which is meant.
        try await matterctl.succeed("fabric", "create", "guest")
        try await matterctl.succeed("fabric", "create", "office")
        try await matterctl.succeed("fabric", "remove", "home", "--yes")
        let ambiguous = try await matterctl.fail(64, "toggle", "kitchen", "--json").error()
        #expect(ambiguous["id"]?.string == "fabric.ambiguous")
        #expect(ambiguous["message"]?.string?.contains("guest, office") == true)
    }

    @Test("a fabric that was exported piece by piece is imported elsewhere, and its light obeys there too")
    func importFabric() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let shown = try await matterctl.succeed("fabric", "show", "--json").json()
        let folder = matterctl.folder
        for name in ["rcac", "noc"] {
            let text = try #require(shown[name]?.string?.dropFirst(4))
            try Data(text.utf8).write(to: folder.file("\(name).hex"))
        }
        let second = try MatterCtl()
        let keys = try Keys(home: matterctl.home)
        try keys.operationalDER.write(to: folder.file("noc.key"))
        try Data(keys.ipk.map { String(format: "%02x", $0) }.joined().utf8).write(to: folder.file("ipk.hex"))
        for name in ["rcac", "noc"] {
            let hexadecimal = try String(contentsOf: folder.file("\(name).hex"), encoding: .utf8)
            try Keys.octets(hexadecimal).write(to: folder.file("\(name).tlv"))
        }
        try await second.succeed(
            "fabric", "import", "old", "--rcac", folder.file("rcac.tlv").path, "--noc", folder.file("noc.tlv").path,
            "--key", "@\(folder.file("noc.key").path)", "--ipk", "@\(folder.file("ipk.hex").path)")
        let imported = try await second.succeed("fabric", "show", "--json").json()
        #expect(imported["compressedFabricId"] == shown["compressedFabricId"])
        #expect(imported["issuer"]?.string == "none")
        // It has no nodes yet, and cannot issue certificates; secrets are not taken from arguments.
        let refused = try await second.fail(
            9, "commission", light.qrCode, "--address", light.address, "--allow-test-devices", "--json"
        ).error()
        #expect(refused["id"]?.string == "issuer.none")
        try await second.fail(
            64, "fabric", "import", "other", "--rcac", folder.file("rcac.tlv").path, "--noc",
            folder.file("noc.tlv").path,
            "--key", "secret", "--ipk", "00112233445566778899aabbccddeeff")
    }

    // MARK: Files

    @Test("where the state is: --home, MATTERCTL_HOME, XDG_DATA_HOME, HOME")
    func home() async throws {
        let matterctl = try MatterCtl()
        try await matterctl.succeed("fabric", "create", "a")
        try await matterctl.succeed("fabric", "create", "b", "--home", matterctl.folder.file("elsewhere").path)
        func run(_ environment: [String: String], _ words: String...) async throws -> String {
            let child = try Child(Laboratory.binary, words, environment: environment, folder: matterctl.folder)
            #expect(await child.status() == 0, "\(child.stderr)")
            return child.stdout
        }
        let base = matterctl.folder.url.path
        _ = try await run(["XDG_DATA_HOME": "\(base)/data", "HOME": base], "fabric", "create", "c")
        _ = try await run(["HOME": base], "fabric", "create", "d")
        for (folder, name) in [
            ("home", "a"), ("elsewhere", "b"), ("data/matterctl", "c"), (".local/share/matterctl", "d"),
        ] {
            let environment = ["MATTERCTL_HOME": "\(base)/\(folder)"]
            #expect(try await run(environment, "fabric", "ls").hasPrefix("\(name)\t"))
        }
        let both = try await matterctl.fail(
            3, "fabric", "show", "b", "--home", matterctl.home.path, "--json"
        ).error()
        #expect(both["id"]?.string == "fabric.unknown")
    }

    @Test("everything is for the owner's eyes only")
    func permissions() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let home = scene.matterctl.home
        for path in ["."] + (try FileManager.default.subpathsOfDirectory(atPath: home.path)) {
            let attributes = try FileManager.default.attributesOfItem(atPath: home.appendingPathComponent(path).path)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            #expect(mode == (isFolder ? 0o700 : 0o600), "\(path): \(String(mode, radix: 8))")
        }
    }

    @Test("a damaged file: 10, and its name", arguments: ["fabric.json", "nodes/"])
    func damaged(file: String) async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let path = try #require(try find(file, in: scene.matterctl.home))
        var octets = try Data(contentsOf: path)
        octets[octets.count / 2] ^= 0xFF
        try octets.write(to: path)
        let error = try await scene.matterctl.fail(10, "toggle", "kitchen", "--json").error()
        #expect(error["id"]?.string == "state.damaged", "\(error)")
        #expect(error["message"]?.string?.contains(path.lastPathComponent) == true, "\(error)")
        #expect(scene.light.switchings == 0)
    }

    @Test("a file of a newer version: 10, and what to do", arguments: ["fabric.json", "nodes/"])
    func newer(file: String) async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let path = try #require(try find(file, in: scene.matterctl.home))
        try Data(#"{"matterctl":99,"shape":"unknown"}\#n{}"#.utf8).write(to: path)
        let error = try await scene.matterctl.fail(10, "toggle", "kitchen", "--json").error()
        #expect(error["id"]?.string == "state.newer-version", "\(error)")
        #expect(error["hint"]?.string?.isEmpty == false, "\(error)")
    }

    @Test("a state directory that cannot be: 10")
    func impossible() async throws {
        let matterctl = try MatterCtl()
        let file = matterctl.folder.file("file")
        try Data().write(to: file)
        try await matterctl.fail(10, "fabric", "create", "home", "--home", file.path)
    }

    private func find(_ part: String, in home: URL) throws -> URL? {
        try FileManager.default.subpathsOfDirectory(atPath: home.path)
            .first { $0.contains(part) && $0.hasSuffix(".json") }
            .map { home.appendingPathComponent($0) }
    }
}

/// Reads keys from the state directory, as a backup tool would.
private struct Keys {
    let operationalDER: Data
    let ipk: Data

    init(home: URL) throws {
        func contents(_ name: String) throws -> Data {
            let path = try FileManager.default.subpathsOfDirectory(atPath: home.path).first {
                $0.hasSuffix("keys/\(name)")
            }
            guard let path else { throw LaboratoryError("no key \(name) below \(home.path)") }
            let record = try Data(contentsOf: home.appendingPathComponent(path))
            // After the line that heads every record.
            guard let end = record.firstIndex(of: 0x0A) else { throw LaboratoryError("no header in \(path)") }
            return record[(end + 1)...]
        }
        ipk = try contents("ipk")
        // RFC 5915: version, private key and the curve's name.
        let scalar = try contents("operational")
        let curve: [UInt8] = [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        let body = [0x02, 0x01, 0x01, 0x04, UInt8(scalar.count)] + [UInt8](scalar) + curve
        operationalDER = Data([0x30, UInt8(body.count)] + body)
    }

    static func octets(_ hexadecimal: String) -> Data {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        let places = stride(from: 0, to: digits.count - 1, by: 2)
        return Data(places.map { (place: Int) -> UInt8 in UInt8(16 * digits[place] + digits[place + 1]) })
    }
}
