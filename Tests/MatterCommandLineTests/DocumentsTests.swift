import Foundation
import HouseServer
import JSON
import MatterBase
import RainMakerCommandLine
import TestSupport
import Testing

@testable import MatterCommandLine
@testable import MatterController
@testable import MatterCrypto
@testable import MatterLedger
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator
@testable import MatterState
@testable import RainMaker

/// The lasting promises of the documents, compared with the sources.
@Suite("Documents", .together) struct DocumentsTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Codes that users do not see as they are.
    private static let hidden = [
        // Shown with the phase in which it happened: `pase.silent`, `case.silent`.
        "session.",
        // Why a handshake was refused; shown as `case.refused` and `pase.refused`.
        "secure-channel.", "case.no-shared-trust-roots", "case.invalid-credentials", "case.wrong-peer",
    ]
    /// Documented, and made in other ways than as a code of their own.
    private static let made =
        ["internal", "interrupted", "usage", "crypto.internal"]
        + ["pase", "case"].flatMap { phase in
            ["busy", "no-reply", "not-discovered", "refused", "silent", "unreachable"].map { "\(phase).\($0)" }
        }

    /// The files of the program with what they hold.
    private static func sources(_ folder: String = "") throws -> [(URL, String)] {
        let sources = root.appendingPathComponent("Sources/\(folder)")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        return try files.compactMap { $0 as? URL }
            .filter { $0.pathExtension == "swift" && !$0.path.contains("/Generated/") }
            .map { ($0, try String(contentsOf: $0, encoding: .utf8)) }
    }

    /// The grammar of a kind of device, as a row of the table.
    private static func row(_ kind: DeviceKind) -> String {
        let verbs = KindLine.verbs(kind).map { "`\(kind.name) \($0.typed)`".replacing("...", with: "…") }
        return "| \(verbs[0]) | \(verbs.count > 1 ? verbs.dropFirst().joined(separator: ", ") : "–") |"
    }

    @Test("the table of the grammar has a row for each kind of device, with its verbs, and no other row")
    func grammar() throws {
        let text = try Self.page("commands")
        let section = try #require(
            text.components(separatedBy: "## Kinds of devices\n").last?.components(separatedBy: "\n## ")[0])
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        #expect(rows == DeviceKind.all.map { Self.row($0.kind) })
    }

    @Test("each check of doctor names the complaint that it answers, and how it was seen to fail")
    func checks() throws {
        let text = try Self.page("commands/doctor")
        let tests = try #require(text.components(separatedBy: "## How it is tested\n").last)
        let parts = tests.components(separatedBy: "What a namespace cannot break gets its fact as a value")
        #expect(parts.count == 2)
        let lists = parts.map { part in
            Set(part.matches(of: /`([a-z0-9-]+)`/).map { String($0.1) }).intersection(
                CheckSubject.allCases.map(\.rawValue))
        }
        for subject in CheckSubject.allCases {
            let row = try #require(
                text.split(separator: "\n").first { $0.hasPrefix("| `") && $0.contains("`\(subject.rawValue)`") },
                "\(subject.rawValue)")
            #expect(row.contains(/\| "?.*P[0-9]+(, P[0-9]+)* \|$/), "\(row)")
            #expect(lists[0].contains(subject.rawValue) != lists[1].contains(subject.rawValue), "\(subject.rawValue)")
        }
        #expect(lists[0].count >= 20)
    }

    static func page(_ name: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent("docs/\(name).md"), encoding: .utf8)
    }

    /// The ids that errors can have, by file.
    private static func emitted() throws -> [String: String] {
        let id = "[a-z][a-z0-9]*(?:-[a-z0-9]+)*\\.[a-z0-9]+(?:-[a-z0-9]+)*"
        let patterns = [try NSRegularExpression(pattern: "\\bcase \\w+ = \"(\(id))\"")]
        var found: [String: String] = [:]
        // The rules of `conform` are ids of findings; their table is compared in ConformCommandTests.
        for (file, text) in try sources() where file.lastPathComponent != "ConformanceRule.swift" {
            for pattern in patterns {
                for match in pattern.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
                    guard let range = Range(match.range(at: 1), in: text) else { continue }
                    found[String(text[range])] = file.lastPathComponent
                }
            }
        }
        return found.filter { entry in
            !hidden.contains { entry.key == $0 || ($0.hasSuffix(".") && entry.key.hasPrefix($0)) }
        }
    }

    /// The ids in the tables of exit-codes.md: `state.busy`, or `state.*` with what follows the prefix in the next cell.
    private static func documented() throws -> (ids: Set<String>, prefixes: Set<String>) {
        try documented(in: page("exit-codes"))
    }

    private static func documented(in page: String) -> (ids: Set<String>, prefixes: Set<String>) {
        var (ids, prefixes): (Set<String>, Set<String>) = ([], [])
        for line in page.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map(quoted)
            for id in cells.first ?? [] {
                guard id.hasSuffix(".*") else {
                    ids.insert(id)
                    continue
                }
                let prefix = String(id.dropLast())
                let rest = cells.dropFirst().joined().filter { word in
                    word.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) }
                }
                if rest.isEmpty { prefixes.insert(prefix) }
                ids.formUnion(rest.map { prefix + $0 })
            }
        }
        return (ids, prefixes)
    }

    /// The words between backticks.
    private static func quoted(_ cell: Substring) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    @Test("every error id of the sources is in exit-codes.md, and every id there is in the sources")
    func errorIDs() throws {
        let emitted = try Self.emitted()
        let (ids, prefixes) = try Self.documented()
        #expect(emitted.count > 150 && ids.count > 150)
        for (id, file) in emitted where !ids.contains(id) {
            #expect(prefixes.contains { id.hasPrefix($0) }, "\(id) of \(file) is not documented")
        }
        for id in ids where emitted[id] == nil {
            #expect(Self.made.contains(id), "\(id) is documented, and no error has it")
        }
    }

    // MARK: Exit codes

    /// The exit codes of each id, by the headings of exit-codes.md.
    private static func sections() throws -> [String: Set<Int32>] {
        var found: [String: Set<Int32>] = [:]
        for section in try page("exit-codes").components(separatedBy: "\n## ").dropFirst() {
            let heading = section.prefix { $0 != "\n" }
            let codes = Set(heading.matches(of: /\b(\d+)\b/).compactMap { Int32($0.1) })
            for id in documented(in: section).ids { found[id, default: []].formUnion(codes) }
        }
        return found
    }

    /// Errors of the modules, by their ids.
    private static let errors: [@Sendable (String) -> (any Error)?] = [
        { RecordError.Code(rawValue: $0).map { RecordError($0, "") } },
        { ControllerError.Code(rawValue: $0).map { ControllerError($0, "") } },
        { RainMakerError.Code(rawValue: $0).map { RainMakerError($0, "") } },
        { HTTPError.Code(rawValue: $0).map { HTTPError($0, "") } },
        { StoreError.Code(rawValue: $0).map { StoreError($0, "") } },
        { SimulatorError.Code(rawValue: $0).map { SimulatorError($0, "") } },
        { DiscoveryError.Code(rawValue: $0).map { DiscoveryError($0, "") } },
        { TransportError.Code(rawValue: $0).map { TransportError($0, "") } },
        { CommissioningError.Code(rawValue: $0).map { CommissioningError($0, stage: .post, "") } },
        { InteractionError.Code(rawValue: $0).map { InteractionError($0, "") } },
        { CredentialsError.Code(rawValue: $0).map { CredentialsError($0, "") } },
        { CryptoError.Code(rawValue: $0).map { CryptoError($0, "") } },
        { SetupPayloadError.Code(rawValue: $0).map { SetupPayloadError($0, "") } },
        { DataModelError.Code(rawValue: $0).map { DataModelError($0, "") } },
        { TLVError.Code(rawValue: $0).map { TLVError($0, "") } },
        { JSONError.Code(rawValue: $0).map { JSONError($0, "", line: 1, column: 1) } },
        { LedgerError.Code(rawValue: $0).map { LedgerError($0, "") } },
        { AttestationError.Code(rawValue: $0).map { AttestationError($0, "") } },
        { ThreadDatasetError.Code(rawValue: $0).map { ThreadDatasetError($0, "") } },
        { ServerError.Code(rawValue: $0).map { ServerError($0, "") } },
        { CommandLineError.Code(rawValue: $0).map { CommandLineError($0, "") } },
    ]

    @Test("the exit codes are those of the table, and each error ends with the code under which its id stands")
    func exitCodes() throws {
        let source = try #require(
            try Self.sources("MatterCommandLine").first { $0.0.lastPathComponent == "ExitCodes.swift" })
        let cases = source.1.matches(of: /\n    case (\w+) = (\d+)/)
        let names = Dictionary(uniqueKeysWithValues: cases.map { (String($0.1), Int32($0.2) ?? -1) })
        let rows = try Self.page("exit-codes").matches(of: /\n\| (\d+) \|/).compactMap { Int32($0.1) }
        #expect(Set(rows) == Set(names.values) && rows.count == names.count)
        let sections = try Self.sections()
        var count = 0
        for (id, codes) in sections {
            for error in Self.errors.compactMap({ $0(id) }) {
                count += 1
                let status = ExitStatus(error).rawValue
                #expect(codes.contains(status), "\(id) ends with \(status)")
            }
        }
        #expect(count > 120)
    }

    // MARK: Functions

    @Test("the table of functions has each number once, and names commands and tests that exist")
    func functions() throws {
        let rows = try Self.page("features").matches(of: /(?m)^\| (\d+) \| (.+?) \| (.+) \| (\S+) \|$/)
        #expect(rows.compactMap { Int($0.1) } == Array(1...140))
        let tests = try #require(
            FileManager.default.enumerator(
                at: Self.root.appendingPathComponent("Tests"), includingPropertiesForKeys: nil)
        ).compactMap { ($0 as? URL)?.deletingPathExtension().lastPathComponent }
        let commands = UsageTests.commands.map { $0.words.joined(separator: " ") }
        for row in rows {
            let test = String(row.4)
            #expect(test == "–" || tests.contains(test), "\(row.1): there is no \(test)")
            for command in String(row.3).matches(of: /`([a-z][^`]*)`/).map({ String($0.1) }) {
                let isKnown =
                    commands.contains { command == $0 || command.hasPrefix("\($0) ") }
                    || commands.contains { $0.hasPrefix("\(command) ") }
                #expect(isKnown || ["us", "resumed", "null", "status"].contains(command), "\(row.1): \(command)")
            }
        }
    }

    // MARK: JSON keys

    /// Keys in examples that devices and the cloud give their values, or that are names of fields.
    private static let foreign: Set = [
        "errorCode", "debugText", "Matter", "deviceName", "companyName", "email", "softwareVersion", "level",
    ]

    @Test("every key of a result or an error is in json.md, and every key of its examples is in the sources")
    func keys() throws {
        let pages = try ["json", "virtual-device", "commands/test-bench"].map(Self.page).joined()
        let examples = Set(try Self.page("json").matches(of: /"(\w+)":/).map { String($0.1) })
        let documented = examples.union(pages.matches(of: /[`"](\w+)["`]/).map { String($0.1) })
        var found: [String: String] = [:]
        for folder in [
            "MatterCommandLine", "RainMakerCommandLine", "MatterController/Controller/Commission",
            "MatterController/Controller/Kinds", "MatterController/Controller/Trace",
        ] {
            // A policy is read, not written.
            for (file, text) in try Self.sources(folder) where file.lastPathComponent != "CommandPolicy.swift" {
                let places = text.matches(of: /(?:Field\(\s*"|(?:object|details|body)\[")(\w+)"/).map { String($0.1) }
                let members = text.matches(of: /"(\w+)": [.\["]/).map { String($0.1) }
                for key in places + (file.lastPathComponent == "Hints.swift" ? [] : members) {
                    found[key] = file.lastPathComponent
                }
            }
        }
        for (file, text) in try Self.sources() {
            for match in text.matches(of: /Fact\("(\w+)"/) { found[String(match.1)] = file.lastPathComponent }
        }
        #expect(found.count > 120)
        for (key, file) in found { #expect(documented.contains(key), "\(key) of \(file) is not documented") }
        // The forms of TLV and of definitions are written elsewhere.
        let forms = try Self.sources("MatterBase/TLV/JSONForm") + Self.sources("MatterModel/DataModel/Listing")
        let others = Set(forms.flatMap { $0.1.matches(of: /"(\w+)"/).map { String($0.1) } }).union(Self.foreign)
        for key in examples where found[key] == nil {
            #expect(others.contains(key), "\(key) is documented, and nothing has it")
        }
    }

    @Test("no page and no script of the demonstrations has a spelling of an earlier version, which no help page shows")
    func spellings() throws {
        let files = try ["docs", "Tests/Lab", "README.md"].flatMap { try Self.texts(below: $0) }
        #expect(files.count > 40)
        let old = VendorModule.rainMaker.oldSpellings.map(\.old)
        for (name, text) in files {
            for line in text.split(separator: "\n")
            where ["matterctl ", "MATTERCTL\" ", "as alice ", "as bob "].contains(where: { line.contains($0) }) {
                let words = line.split { !($0.isLetter || $0 == "-") }.joined(separator: " ") + " "
                for spelling in old { #expect(!words.contains(" \(spelling) "), "\(name): \(line)") }
            }
        }
    }

    /// A page, or the pages and scripts of a folder.
    private static func texts(below path: String) throws -> [(name: String, text: String)] {
        let start = root.appendingPathComponent(path)
        if path.hasSuffix(".md") { return [(path, try String(contentsOf: start, encoding: .utf8))] }
        let files = try #require(FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil))
        return try files.compactMap { $0 as? URL }.filter { ["md", "sh"].contains($0.pathExtension) }.map {
            ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8))
        }
    }
}
