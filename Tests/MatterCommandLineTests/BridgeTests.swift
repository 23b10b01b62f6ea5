import Foundation
import JSON
import MatterCommandLine
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterState

/// A bridge with three lights behind it, and a light of its own, as a virtual device in this process.
@Suite("Bridges", .fewAtATime) struct BridgeTests {
    private let shell: Shell
    private let bridge: Background
    private let port: String

    /// Node 1 `hub` in the room Hall; endpoints 2 to 4 are the lights behind it, of which the first is called `Desk lamp`
    /// now, and 5 is its own plug.
    init() async throws {
        shell = try Shell()
        bridge = try shell.start("simulate aggregator,on-off-plug --port 0 --mdns none --state \(shell.path("hub"))")
        port = try await bridge.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --timeout 60s --name hub --room Hall"
        )
        let label = "2/bridged-device-basic-information/node-label"
        #expect(try await shell.run(["write", "hub", label, "Desk lamp"]).status == 0)
        try await shell.succeed("node refresh --all")
    }

    private func succeed(_ words: [String]) async throws -> CommandRun {
        let run = try await shell.run(words)
        try #require(run.status == 0, "\(words): \(run)")
        return run
    }

    private func states() async throws -> [String] {
        try await shell.succeed("read hub */on-off/on-off").stdout.split(separator: "\n").map {
            String($0.split(separator: "\t")[1])
        }
    }

    @Test("a device behind a bridge is a target by its label, for verbs, paths, groups and bindings")
    func labels() async throws {
        #expect(try await succeed(["on", "Desk lamp", "--verify"]).stdout == "true\n")
        #expect(try await states() == ["true", "false", "false", "false"])
        #expect(try await succeed(["on", "Desk lamp", "--dry-run"]).stdout.hasPrefix("2/on-off/on\t"))
        #expect(try await succeed(["read", "Desk lamp", "on-off/on-off"]).stdout == "true\n")
        #expect(
            try await succeed(["read", "Desk lamp", "on-off", "--json"]).json().arrayValue?.first?["endpoint"] == 2)
        _ = try await succeed(["invoke", "Desk lamp", "on-off/toggle"])
        _ = try await succeed(["wait", "Desk lamp", "on-off/on-off=false", "--for", "20s"])
        _ = try await succeed(["write", "dimmable-light", "level-control/on-level", "raw:9"])
        #expect(try await shell.succeed("read hub 3/level-control/on-level").stdout == "9\n")
        _ = try await succeed(["supports", "dimmable-light", "level-control/move-to-level"])
        #expect(try await shell.run(["supports", "Desk lamp", "level-control/move-to-level"]).status == 6)
        let described = try await succeed(["describe", "Desk lamp", "--json"]).json()
        #expect(described["endpoints"]?.arrayValue?.map { $0["endpoint"] } == [2], "\(described)")
        let followed = try await succeed(["subscribe", "Desk lamp", "on-off/on-off", "--count", "1"]).stdout
        #expect(followed == "false\n", "\(followed)")
        _ = try await succeed(["group", "create", "lights"])
        _ = try await succeed(["group", "add", "lights", "Desk lamp"])
        let members = try await shell.succeed("group ls --json").json()
        #expect("\(members)".contains("endpoint"), "\(members)")
    }

    @Test("a device that a bridge gains is in status by itself, and can be named then; one that it loses is gone")
    func comeAndGo() async throws {
        // The record of a time when the bridge had no color light, and had another device that is gone now.
        try await NodeStore(StateDirectory(path: shell.home), fabric: "home").update(NodeID(1)) { record in
            for place in record.endpoints.indices where record.endpoints[place].number == 4 {
                record.endpoints[place].number = 9
            }
        }
        #expect(try await shell.succeed("node ls").stdout.contains("1/9"))
        let shown = try await shell.succeed("status").stdout
        #expect(shown.contains("\t1/4\tcolor-temperature-light\t") && !shown.contains("1/9"), "\(shown)")
        #expect(shown.contains("\t1/2\tDesk lamp\t"), "\(shown)")
        #expect(try await succeed(["on", "color-temperature-light", "--verify"]).stdout == "true\n")
        #expect(try await !shell.succeed("node ls").stdout.contains("1/9"))
    }

    @Test("a device that is another one now is shown as that, in a state directory that cannot be written too")
    func replaced() async throws {
        let label = "3/bridged-device-basic-information/node-label"
        _ = try await succeed(["write", "hub", label, "Ceiling"])
        let locks = shell.home + "/locks"
        try FileManager.default.moveItem(atPath: locks, toPath: locks + ".away")
        try Data().write(to: URL(fileURLWithPath: locks))
        let shown = try await shell.succeed("status").stdout
        #expect(shown.contains("\t1/3\tCeiling\t") && !shown.contains("unreachable"), "\(shown)")
        try FileManager.default.removeItem(atPath: locks)
        try FileManager.default.moveItem(atPath: locks + ".away", toPath: locks)
        #expect(try await shell.run("off Ceiling").status != 0, "the record could not be written")
        _ = try await succeed(["status"])
        #expect(try await succeed(["off", "Ceiling"]).stdout == "")
    }

    @Test("all and rooms mean the devices behind a bridge, each by itself; types and clusters choose among them")
    func bulk() async throws {
        let own = "1/5\thub\tdone\n"
        let all = "1/2\tDesk lamp\tdone\n1/3\tdimmable-light\tdone\n1/4\tcolor-temperature-light\tdone\n"
        for (words, lines) in [
            (["on", "--all"], all + own), (["off", "--room", "hall"], all + own),
            (["toggle", "--type", "dimmable-light"], "1/3\tdimmable-light\tdone\n"),
            (["off", "D*"], "1/2\tDesk lamp\tdone\n"),
            (["level", "--all", "30%"], "1/3\tdimmable-light\tdone\n1/4\tcolor-temperature-light\tdone\n"),
            (["off", "Desk lamp", "dimmable-light"], "1/2\tDesk lamp\tdone\n1/3\tdimmable-light\tdone\n"),
        ] {
            let run = try await succeed(words)
            #expect(Set(run.stdout.split(separator: "\n")) == Set(lines.split(separator: "\n")), "\(words): \(run)")
        }
        #expect(try await states() == ["false", "false", "true", "false"])
        let json = try await succeed(["on", "--type", "dimmable-light", "--json"]).json().arrayValue ?? []
        #expect(json.count == 1 && json[0]["label"] == "dimmable-light" && json[0]["name"] == "hub", "\(json)")
        #expect(try await shell.run(["on", "hub", "--json"]).error().text("id") == "node.ambiguous-endpoint")
    }

    private static func restart(_ shell: Shell) -> String {
        "simulate aggregator,on-off-plug --port 0 --mdns none --state \(shell.path("hub"))"
    }

    @Test("it has a room and a name of its own, which outlast a refresh, and stands below its bridge in lists")
    func records() async throws {
        _ = try await succeed(["node", "set", "Desk lamp", "--room", "Study", "--name", "reading lamp"])
        #expect(try await succeed(["off", "--room", "study"]).stdout == "1/2\treading lamp\tdone\n")
        #expect(try await succeed(["room", "ls"]).stdout == "Hall\thub\nStudy\treading lamp\n")
        let rooms = try await succeed(["room", "ls", "--json"]).json().arrayValue ?? []
        #expect(rooms.last?["devices"]?.arrayValue?.first?["label"] == "reading lamp", "\(rooms)")
        _ = try await succeed(["room", "rename", "Study", "Den"])
        _ = await bridge.stop()
        // Its port may have been given to another test meanwhile.
        var again = try shell.start(Self.restart(shell))
        var port = try? await again.line("ready")
        try await awaitEvent("its port to be free") {
            if port != nil { return true }
            again = try shell.start(Self.restart(shell))
            port = try? await again.line("ready")
            return port != nil
        }
        try await shell.succeed("node refresh hub --address 127.0.0.1:\(try #require(port))")
        let shown = try await succeed(["node", "show", "reading lamp", "--json"]).json()
        #expect(shown["label"] == "Desk lamp" && shown["room"] == "Den" && shown["endpoint"] == 2, "\(shown)")
        #expect(shown["bridge"] == "hub" && shown["reachable"] == true, "\(shown)")
        let table = try await succeed(["node", "ls"]).stdout.split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(
            table.map { $0.prefix(2) } == [
                ["1", "hub"], ["1/2", "reading lamp"], ["1/3", "dimmable-light"], ["1/4", "color-temperature-light"],
            ])
        #expect(table.map { $0[5] } == ["Hall", "Den", "Hall", "Hall"], "\(table)")
        let list = try await succeed(["node", "ls", "--json"]).json().arrayValue ?? []
        #expect(list.count == 1 && list[0]["endpoints"]?.arrayValue?[2]["bridged"]?["room"] == "Den", "\(list)")
        _ = try await succeed(["node", "set", "reading lamp", "--no-room"])
        #expect(try await succeed(["room", "ls"]).stdout == "Hall\thub\n")
        _ = await again.stop()
    }

    @Test("one label for two devices is refused with both of their places; a whole node is not named by a label")
    func refusals() async throws {
        _ = try await succeed(["write", "dimmable-light", "bridged-device-basic-information/node-label", "Desk lamp"])
        try await shell.succeed("node refresh hub")
        let two = try await shell.run(["on", "Desk lamp", "--json"])
        #expect(try two.status == 64 && two.error().text("id") == "name.ambiguous", "\(two)")
        #expect(try two.error().text("message") == "2 devices are called 'Desk lamp': hub/2, hub/3", "\(two)")
        _ = try await succeed(["node", "rename", "hub/3", "lamp"])
        let whole = try await shell.run(["acl", "ls", "lamp", "--json"])
        #expect(try whole.status == 64 && whole.error().text("id") == "node.bridged", "\(whole)")
        #expect(try whole.error().text("hint") == "name the bridge: hub", "\(whole)")
        #expect(try await shell.run(["node", "rename", "hub/5", "plug", "--json"]).status == 3)
        let invalid = try await shell.run(["node", "set", "lamp", "--name", "a/b", "--json"])
        #expect(try invalid.error().text("id") == "name.invalid", "\(invalid)")
    }

    @Test("labels complete like the names of nodes, and the paths below them")
    func completion() async throws {
        func candidates(_ words: String...) async throws -> [String] {
            try await succeed(["---complete", "fish"] + words).stdout.split(separator: "\n").dropFirst().map {
                String($0.prefix { $0 != "\t" })
            }
        }
        #expect(try await candidates("on", "Desk") == ["Desk lamp"])
        #expect(try await candidates("on", "h") == ["hub"])
        #expect(try await candidates("read", "Desk lamp", "") == ["2/", "*/"])
    }

    @Test("a name travels to the device when asked to; one that is too long for it changes nothing")
    func names() async throws {
        _ = try await succeed(["node", "rename", "Desk lamp", "reading lamp", "--on-device"])
        let label = "bridged-device-basic-information/node-label"
        #expect(try await succeed(["read", "reading lamp", label]).stdout == "reading lamp\n")
        _ = try await succeed(["node", "rename", "hub", "bridge", "--on-device"])
        #expect(try await shell.succeed("read bridge 0/basic-information/node-label").stdout == "bridge\n")
        let long = String(repeating: "n", count: 33)
        let refused = try await shell.run(["node", "rename", "bridge", long, "--on-device", "--json"])
        #expect(try refused.status == 64 && refused.error().text("id") == "node.limits", "\(refused)")
        let local = try await shell.run(["node", "rename", "bridge", "hub", "--cloud", "--json"])
        #expect(try local.status == 64 && local.error().text("id") == "usage.issuer", "\(local)")
        #expect(try await succeed(["node", "ls"]).stdout.hasPrefix("1\tbridge\t"))
    }

    @Test(
        "a room travels to the device when asked to, among its other labels; what the device cannot keep changes nothing"
    )
    func roomLabel() async throws {
        func labels() async throws -> String {
            try await shell.succeed("read hub 0/user-label/label-list").stdout
        }
        let other = #"[{"label":"floor","value":"2"}]"#
        _ = try await succeed(["write", "hub", "0/user-label/label-list", other])
        _ = try await succeed(["node", "set", "hub", "--room", "Attic", "--on-device"])
        #expect(try await labels() == #"[{"label":"floor","value":"2"},{"label":"room","value":"Attic"}]"# + "\n")
        _ = try await succeed(["node", "set", "hub", "--room", "Study", "--name", "bridge", "--on-device"])
        #expect(
            try await shell.succeed("read bridge 0/user-label/label-list").stdout
                == #"[{"label":"floor","value":"2"},{"label":"room","value":"Study"}]"# + "\n")
        #expect(try await shell.succeed("read bridge 0/basic-information/node-label").stdout == "bridge\n")
        let long = try await shell.run([
            "node", "set", "bridge", "--room", "Room of seventeen", "--on-device", "--json",
        ])
        #expect(try long.status == 64 && long.error().text("id") == "node.limits", "\(long)")
        let behind = try await shell.run(["node", "set", "Desk lamp", "--room", "Den", "--on-device", "--json"])
        #expect(behind.status == 6, "\(behind)")
        #expect(try await succeed(["room", "ls"]).stdout.contains("Study\tbridge"))
        _ = try await succeed(["node", "set", "bridge", "--no-room", "--on-device"])
        #expect(try await shell.succeed("read bridge 0/user-label/label-list").stdout == other + "\n")
        #expect(try await !succeed(["room", "ls"]).stdout.contains("Study"))
    }

    @Test("what is kept of sessions is forgotten; with --purge also the addresses, and the node can be found again")
    func disconnect() async throws {
        func session() async throws -> String? {
            try await shell.succeed("ping hub --address 127.0.0.1:\(port) --json").json()["session"]?.stringValue
        }
        _ = try await session()
        #expect(try await session() == "resumed")
        try await shell.succeed("node disconnect hub")
        #expect(try await session() == "case")
        try await shell.succeed("node disconnect --all --purge")
        let shown = try await shell.succeed("node show hub --json").json()
        #expect(shown["addresses"] == .array([]), "\(shown)")
        #expect(try await session() == "case")
        #expect(try await shell.run("node disconnect").status == 64)
    }
}
