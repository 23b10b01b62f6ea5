import JSON
import MatterCommandLine
import Testing

/// Several nodes and the rooms that they are in: virtual devices in this process.
@Suite("House") struct HouseTests {
    private let shell: Shell
    private let devices: [Background]

    /// Node 1 `hall-lamp` and node 2 `hall-plug` are in the room Hall, node 3 `desk` in none.
    init() async throws {
        shell = try Shell()
        var devices: [Background] = []
        for (type, words) in [
            ("dimmable-light", "--name hall-lamp --room Hall"), ("on-off-plug", "--name hall-plug --room Hall"),
            ("dimmable-light", "--name desk"),
        ] {
            let device = try shell.start(
                "simulate \(type) --port 0 --mdns none --state \(shell.path("device-\(devices.count)"))")
            let port = try await device.line("ready")
            try await shell.succeed(
                "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --timeout 60s \(words)")
            devices.append(device)
        }
        self.devices = devices
    }

    /// The names in a list of nodes.
    private func names(_ words: String) async throws -> [String] {
        let list = try await shell.succeed("node ls \(words) --json").json()
        return (list.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
    }

    @Test("nodes are listed by room, type and cluster, with their rooms and types as the last columns")
    func list() async throws {
        let table = try await shell.succeed("node ls").stdout.split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(
            table.map { $0.suffix(3) } == [
                ["commissioned", "Hall", "Dimmable Light"], ["commissioned", "Hall", "On/Off Plug-in Unit"],
                ["commissioned", "-", "Dimmable Light"],
            ])
        #expect(try await names("--room hall") == ["hall-lamp", "hall-plug"])
        #expect(try await names("--type dimmable-light") == ["hall-lamp", "desk"])
        #expect(try await names("--type 0x101 --room HALL") == ["hall-lamp"])
        #expect(try await names("--cluster level-control") == ["hall-lamp", "desk"])
        #expect(try await names("--cluster 6 --room Attic").isEmpty)
        let unknown = try await shell.run("node ls --cluster levle-control --json")
        #expect(try unknown.status == 64 && unknown.error().text("id") == "data-model.unknown-cluster", "\(unknown)")
        #expect(try await shell.run("node ls --type toaster").status == 64)
    }

    @Test("a node is put into a room, taken out of it and renamed; what is not allowed changes nothing")
    func set() async throws {
        try await shell.succeed("node set desk --room 101 --name table")
        #expect(try await names("--room 101") == ["table"])
        let taken = try await shell.run("node set table --room Attic --name hall-lamp --json")
        #expect(try taken.status == 10 && taken.error().text("id") == "node.name-taken", "\(taken)")
        let invalid = try await shell.run("node set table --room a/b --json")
        #expect(try invalid.status == 64 && invalid.error().text("id") == "name.invalid", "\(invalid)")
        #expect(try await names("--room 101") == ["table"])
        try await shell.succeed("node set table --no-room")
        #expect(try await names("--room 101").isEmpty)
        for words in ["node set table", "node set table --room Hall --no-room"] {
            #expect(try await shell.run(words).status == 64, "\(words)")
        }
        let refused = try await shell.run("commission 34970112332 --address 127.0.0.1:9 --room a:b --json")
        #expect(try refused.status == 64 && refused.error().text("id") == "name.invalid", "\(refused)")
    }
}
