import JSON
import MatterCommandLine
import TestSupport
import Testing

/// The state of a house at a glance: virtual devices in this process.
@Suite("State of the house", .fewAtATime) struct StatusTests {
    private let shell: Shell
    private let hub: Background
    private let things: Background

    /// Node 1 `hub` in the Hall is a bridge, node 2 `things` in the Attic has a bit of everything.
    init() async throws {
        let shell = try Shell()
        self.shell = shell
        func start(_ types: String, _ words: String) async throws -> Background {
            let device = try shell.start(
                "simulate \(types) --port 0 --mdns none --state \(shell.path(String(words.prefix(10).filter(\.isLetter))))"
            )
            let port = try await device.line("ready")
            try await shell.succeed(
                "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --timeout 60s \(words)")
            return device
        }
        hub = try await start(
            "aggregator", "--name hub --room Hall")
        things = try await start(
            "dimmable-light,door-lock,window-covering,fan,thermostat,contact-sensor,temperature-sensor",
            "--name things --room Attic")
    }

    private func rows(_ text: String) -> [[String]] {
        text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    }

    @Test("a node was last seen by the last command that reached it, whatever the command")
    func lastSeen() async throws {
        func seen() async throws -> String {
            let node = try await shell.succeed("node show things --json").json()
            return try #require(node["lastSeen"]?.stringValue)
        }
        let before = try await seen()
        // It is told in whole seconds.
        try await awaitEvent("a later second") {
            try await shell.succeed("lock things")
            return try await seen() > before
        }
        let listed = try await shell.succeed("node ls --json").json().arrayValue ?? []
        #expect(listed.count == 2 && (listed[1]["lastSeen"]?.stringValue ?? "") > before, "\(listed)")
    }

    @Test("each device has a row by room with its state in words, whether it is reachable, and its battery")
    func table() async throws {
        try await shell.succeed("level things/1 50%")
        try await shell.succeed("lock things")
        try await shell.succeed("fan things 30%")
        try await shell.succeed("cover things 40% --verify")
        try await shell.succeed("thermostat mode things heat")
        try await shell.succeed("thermostat heat things 22")
        try await shell.succeed("on dimmable-light")
        try await shell.succeed("node set on-off-light --room Study")
        let table = rows(try await shell.succeed("status").stdout)
        #expect(table.map { $0[0] } == ["Attic", "Hall", "Hall", "Hall", "Study"])
        #expect(table.map { $0[1] } == ["2", "1", "1/3", "1/4", "1/2"])
        #expect(table.map { $0[2] } == ["things", "hub", "dimmable-light", "color-temperature-light", "on-off-light"])
        let state = table[0][3]
        for part in ["1: on 50%", "2: locked", "3: 40% closed", "4: 30%", "heat to 22.00 °C", "6: ", "7: "] {
            #expect(state.contains(part), "\(state)")
        }
        #expect(table[2][3].hasPrefix("on ") && table[4][3] == "off", "\(table)")
        #expect(table.map { $0[5] } == ["yes", "yes", "yes", "yes", "yes"], "\(table)")
        #expect(table.allSatisfy { $0[4] == "-" }, "\(table)")

        let drawn = try await Shell(terminals: [.output]).succeed("status --room hall --home \(shell.home)").stdout
        #expect(drawn.hasPrefix("ROOM  NODE  NAME"), "\(drawn)")
        #expect(drawn.split(separator: "\n").count == 4 && !drawn.contains("things"), "\(drawn)")

        let json = try await shell.succeed("status hub things --json").json().arrayValue ?? []
        #expect(json.count == 5 && json[0]["name"] == "things" && json[0]["reachable"] == true, "\(json)")
        let level = json[0]["values"]?.arrayValue?.first { $0["quantity"] == "level" }
        #expect(level?["value"] == 127 && level?["cluster"] == "LevelControl", "\(json)")
        let one = try await shell.succeed("status dimmable-light --json").json().arrayValue ?? []
        #expect(one.count == 1 && one[0]["endpoint"] == 3 && one[0]["label"] == "dimmable-light", "\(one)")
    }

    @Test(
        "a node that is gone is shown so, with all behind it; firmware and when it was seen are kept")
    func unreachable() async throws {
        let list = rows(try await shell.succeed("node ls --status").stdout)
        #expect(list[3][4] == "bridged" && list[3][8] == "yes" && list[0][8] == "yes", "\(list)")
        #expect(list[0][9].hasPrefix("20") && list[0][10] != "-", "seen and firmware: \(list)")
        let firmware = try await shell.succeed("node show hub --json").json()["firmware"]?.stringValue
        #expect(firmware == list[0][10])

        _ = await hub.stop()
        let gone = try await shell.succeed("status --timeout 8s --json").json().arrayValue ?? []
        #expect(gone.filter { $0["reachable"] == true }.map { $0["name"] } == ["things"], "\(gone)")
        #expect(gone.last?["error"]?["id"] != nil && gone.last?["lastSeen"] != nil || gone.count == 5, "\(gone)")
        let listed = try await shell.succeed("node ls --status --timeout 8s --json").json().arrayValue ?? []
        #expect(listed.map { $0["reachable"] } == [false, true] && listed[0]["lastSeen"] != nil, "\(listed)")
        _ = await things.stop()
    }

    @Test("a house without nodes has no rows")
    func empty() async throws {
        let empty = try Shell()
        try await empty.succeed("fabric create home")
        #expect(try await empty.succeed("status").stdout.isEmpty)
        #expect(try await empty.run("status --room Hall").status == 3)
    }
}
