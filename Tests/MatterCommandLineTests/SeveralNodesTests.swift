import Foundation
import JSON
import MatterCommandLine
import TestSupport
import Testing

/// Several nodes and the rooms that they are in: virtual devices in this process.
@Suite("House", .fewAtATime) struct SeveralNodesTests {
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

    // MARK: Verbs

    /// The lights and the plug.
    private func states() async throws -> [String] {
        var states: [String] = []
        for node in 1...3 {
            let run = try await shell.succeed("read \(node) 1/on-off/on-off")
            states.append(run.stdout.trimmingCharacters(in: .newlines))
        }
        return states
    }

    @Test("a verb reaches a room, a type, a pattern, several names or all of them, with a line for each node")
    func verbs() async throws {
        let (lamp, plug, desk) = ("1\thall-lamp\tdone\n", "2\thall-plug\tdone\n", "3\tdesk\tdone\n")
        for (words, lines, after) in [
            ("off --all", lamp + plug + desk, ["false", "false", "false"]),
            ("on --room hall", lamp + plug, ["true", "true", "false"]),
            ("toggle hall-* desk", lamp + plug + desk, ["false", "false", "true"]),
            ("toggle --type dimmable-light --room Hall", lamp, ["true", "false", "true"]),
            ("off desk/1 hall-lamp", lamp + "3/1\tdesk\tdone\n", ["false", "false", "false"]),
            ("toggle desk/1 d* desk", "3/1\tdesk\tdone\n", ["false", "false", "true"]),
            ("off desk", "", ["false", "false", "false"]),
            ("on 3 desk hall-p?ug", plug + desk, ["false", "true", "true"]),
            // The plug has no level: it was not named.
            ("level --room Hall 50%", lamp, ["true", "true", "true"]),
            ("identify --cluster identify --for 1s", lamp + plug + desk, ["true", "true", "true"]),
        ] {
            #expect(try await shell.succeed(words).stdout == lines, "\(words)")
            #expect(try await states() == after, "\(words)")
        }
        #expect(try await shell.succeed("off desk").stdout.isEmpty, "one node is told as ever")
    }

