import Foundation
import TestSupport
import Testing

/// Fabrics of other programs, taken over from their stores: those of the official controller, and others that a script in Python
/// writes from the description of their formats.
@Suite("Stores of other programs", .enabled(if: Laboratory.isHere), .laboratorySlot) struct NeighbourStoreTests {
    /// Two lights on a fabric of ours, and the stores in which other programs would have it.
    private struct House {
        let lamp: VirtualDevice
        let hall: VirtualDevice
        let owner: MatterCtl
        let stores: URL

        static func start() async throws -> House {
            let lamp = try await VirtualDevice.start(isAdvertised: true)
            let hall = try await VirtualDevice.start(isAdvertised: true)
            let owner = try MatterCtl()
            try await owner.commission(lamp, ["--name", "first"])
            try await owner.commission(hall, ["--name", "second"])
            let house = House(lamp: lamp, hall: hall, owner: owner, stores: owner.folder.file("stores"))
            let script = Laboratory.scripts.appendingPathComponent("neighbour_stores.py")
            let child = try Child(
                Laboratory.python,
                [script.path, owner.home.path, "home", house.stores.path, "1=lamp", "2=hall"],
                environment: Laboratory.environment, folder: owner.folder)
            let status = await child.status()
            try #require(status == 0, "\(child.stderr)")
            return house
        }

        func stop() {
            lamp.stop()
            hall.stop()
        }
    }

    @Test(
        "each layout of each program is read, checked, taken over, and its lights are switched",
        .timeLimit(.minutes(20)))
    func layouts() async throws {
        let house = try await House.start()
        defer { house.stop() }
        let own = try #require(try await house.owner.succeed("fabric", "show", "--json").json()["nodeId"])
        var switchings = 0
        // A third light, which no store knows: it is found on the network.
        let third = try await VirtualDevice.start(isAdvertised: true)
        defer { third.stop() }
        try await house.owner.commission(third, ["--name", "third"])
        for (program, path, hasNames) in [
            ("chip-tool", "chip-tool", false), ("python-matter-server", "python", true),
            ("python-matter-server", "python/chip.json", true), ("matterjs", "js-file", true),
            ("matterjs", "js-log", true), ("matterjs", "js-database", true), ("matterjs", "js-file/server", true),
        ] {
            let store = house.stores.appendingPathComponent(path).path
            let guest = try MatterCtl()
            let ipk = program == "matterjs" ? [] : ["--ipk", "@\(house.stores.appendingPathComponent("ipk").path)"]
            // Other tests run such a program at the same time, with another store.
            let words = ["fabric", "import", "--from", program, store, "--force"] + ipk
            let rehearsal = try await guest.succeed(words + ["--dry-run", "--json"]).json()
            #expect(rehearsal["nodes"]?.elements.map { $0["node"]?.int } == [1, 2, 3], "\(path): \(rehearsal)")
            #expect(rehearsal["dryRun"]?.bool == true && rehearsal["store"]?.string == program)
            #expect(rehearsal["nodeId"] == own && rehearsal["issuer"]?.string == "local")
            let names = rehearsal["nodes"]?.elements.map { $0["name"]?.string }
            #expect(names == (hasNames ? ["lamp", "hall", nil] : [nil, nil, nil]), "\(path): \(rehearsal)")
            let checks = rehearsal["checks"]?.elements.map { $0.string } ?? []
            #expect(
                checks.starts(with: ["root-signature", "chain", "key-pairs"])
                    && checks.contains("identity-protection-key"), "\(path): \(checks)")
            #expect(!FileManager.default.fileExists(atPath: guest.home.path), "a rehearsal writes nothing")

            let taken = try await guest.succeed(words + ["--take-over", "--json"])
            #expect(try taken.json()["nodes"]?.elements.count == 3, "\(taken)")
            // A node that was there before is not taken twice.
            #expect(
                try await guest.succeed(words + ["--take-over", "--json"]).json()["nodes"]?.elements.isEmpty == true)
            try await guest.succeed("toggle", hasNames ? "lamp" : "1")
            switchings += 1
            #expect(house.lamp.switchings == switchings, "\(path)")
            #expect(try await guest.succeed("read", "2", "1/on-off/on-off").result.isEmpty == false)
        }
    }

    @Test(
        "a store with several fabrics, one of them with an intermediate authority: each is joined and taken over by its id",
        .timeLimit(.minutes(20)))
    func several() async throws {
        let lamp = try await VirtualDevice.start(isAdvertised: true)
        let hall = try await VirtualDevice.start(isAdvertised: true)
        defer {
            lamp.stop()
            hall.stop()
        }
        let owner = try MatterCtl()
        func python(_ script: String, _ words: [String]) async throws {
            let child = try Child(
                Laboratory.python, [Laboratory.scripts.appendingPathComponent(script).path] + words,
                environment: Laboratory.environment, folder: owner.folder)
            try #require(await child.status() == 0, "\(child.stderr)")
        }
        let parts = owner.folder.file("parts").path
        try await python("intermediate.py", [parts, "7001", "4660"])
        var words = ["fabric", "import", "house", "--rcac", "\(parts)/root.pem"]
        for name in ["icac", "noc"] { words += ["--\(name)", "\(parts)/\(name).pem"] }
        for name in ["noc", "icac", "root"] { words += ["--key", "@\(parts)/\(name).key"] }
        try await owner.succeed(words + ["--ipk", "@\(parts)/ipk"])
        try await owner.commission(lamp, ["--name", "lamp", "--fabric", "house", "--node-id", "11"])
        try await owner.succeed("fabric", "create", "home")
        try await owner.commission(hall, ["--name", "hall", "--fabric", "home", "--node-id", "12"])
        let other = try #require(
            try await owner.succeed("fabric", "show", "home", "--json").json()["fabricId"]?.string)
        let stores = owner.folder.file("stores")
        try await python(
            "neighbour_stores.py",
            ["--several", owner.home.path, stores.path, "house", "home", "--", "house:11=lamp", "home:12=hall"])
        func ipk(_ id: String) throws -> String {
            let number = try #require(UInt64(id, radix: 16))
            return "@" + stores.appendingPathComponent("ipk-\(number)").path
        }
        let house = String(repeating: "0", count: 12) + "1B59"
        var switchings = (lamp: 0, hall: 0)
        for (program, path) in [("chip-tool", "chip-tool"), ("python-matter-server", "python")] {
            let store = stores.appendingPathComponent(path).path
            for way in [["--yes"], ["--take-over"]] {
                let guest = try MatterCtl()
                let words = ["fabric", "import", "--from", program, store, "--force", "--json"]
                let asked = try await guest.run(words + ["--dry-run", "--ipk", try ipk(house)])
                #expect([0, 64].contains(asked.status), "\(asked)")
                for (id, node) in [(house, "11"), (other, "12")] {
                    let taken = try await guest.succeed(
                        words + way + ["--id", "0x\(id)", "--name", "fabric-\(node)", "--ipk", try ipk(id)])
                    #expect(try taken.json()["fabricId"]?.string == id, "\(taken)")
                    #expect(try taken.json()["nodes"]?.elements.map { $0["node"]?.int } == [Int(node)], "\(taken)")
                    #expect((try taken.json()["icac"] != nil) == (id == house), "\(taken)")
                    try await guest.succeed("toggle", node, "--fabric", "fabric-\(node)")
                }
                switchings.lamp += 1
                switchings.hall += 1
                #expect(lamp.switchings == switchings.lamp && hall.switchings == switchings.hall, "\(program) \(way)")
            }
            // The owner goes on beside them.
            try await owner.succeed("toggle", "lamp", "--fabric", "house")
            switchings.lamp += 1
        }
        // Certificates of new devices come from the intermediate authority as well.
        let new = try await VirtualDevice.start(isAdvertised: true)
        defer { new.stop() }
        let guest = try MatterCtl()
        try await guest.succeed(
            "fabric", "import", "--from", "chip-tool", stores.appendingPathComponent("chip-tool").path, "--force",
            "--take-over",
            "--id", "0x\(house)", "--name", "house", "--ipk", try ipk(house))
        try await guest.commission(new, ["--name", "new", "--fabric", "house"])
        try await guest.succeed("toggle", "new", "--fabric", "house")
        #expect(new.switchings == 1)
    }

    @Test("a store in use, of another program, or that is damaged is told from others, and nothing is written")
    func refusals() async throws {
        let house = try await House.start()
        defer { house.stop() }
        let guest = try MatterCtl()
        func fails(_ status: Int32, _ id: String, _ program: String, _ path: String, _ options: String...) async throws
        {
            let words = ["fabric", "import", "--from", program, house.stores.appendingPathComponent(path).path]
            let run = try await guest.run(words + ["--take-over", "--json"] + options)
            #expect(run.status == status && run.stdout.isEmpty, "\(run)")
            #expect(try run.error()["id"]?.string == id, "\(run)")
            #expect(!FileManager.default.fileExists(atPath: guest.home.path), "\(run)")
        }
        try await fails(3, "neighbour.no-store", "matterjs", "chip-tool")
        try await fails(64, "neighbour.unknown-ipk", "chip-tool", "chip-tool")
        try await fails(3, "neighbour.no-store", "chip-tool", "js-file")
        let file = house.stores.appendingPathComponent("python/chip.json")
        let whole = try Data(contentsOf: file)
        try whole.write(to: file)
        try await fails(10, "neighbour.in-use", "python-matter-server", "python")
        try whole.prefix(whole.count / 2).write(to: file)
        try await fails(10, "neighbour.damaged", "python-matter-server", "python", "--force")
        // The key of another fabric.
        let other = try MatterCtl()
        try await other.succeed("fabric", "create", "home")
        var text = String(decoding: whole, as: UTF8.self)
        let key = #""ExampleOpCredsCAKey1": ""#
        let start = try #require(text.range(of: key)).upperBound
        let end = try #require(text[start...].firstIndex(of: "\""))
        let secret = try Data(contentsOf: other.home.appendingPathComponent("fabrics/home/keys/root")).suffix(32)
        text.replaceSubrange(start..<end, with: secret.base64EncodedString())
        try Data(text.utf8).write(to: file)
        try await fails(10, "neighbour.damaged", "python-matter-server", "python", "--force")
        // A lock of a process that lives.
        let lock = house.stores.appendingPathComponent("js-file/server/matter.lock")
        try Data().write(to: lock)
        try Data("\(getpid()) 00".utf8).write(to: lock.deletingLastPathComponent().appendingPathComponent("matter.pid"))
        try await fails(10, "neighbour.in-use", "matterjs", "js-file/server")
    }

    @Test(
        "the official controller's own store is taken over, with the lights that it has commissioned",
        .enabled(if: PeerPython.hasController), .timeLimit(.minutes(20)))
    func official() async throws {
        let device = try await VirtualDevice.start(isAdvertised: true)
        defer { device.stop() }
        let official = try OfficialStorage(trusting: device)
        let joined = try await official("commission", "7", "--code", device.qrCode)
        #expect(joined.contains("commissioned node 7"), "\(joined)\n\(device.events)")
        let guest = try MatterCtl()
        let words = ["fabric", "import", "--from", "python-matter-server", official.storage.path, "--force"]
        let rehearsal = try await guest.succeed(words + ["--dry-run", "--json"]).json()
        #expect(rehearsal["nodes"]?.elements.map { $0["node"]?.int } == [7], "\(rehearsal)")
        #expect(rehearsal["nodeId"]?.int == 112_233)
        #expect(
            rehearsal["checks"]?.elements.map { $0.string }
                == ["root-signature", "chain", "key-pairs", "identity-protection-key"], "\(rehearsal)")
        try await guest.succeed(words + ["--take-over"])
        try await guest.succeed("on", "7")
        #expect(device.switchings == 1, "\(device.events)")
        // The authority's key is there, so new devices join the fabric.
        let second = try await VirtualDevice.start(isAdvertised: true)
        defer { second.stop() }
        try await guest.commission(second, ["--name", "new"])
        try await guest.succeed("toggle", "new")
        #expect(second.switchings == 1)
    }
}
