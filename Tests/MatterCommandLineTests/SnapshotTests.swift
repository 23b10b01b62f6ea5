import ArgumentParser
import Foundation
import JSON
import TestSupport
import Testing

@testable import MatterCommandLine

/// Output of commands, compared with files: see Tests/Snapshots/README.md.
@Suite("Snapshots", .oneByOne) struct SnapshotTests {
    /// The headings of the help page, each with the first words of its commands.
    private static var groups: [(name: String, words: Set<String>)] {
        inProgram {
            MatterCtl.configuration.groupedSubcommands.map { ($0.name, Set($0.subcommands.map { $0._commandName })) }
        }
    }

    @Test("the help page of every command")
    func help() async throws {
        let shell = try Shell()
        // Pages end with the options that all commands of a kind have: once is enough.
        var common: [String] = []
        func page(_ command: String) async throws -> String {
            let page = try await shell.succeed("\(command) --help").stdout
            let end = page.range(of: "GLOBAL OPTIONS:\n")?.lowerBound ?? page.endIndex
            let options = String(page[end...])
            if !common.contains(options) { common.append(options) }
            let number = common.firstIndex(of: options).map { $0 + 1 } ?? 0
            return "$ matterctl \(command) --help\n\(page[..<end])(global options \(number))\n\n"
        }
        // The commands of kinds of devices have a file of their own.
        let root = try await shell.succeed("--help").stdout
        let start = try #require(root.range(of: "KINDS OF DEVICES:\n")).lowerBound
        let end = try #require(root.range(of: "ANY CLUSTER:\n")).lowerBound
        try Snapshot.compare(root.replacing(root[start..<end], with: "(kinds of devices)\n\n"), "help/matterctl.txt")
        var kinds = String(root[start..<end])
        for group in Self.groups {
            var text = ""
            for (words, type) in UsageTests.commands where group.words.contains(words[0]) {
                let page = try await page(words.joined(separator: " "))
                if type is any KindOfDeviceCommand.Type { kinds += page } else { text += page }
            }
            try Snapshot.compare(text, "help/\(Snapshot.name(group.name)).txt")
        }
        try Snapshot.compare(kinds + (try await Self.runsOfKinds()), "kinds.txt")
        let sections = common.enumerated().map { "(global options \($0.offset + 1))\n\($0.element)" }
        try Snapshot.compare(sections.joined(separator: "\n"), "help/global-options.txt")
    }

    /// Typical mistakes, in a home with a fabric and the room 'Hall', without nodes.
    private static let mistakes = [
        "comission 1", "list", "rename a b", "pair x", "scan", "set lamp", "remove lamp", "version", "node sow",
        "node rm x", "zzzzzz", "read lamp", "write lamp 1/8/on-level", "level lamp 120%", "level lamp bright",
        "room rename Hal Den", "fabric use hom", "group delete lights --yes", "thermostat set lamp warm",
        "color lamp purple", "fan lamp 200%", "subscribe 1/on-off", "node ls --bogus", "on", "on lamp --timeout 0s",
        "on lamp --timeout soon", "off --room Hal", "clusters onof", "tlv zz", "payload parse 34970112333",
        "commission 34970112332 --name open --address 127.0.0.1:9", "commission 34970112332 --country de",
        "node rename 1 open",
        "door-lock config lamp --volume loud", "read lmp on-off/on-off",
    ]

    /// Mistakes with what a dimmable light and a thermostat have.
    private static let misreadings = [
        "on IT", "read it 1/onof", "read it 1/on-off/onof", "read it 1/on-off/toggle", "read it a/on-off", "read it 1",
        "read it 9/on-off/on-off", "read it 1/thermostat/local-temperature", "write it 1/level-control/on-level 500",
        "write it 2/thermostat/occupied-heating-setpoint 21", "write it 2/thermostat/occupied-heating-setpoint warm",
        "write it 2/thermostat/occupied-heating-setpoint 99C", "write it 2/thermostat/system-mode hot",
        "write it 1/on-off/on-off true", "write it 1/on-off/start-up-on-off zzz", "invoke it 1/on-off/togle",
        "invoke it 1/level-control/move-to-level levl=5", "invoke it 1/level-control/move-to-level level=5",
        "invoke it 1/on-off/*", "invoke it 2/thermostat/get-weekly-schedule days-to-return=0 mode-to-return=0",
        "wait it 1/on-off/on-off",
        "thermostat heat it 99C", "color it 2700K", "node rename it 5", "group add lights it", "acl revoke it 9",
        "node fabrics remove it 9 --yes",
    ]