    @Test("several states are read back: the last column, and members of each object")
    func verify() async throws {
        let level = try await shell.succeed("level hall-lamp desk 50% --verify").stdout
        #expect(level == "1\thall-lamp\tdone\t127\n3\tdesk\tdone\t127\n")
        let list = try await shell.succeed("off --all --verify --json").json().arrayValue ?? []
        #expect(
            list.map { $0["node"] } == [1, 2, 3] && list.allSatisfy { $0["value"] == false && $0["endpoint"] == 1 })
        #expect(list.map { $0["result"] } == ["done", "done", "done"] && list[0]["name"] == "hall-lamp")
        let alone = try await shell.succeed("level hall-lamp 0 --verify").stdout
        #expect(alone == "0\n")
    }

    @Test("a dry run of several nodes shows what each would be sent")
    func rehearsal() async throws {
        let before = try await states()
        let lines = try await shell.succeed("toggle --room Hall --dry-run").stdout.split(separator: "\n")
        #expect(lines.count == 4 && lines[0] == "hall-lamp\t1/on-off/toggle\t{}", "\(lines)")
        #expect(lines[3].hasPrefix("hall-plug\tInvokeRequest\t1528002801"), "\(lines)")
        let list = try await shell.succeed("toggle --room Hall --dry-run --json").json().arrayValue ?? []
        #expect(list.map { $0["commands"]?.arrayValue?.first?["node"] } == [1, 2])
        #expect(try await states() == before)
    }

    @Test("the failure of one node stops no other; the exit code is that of the first one by id")
    func failures() async throws {
        try await shell.succeed("off --all")
        // The plug, which was named, has no level.
        let level = try await shell.run("level hall-plug desk 9 --json")
        #expect(level.status == 6, "\(level)")
        let list = try level.json().arrayValue ?? []
        #expect(list.map { $0["result"] } == ["failed", "done"], "\(level)")
        #expect(list.first?["error"]?["id"]?.stringValue == "node.unsupported-cluster", "\(level)")
        #expect(try level.error().text("id") == "node.incomplete")
        #expect(try await states() == ["false", "false", "true"])
        _ = await devices[0].stop()
        let run = try await shell.run("on --all --timeout 10s")
        #expect(run.status == 4, "\(run)")
        #expect(run.stdout == "1\thall-lamp\tfailed\n2\thall-plug\tdone\n3\tdesk\tdone\n")
        #expect(run.messages.contains { $0.hasPrefix("warning: node 'hall-lamp'") }, "\(run)")
    }

    @Test("the verbs for kinds of devices reach rooms and several nodes too, values as the last words")
    func kinds() async throws {
        let device = try shell.start(
            "simulate door-lock,window-covering,color-light,thermostat --port 0 --mdns none --state \(shell.path("things"))"
        )
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --timeout 60s --name door --room Hall"
        )
        let done = "4\tdoor\tdone"
        for (words, lines) in [
            ("lock --all", done + "\n"), ("unlock --room Hall --verify", done + "\tUnlocked\n"),
            ("cover --room hall 40%", done + "\n"), ("cover position d* 10% --verify", done + "\t1000\n"),
            ("cover close --type window-covering", done + "\n"), ("cover stop --all", done + "\n"),
            ("color --room Hall 2700K", done + "\n"), ("color hue --all 120 80% --verify", done + "\t21845, 203\n"),
            ("color xy --all 0.25 0.5", done + "\n"),
            ("color hue door/3 door 120 --verify", "4/3\tdoor\tdone\t21845\n"),
            ("color hue door 240 50", ""), ("thermostat mode --all heat", done + "\n"),
            ("thermostat heat --all 21.5 --verify", done + "\t2150\n"),
        ] {
            #expect(try await shell.succeed(words).stdout == lines, "\(words)")
        }
        let shown = try await shell.succeed("thermostat show --all").stdout
        #expect(shown.contains("door\t4\theat to\t2150\n"), "\(shown)")
        let list = try await shell.succeed("sensor --room Hall --json").json().arrayValue ?? []
        #expect(list.first?["name"] == "door" && list.first?["node"] == 4 && list.count == 2, "\(list)")
        let none = try await shell.run("battery --all --json")
        #expect(try none.status == 6 && none.error().text("id") == "node.lacks", "\(none)")
        let mixed = try await shell.run("sensor desk door --json")
        #expect(try mixed.status == 6 && mixed.error().text("id") == "node.incomplete", "\(mixed)")
        #expect(try mixed.json().arrayValue?.first?["error"]?["id"] == "node.lacks", "\(mixed)")

        let rehearsal = try await shell.succeed("cover --all 40% --dry-run").stdout
        #expect(rehearsal.hasPrefix("door\t2/window-covering/go-to-lift-percentage\t{"), "\(rehearsal)")
        let write = try await shell.succeed("thermostat heat door 20 --dry-run").stdout
        #expect(write.hasPrefix("4/thermostat/occupied-heating-setpoint\t2000\nWriteRequest\t"), "\(write)")
        let secret = try await shell.run("unlock door --pin @- --dry-run", input: "2468\n")
        #expect(secret.status == 64 && !"\(secret)".contains("2468"))
        #expect(try await shell.run("cover --all 101%").status == 64)
        #expect(try await shell.run("cover 40%").status == 64)
        _ = await device.stop()
    }

    @Test("--verify waits for the end of the transition; when the time is over first, a warning says so")
    func transitions() async throws {
        try await shell.succeed("level desk 1")
        #expect(try await shell.succeed("level desk 200 --transition 2s --verify").stdout == "200\n")
        let short = try await shell.succeed("level desk 10 --transition 60s --verify --timeout 8s")
        #expect(short.stderr.contains("warning: the time was over while node 'desk' was on its way"), "\(short)")
    }

    @Test("what cannot be meant is refused before anything is sent")
    func refusals() async throws {
        for (words, status, id) in [
            ("on --room Attic", 3, "node.unknown"), ("on attic desk", 3, "node.unknown"),
            ("on x*", 3, "node.unknown"), ("level --type on-off-plug-in-unit 5", 6, "node.unsupported-cluster"),
            ("on", 64, "usage"), ("level 50%", 64, "usage"), ("level --all", 64, "usage"),
            ("level --room Hall desk", 64, "usage"), ("on desk a/b/c", 64, "usage"),
            ("on --all --address 127.0.0.1:9", 64, "usage"),
            ("on desk group:lights", 64, "usage.group-target"),
        ] as [(String, Int32, String)] {
            let run = try await shell.run(words + " --json")
            #expect(run.status == status && run.stdout.isEmpty, "\(words): \(run)")
            #expect(try run.error().text("id") == id, "\(words): \(run)")
        }
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
