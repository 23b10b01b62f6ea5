import ArgumentParser
import Foundation
import JSON
import MatterController
import TestSupport
import Testing

@testable import MatterCommandLine

/// Which commands have their JSON in the snapshots.
@Suite("Commands in the snapshots", .together) struct SnapshotCoverageTests {
    /// Commands whose JSON is in none, with the reason.
    private static let needsStore = "a job comes of the store of another program, in NeighbourJoinTests"
    private static let exceptions = [
        "check-device": "it prints how long each case took, of a device of its own; CheckDeviceTests",
        "discover": "it prints what other machines advertise, which Avahi finds",
        "decode": "it prints a capture's messages, with the time of each; TraceTests",
        "doctor": "it prints the state of this machine; DoctorTests",
        "map": "it draws what other machines advertise, which Avahi finds; MapTests",
        "job resume": needsStore, "job cancel": needsStore,
        "serve run": "it goes on until it is stopped, and prints no result; ServeTests",
        "serve take": "it needs two servers, each in a process of its own; ServeShareTests",
        "serve shares": "it needs a server, in a process of its own; ServeShareTests",
        "icd listen": "it prints check-ins of devices, which find this machine by mDNS",
    ]

    /// A run in the snapshots of shapes.
    private struct Run {
        let words: [String]
        /// The shapes that it printed.
        let lines: [JSONValue]
        let status: String

        /// Whether it did what its command does.
        var isWork: Bool {
            status == "0" && !lines.contains { $0["error"] != nil || $0["dryRun"] != nil }
        }
    }

    private static func runs() throws -> [Run] {
        let folder = Snapshot.folder
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("shapes") }
        return try files.sorted().flatMap { file in
            try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
                .components(separatedBy: "\n\n").filter { !$0.isEmpty }.map { text in
                    let lines = text.split(separator: "\n").map(String.init)
                    let head = try #require(lines.first?.split(separator: " ").map(String.init))
                    let status = try #require(lines.last?.split(separator: " ").map(String.init))
                    try #require(head.starts(with: ["$", "matterctl"]) && status.first == "exit", "\(file): \(text)")
                    return Run(
                        words: head.dropFirst(2).dropLast(),
                        lines: try lines.dropFirst().dropLast().map { try JSONValue(parsing: $0) },
                        status: status[1])
                }
        }
    }

    /// The command of a command line: the words of its command, with the one that is meant by none.
    private static func command(of words: [String]) -> String {
        var type: any ParsableCommand.Type = MatterCtl.self
        var (name, rest) = ([String](), words[...])
        while !type.configuration.subcommands.isEmpty {
            if let next = type.configuration.subcommands.first(where: { $0.answers(to: rest.first ?? "") }) {
                type = next
                rest = rest.dropFirst()
            } else if let next = type.configuration.defaultSubcommand {
                type = next
            } else {
                break
            }
            // The line of a kind that is a group has a name that cannot be typed.
            if !type._commandName.hasPrefix(":") { name.append(type._commandName) }
        }
        return name.joined(separator: " ")
    }

    /// Kinds of devices, whose runs follow from their declaration.
    private static let kinds = Set(DeviceKind.all.map { $0.name })

    @Test("every command has a run in the snapshots that did its work, or a reason why not")
    func everyCommand() throws {
        let found = try inProgram {
            try Self.runs().filter(\.isWork).reduce(into: Set<String>()) { found, run in
                found.insert(Self.command(of: run.words))
            }
        }
        let all = UsageTests.commands.map { $0.words.joined(separator: " ") }.filter { !Self.kinds.contains($0) }
        #expect(all.count > 140 && Set(all).count == all.count)
        let missing = all.filter { !found.contains($0) && Self.exceptions[$0] == nil }
        #expect(missing.isEmpty, "without a line in Tests/Snapshots/shapes*.txt: \(missing.joined(separator: ", "))")
        let needless = Self.exceptions.keys.filter { found.contains($0) || !all.contains($0) }
        #expect(needless.isEmpty, "exceptions that are none: \(needless.joined(separator: ", "))")
    }

    /// Commands that no terminal of the snapshots shows, with the reason.
    private static let unshown = [
        "check-device": "it takes half a minute for each look; CheckDeviceTests",
        "serve run": "it goes on until it is stopped, and prints no result; ServeTests",
        "simulate": "it goes on until it is stopped, and its lines are for scripts; SimulateTests",
    ]

    @Test("every command is shown in a terminal of each width, or has a reason why not")
    func everyTerminal() {
        let (found, all) = inProgram {
            (
                Set(SnapshotTests.shownLines.map { Self.command(of: $0.split(separator: " ").map(String.init)) }),
                UsageTests.commands.map { $0.words.joined(separator: " ") }
            )
        }
        let missing = all.filter { !found.contains($0) && Self.unshown[$0] == nil }
        #expect(missing.isEmpty, "in no terminal of the snapshots: \(missing.joined(separator: ", "))")
        let needless = Self.unshown.keys.filter { found.contains($0) || !all.contains($0) }
        #expect(needless.isEmpty, "exceptions that are none: \(needless.joined(separator: ", "))")
    }
}
