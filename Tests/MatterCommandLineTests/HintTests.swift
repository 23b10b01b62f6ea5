import Foundation
import JSON
import MatterCommandLine
import MatterController
import TestSupport
import Testing

/// Hints name what the user can paste, and what the device really has.
@Suite("Hints", .fewAtATime) struct HintTests {
    private let shell: Shell

    init() throws { shell = try Shell() }

    private func commission(_ types: String) async throws -> Background {
        let device = try shell.start("simulate \(types) --port 0 --mdns none")
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name kitchen --timeout 60s")
        return device
    }

    private func hint(_ words: String) async throws -> String? {
        let run = try await shell.run(words + " --json")
        #expect(run.status != 0, "\(words)")
        return try run.error().text("hint")
    }

    private static func source(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("Sources/MatterCommandLine/\(path)"), encoding: .utf8)
    }

    @Test("a refused value: the hint has the limits that the device has, else those of the specification")
    func limits() async throws {
        let device = try await commission("thermostat,dimmable-light")
        #expect(
            try await hint("write kitchen 1/thermostat/occupied-heating-setpoint 99C")
                == "node 'kitchen' takes 7.00 °C … 30.00 °C; see them: matterctl read kitchen "
                + "1/thermostat/min-heat-setpoint-limit 1/thermostat/max-heat-setpoint-limit")
        let name = String(repeating: "x", count: 40)
        #expect(
            try await hint("write kitchen 0/basic-information/node-label \(name)")
                == "the specification allows at most 32 bytes")
        #expect(
            try await hint("invoke kitchen 1/thermostat/get-weekly-schedule days-to-return=0 mode-to-return=0")
                == "this device does not support this optional command; see its commands: matterctl read kitchen "
                + "1/thermostat/accepted-command-list")
        #expect(
            try await hint("invoke kitchen 2/level-control/move-to-level level=255 transition-time=0")
                == "node 'kitchen' takes 0% (1) … 100% (254) as level; see them: matterctl read kitchen "
                + "2/level-control/min-level 2/level-control/max-level")
        #expect(
            try await hint("read kitchen 1/thermostat/ac-type")
                == "this device does not support this optional attribute; see its attributes: matterctl read kitchen "
                + "1/thermostat")
        _ = await device.stop()
    }

    @Test("a device whose clock is behind our certificate refuses it: the hint says from when the certificate is valid")
    func slowClock() async throws {
        let device = try await commission("on-off-light")
        try await shell.succeed(
            "invoke kitchen 0/time-synchronization/set-utc-time utc-time=2019-01-01T00:00:00Z granularity=4")
        // Without the memory of an earlier session, certificates are shown again.
        try FileManager.default.removeItem(atPath: "\(shell.home)/fabrics/home/sessions")
        let refused = try await shell.run("on kitchen --json --timeout 20s")
        #expect(refused.status == 4, "\(refused)")
        let error = try refused.error()
        #expect(error.text("id") == "case.refused", "\(refused)")
        #expect(error.text("hint")?.hasPrefix("our certificate is valid since 20") == true, "\(refused)")
        _ = await device.stop()
    }

    @Test("a misspelt name of a node, a room, a group or a fabric: the nearest one")
    func names() async throws {
        let device = try await commission("on-off-light")
        try await shell.succeed("room add Study")
        try await shell.succeed("group create lights")
        for (words, hint) in [
            ("on kichen", "did you mean kitchen?"), ("on Kitchn", "did you mean kitchen?"),
            ("on zzz", "see them with: matterctl node ls"), ("on 77", "see them with: matterctl node ls"),
            ("room rm Stdy", "did you mean Study?"), ("on group:lihgts", "did you mean lights?"),
            ("fabric use hoem", "did you mean home?"), ("fabric show zzz", "see them with: matterctl fabric ls"),
        ] {
            #expect(try await self.hint(words) == hint, "\(words)")
        }
        _ = await device.stop()
    }

    @Test("a name that is a word of a command cannot be a node's")
    func reserved() async throws {
        let device = try await commission("on-off-light")
        for words in [
            "node rename kitchen open", "node set kitchen --name tilt", "commission 34970112332 --name codes",
        ] {
            let run = try await shell.run(words + " --json")
            let error = try run.error()
            #expect(run.status == 64 && error.text("id") == "name.invalid", "\(run)")
            #expect(error.text("message")?.hasPrefix("not a valid node name: '") == true, "\(run)")
        }
        #expect(
            try await hint("node rename kitchen open") == "choose another name, such as 'open 1'")
        try await shell.succeed("node rename kitchen scan")
        _ = await device.stop()
    }

    @Test("words of other programs lead to a command that exists")
    func synonyms() async throws {
        let entries = try Self.source("Parsing/CommandSynonyms.swift").matches(of: /\("([a-z -]+)", "([a-z -]+)"\)/)
            .map { (command: String($0.1), synonyms: String($0.2)) }
        let kinds = DeviceKind.all.map { $0.kind }
        let ofKinds = kinds.flatMap { kind in kind.commandsBySynonym.map { (command: $0.command, synonyms: $0.synonym) }
        }
        #expect(entries.count > 20 && ofKinds.count > 30)
        for (command, synonyms) in entries + ofKinds {
            if !command.hasPrefix("--") {
                let page = try await shell.succeed("\(command) --help").stdout
                // A verb of a kind is on the page of the kind.
                let words = command.split(separator: " ")
                let isVerb = kinds.contains { $0.name == words.first ?? "" && words.count > 1 }
                #expect(page.contains("USAGE: matterctl \(isVerb ? String(words[0]) : command)"), "\(command)")
            }
            for synonym in synonyms.split(separator: " ").map(String.init) {
                let run = try await shell.run("\(synonym) --json")
                #expect(
                    try run.status == 64 && run.error().text("hint") == "use: matterctl \(command)",
                    "\(synonym): \(run)")
            }
        }
        for word in ["list", "rename", "pair", "scan", "set", "remove", "version"] {
            #expect(try await hint(word)?.hasPrefix("use: matterctl ") == true, "\(word)")
        }
    }

    @Test("the hints of errors about the way to devices name the checks that tell more, and there are such checks")
    func checks() throws {
        let words = try Self.source("Output/Hints.swift").replacing(/"\n +\+ "/, with: "")
        let known = Set(CheckSubject.allCases.map(\.rawValue))
        var pointing: Set<String> = []
        for entry in words.matches(of: /"([a-z0-9.-]+)":\s+"((?:[^"\\]|\\.)*)"/) {
            let hint = String(entry.2)
            if !hint.contains("matterctl doctor") { continue }
            pointing.insert(String(entry.1))
            guard let list = hint.firstMatch(of: /matterctl doctor(?:\{0\})? \(([a-z0-9, -]+)\)/) else { continue }
            let names = list.1.split(separator: ", ").map(String.init)
            #expect(!names.isEmpty && known.isSuperset(of: names), "\(hint)")
        }
        let needed: Set<String> = [
            "discover.nothing-found", "discovery.bus-unavailable", "discovery.daemon-unavailable",
            "discovery.disconnected", "discovery.no-network", "discovery.refused", "network.silent-thread",
            "network.unreachable", "session.certificate-refused", "session.no-reply", "session.no-route",
            "session.no-route-to", "session.not-discovered", "session.other-device", "session.silent",
            "transport.no-interface",
        ]
        #expect(needed.subtracting(pointing).isEmpty, "\(needed.subtracting(pointing).sorted())")
    }

    @Test("no hint has a placeholder that the program could fill")
    func placeholders() throws {
        let words = try Self.source("Output/Hints.swift")
        for placeholder in ["clusters CLUSTER", "EP/", " NODE"] {
            #expect(!words.contains(placeholder), "\(placeholder)")
        }
    }
}
