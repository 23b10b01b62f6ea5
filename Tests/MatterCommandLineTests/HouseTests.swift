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

    @Test("a room is added, listed, renamed with its nodes, joined with another and removed, which nodes survive")
    func rooms() async throws {
        try await shell.succeed("room add Attic")
        let known = try await shell.run("room add HALL --json")
        #expect(try known.status == 10 && known.error().text("id") == "room.exists", "\(known)")
        #expect(try await shell.succeed("room ls").stdout == "Attic\t-\nHall\thall-lamp, hall-plug\n")
        let list = try await shell.succeed("room ls --json").json()
        #expect(list.arrayValue?.map { $0["room"] } == ["Attic", "Hall"] && list.arrayValue?[0]["nodes"] == .array([]))
        #expect(list.arrayValue?[1]["nodes"]?.arrayValue?.map { $0["name"] } == ["hall-lamp", "hall-plug"])
        try await shell.succeed("node set desk --room attic")
        #expect(try await shell.succeed("room ls").stdout.hasPrefix("Attic\tdesk\n"), "the room keeps its spelling")
        try await shell.succeed("room rename attic Study")
        try await shell.succeed("room rename hall HALL")
        #expect(try await shell.succeed("room ls").stdout == "HALL\thall-lamp, hall-plug\nStudy\tdesk\n")
        #expect(try await shell.run("room rename HALL study").status == 64)
        try await shell.succeed("room rename HALL study --yes")
        #expect(try await shell.succeed("room ls").stdout == "Study\thall-lamp, hall-plug, desk\n")
        let full = try await shell.run("room rm study --json")
        #expect(try full.status == 64 && full.error().text("id") == "usage.confirmation-needed", "\(full)")
        try await shell.succeed("room rm study --yes")
        #expect(try await shell.succeed("room ls").stdout.isEmpty)
        #expect(try await names("") == ["hall-lamp", "hall-plug", "desk"])
        try await shell.succeed("room add Attic")
        try await shell.succeed("room rm attic")
        let unknown = try await shell.run("room rm attic --json")
        #expect(try unknown.status == 3 && unknown.error().text("id") == "room.unknown", "\(unknown)")
        #expect(try await shell.run("room add a/b").status == 64)
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