    private static func output(of run: CommandRun, home: String) -> String {
        (run.stdout + run.stderr + "exit \(run.status)\n").replacing(home, with: "HOME")
    }

    @Test("the errors of every command and of typical mistakes, as text and as JSON")
    func mistakes() async throws {
        func account(_ words: String) async throws -> String {
            var text = ""
            for words in [words, words + " --json"] {
                let shell = try Shell(["MATTERCTL_LEDGER": "http://127.0.0.1:9"])
                try await shell.succeed("fabric create home")
                try await shell.succeed("room add Hall")
                let run = try await shell.run(words)
                text += "$ matterctl \(words)\n\(Self.output(of: run, home: shell.home))\n"
            }
            return text
        }
        var typical = ""
        for words in Self.mistakes { typical += try await account(words) }
        try Snapshot.compare(typical, "mistakes/typical.txt")
        for group in Self.groups {
            var text = ""
            for entry in EveryCommandTests.mistakes where group.words.contains(String(entry.prefix { $0 != " " })) {
                text += try await account(entry)
            }
            try Snapshot.compare(text, "mistakes/\(Snapshot.name(group.name)).txt")
        }
    }

    /// Commands to a light and a thermostat whose results are objects.
    private static let results = [
        "node ls", "node show it", "read it 1/on-off/on-off", "read it 1/on-off 9/6/0",
        "read it 1/on-off/on-off --events 0/basic-information/start-up",
        "write it 2/thermostat/occupied-heating-setpoint 21C",
        "write it 0/40/5 Hall 1/level-control/on-level 50%", "invoke it 1/on-off/toggle",
        "invoke it 0/general-commissioning/arm-fail-safe expiry-length-seconds=0 breadcrumb=0",
        "invoke it 1/on-off/on 1/on-off/off", "on it/1 --verify", "on it/1 --dry-run", "level it/1 30% --verify",
        "level it it/1 30% --verify", "thermostat show it", "thermostat heat it 21 --verify",
        "thermostat mode it heat", "thermostat set it 20", "thermostat cool it 25",
        "thermostat cool it it/2 25 --verify",
        "sensor it", "subscribe it 1/on-off/on-off --count 1", "events it --count 1",
        "events it 0/basic-information/start-up", "describe it", "describe it --tree",
        "supports it 1/on-off/toggle", "ping it", "who it", "node fabrics it", "acl ls it", "window status it",
        "net status it", "attest it --allow-test-devices", "room ls", "fabric ls", "fabric show home",
        "group create lights",
        "group ls", "clusters", "clusters identify", "payload parse 34970112332", "time sync it",
        "write it 2/thermostat/occupied-heating-setpoint 99C", "invoke it 2/thermostat/get-weekly-schedule",
        "read it 1/color-control/current-x",
    ]

    /// The shapes of what a command prints in JSON, and its exit code.
    ///
    /// - Parameter places: what stands for the words in braces, such as the path of a file for `{FILE}`.
    static func shape(
        of words: String, in shell: Shell, _ places: [String: String] = [:]
    ) async throws -> String {
        let line = places.reduce(words) { $0.replacing("{\($1.key)}", with: $1.value) }
        return try shape(of: words, try await shell.run(line + " --json"))
    }

    static func shape(of words: String, _ run: CommandRun) throws -> String {
        var text = "$ matterctl \(words) --json\n"
        for line in (run.stdout + run.stderr).split(separator: "\n") {
            let json = try JSONValue(parsing: String(line))
            // Progress tells of times.
            if json["progress"] == nil { text += Snapshot.shape(json).serialized() + "\n" }
        }
        return text + "exit \(run.status)\n\n"
    }

    @Test("the shapes of results in JSON, and the errors about a device that is there")
    func shapes() async throws {
        let shell = try Shell(["MATTERCTL_LEDGER": "http://127.0.0.1:9"])
        let device = try shell.start("simulate dimmable-light,thermostat --port 0 --mdns none")
        let port = try await device.line("ready")
        var text = try await Self.shape(
            of:
                "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name it --room Hall --timeout 60s",
            in: shell)
        text = text.replacing(":\(port)", with: ":PORT")
        for words in Self.results { text += try await Self.shape(of: words, in: shell) }
        var misread = ""
        for words in Self.misreadings.flatMap({ [$0, $0 + " --json"] }) {
            misread += "$ matterctl \(words)\n\(Self.output(of: try await shell.run(words), home: shell.home))\n"
        }
        _ = await device.stop()
        try Snapshot.compare(text, "shapes.txt")
        try Snapshot.compare(misread, "mistakes/of-a-device.txt")
    }
}
