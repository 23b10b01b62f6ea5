import Foundation
import Testing

/// What the documents promise for good, compared with the sources.
@Suite("Documents") struct DocumentsTests {
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
        ["internal", "usage", "crypto.internal"]
        + ["pase", "case"].flatMap { phase in
            ["busy", "no-reply", "not-discovered", "refused", "silent", "unreachable"].map { "\(phase).\($0)" }
        }

    /// The ids that errors can have, by file.
    private static func emitted() throws -> [String: String] {
        let id = "[a-z][a-z0-9]*(?:-[a-z0-9]+)*\\.[a-z0-9]+(?:-[a-z0-9]+)*"
        let patterns = try ["\\bcase \\w+ = \"(\(id))\"", "CommandLineError\\(\\s*\"(\(id)|[a-z]+)\""].map {
            try NSRegularExpression(pattern: $0)
        }
        var found: [String: String] = [:]
        let sources = root.appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" && !file.path.contains("/Generated/") {
            let text = try String(contentsOf: file, encoding: .utf8)
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
        let page = try String(contentsOf: root.appendingPathComponent("docs/exit-codes.md"), encoding: .utf8)
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
}
