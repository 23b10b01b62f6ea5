import Foundation
import TestSupport
import Testing

@testable import MatterCommandLine

extension SnapshotTests {
    /// What shows tables, lists and values, in a house with long names, a name in Chinese and two rooms.
    private static let shown = [
        "status", "node ls", "node ls --status", "node ls --wide", "node show lamp", "room ls", "group ls", "fabric ls",
        "fabric show home", "sensor --all", "energy", "battery", "motion", "lock", "cover", "fan", "color", "valve",
        "vacuum",
        "thermostat", "mode --all", "lock codes lamp", "lock config lamp", "scene ls lamp/4", "button lamp",
        "acl ls lamp",
        "fabrics ls lamp", "who lamp", "who --all", "bind ls lamp", "net status lamp", "window status lamp", "icd ls",
        "describe lamp", "describe lamp --tree", "clusters", "clusters door-lock", "supports lamp 4/on-off/toggle",
        "read lamp 4/on-off/on-off", "read lamp 4/color-control/*", "read lamp 0/basic-information/*",
        "read lamp 0/descriptor/server-list 1/descriptor/device-type-list", "level lamp/4 30% --dry-run",
        "on lamp/4 --verify", "identify lamp/4", "on group:all", "payload parse 34970112332", "trust ls",
        "dcl model 0xFFF1 0x8001",
        "session ls", "ping lamp --count 2", "events lamp --count 2", "subscribe lamp 4/on-off --count 3",
        "fan --watch --count 1",
        "on lmp", "read lamp 4/on-off/onof", "write lamp 4/on-off/on-off true", "status --room Nowhere",
    ]
    /// What differs from run to run.
    private static let varying: Set<String> = [
        "session", "ping", "events", "subscribe", "who", "fabric", "fabrics", "acl", "net", "trust", "dcl",
    ]

    @Test(
        "what a person sees at 40, 80 and 160 columns, with colours and in ASCII: no table is wider than the terminal")
    func terminals() async throws {
        let house = try Shell(["MATTERCTL_LEDGER": "http://127.0.0.1:9"])
        let device = try house.start(
            "simulate door-lock,fan,window-covering,color-light,occupancy-sensor,energy-plug,water-valve,robot-vacuum,"
                + "video-player,button,battery,temperature-sensor,aggregator --port 0 --mdns none")
        let port = try await device.line("ready")
        for words in [
            [
                "commission", "34970112332", "--address", "127.0.0.1:\(port)", "--attestation", "skip", "--name",
                "lamp", "--room",
                "The room below the roof", "--timeout", "60s",
            ],
            ["group", "create", "all"], ["group", "add", "all", "lamp/4"], ["room", "add", "客厅"],
            ["node", "rename", "lamp/14", "Lamp behind the wardrobe in the hall"],
        ] {
            let run = try await house.run(words)
            try #require(run.status == 0, "\(run)")
        }
        let looks: [(name: String, variables: [String: String])] = [
            ("40", ["COLUMNS": "40", "NO_COLOR": "1"]), ("80", ["COLUMNS": "80", "NO_COLOR": "1"]),
            ("160", ["COLUMNS": "160", "NO_COLOR": "1"]), ("80 colors", ["COLUMNS": "80", "NO_COLOR": ""]),
            ("80 C", ["COLUMNS": "80", "NO_COLOR": "1", "LC_ALL": "C"]),
        ]
        for (name, variables) in looks {
            let columns = Int(variables["COLUMNS"] ?? "") ?? 0
            let variables = ["MATTERCTL_HOME": house.home, "MATTERCTL_LEDGER": "http://127.0.0.1:9"].merging(variables)
            { $1 }
            let person = try Shell(variables, terminals: [.output])
            var text = ""
            for words in Self.shown {
                let run = try await person.run(words)
                for line in run.stdout.split(separator: "\n") where !words.contains("--wide") {
                    let plain = Self.uncolored(String(line))
                    #expect(TableLayout.width(of: plain) <= columns, "\(name), \(words): \(plain)")
                }
                #expect(
                    !name.hasSuffix("C") || run.stdout.utf8.allSatisfy { $0 < 0x80 }, "\(words): \(run)")
                guard !Self.varying.contains(String(words.prefix { $0 != " " })) else { continue }
                text += "$ matterctl \(words)\n" + Self.steady(run, port: port)
            }
            try Snapshot.compare(text, "terminal/\(Snapshot.name(name)).txt")
        }
        _ = await device.stop()
    }

    private static func uncolored(_ line: String) -> String { line.replacing(/\u{1B}\[[0-9;]*m/, with: "") }

    /// With what differs from run to run in its place, as wide as it was.
    private static func steady(_ run: CommandRun, port: String) -> String {
        (run.stdout + run.stderr).replacing(":\(port)", with: ":" + String(repeating: "5", count: port.count))
            .replacing(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?/) { match in
                String(match.output.0.map { $0.isNumber ? "0" : $0 })
            }
            .replacing(/[0-9A-F]{12,}/) { String(repeating: "X", count: $0.output.count) }
            .replacing("\u{1B}", with: "ESC")
    }
}
