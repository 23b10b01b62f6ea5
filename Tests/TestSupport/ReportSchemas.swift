import Foundation
package import JSON
import Testing

/// The schemas of docs/schemas, and whether a line that the program printed is as they have it.
package enum ReportSchemas {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../docs/schemas").standardizedFileURL

    /// All files, by their names.
    private static let files: [String: JSONValue] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".json") }.reduce(into: [:]) { files, name in
            let text = (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
            files[name] = try? JSONValue(parsing: text)
        }
    }()

    /// The files about results and messages.
    package static var names: [String] { files.keys.filter { $0 != "common.json" } }

    /// Options that take a value and may stand before a command.
    private static let leading: Set = [
        "--home", "--fabric", "--address", "--timeout", "--log-file", "--cluster-defs", "--progress", "--color",
        "--profile",
    ]

    /// Other words for a command.
    private static let synonyms = [
        "turn on": "on", "turn off": "off", "watch": "subscribe", "node list": "node ls",
        "fabric list": "fabric ls", "node fabrics": "node fabrics ls", "fabrics ls": "node fabrics ls",
        "fabrics remove": "node fabrics remove", "fabrics label": "node fabrics label", "cloud nodes": "cloud node ls",
        "cloud groups": "cloud group ls", "cloud node-metadata": "cloud node metadata",
        "cloud create-fabric": "cloud group create", "cloud user-noc": "cloud group user-noc",
        "acl refresh": "rainmaker access refresh", "door-lock unlock": "unlock",
    ]

    /// Kinds of devices, whose commands all have the same results.
    private static let kinds: Set = [
        "thermostat", "fan", "cover", "color", "valve", "vacuum", "media", "smoke-alarm", "sensor", "motion", "energy",
        "button", "battery", "door-lock",
    ]

    /// The name of the file for a command line: the longest beginning of its words that has one.
    package static func file(for words: [String]) -> String? {
        if words.contains("--version") { return "version.json" }
        var words = words[...]
        while let first = words.first, first.hasPrefix("-") {
            words = words.dropFirst(leading.contains(first) ? 2 : 1)
        }
        // `lock` was the name of the kind too.
        let ofLock: Set = [
            "show", "lock", "unlock", "codes", "add-code", "remove-code", "restrict", "unrestrict", "config",
        ]
        if words.first == "lock",
            words.dropFirst().first.map({ ofLock.contains($0) || $0.hasPrefix("-") }) ?? true
                || words.contains("--watch")
        {
            words = ["door-lock"] + words.dropFirst()
        }
        for count in [3, 2, 1] where words.count >= count {
            let said = words.prefix(count).joined(separator: " ")
            let name = (synonyms[said] ?? said).replacing(" ", with: "-") + ".json"
            if files[name] != nil { return name }
        }
        return words.first.map(kinds.contains) == true ? "kind.json" : nil
    }

    /// The faults of a line that a command printed on stdout.
    package static func faults(of line: JSONValue, printedBy words: [String]) -> [String] {
        guard let file = file(for: words) else {
            return ["no file in docs/schemas is about '\(words.joined(separator: " "))'"]
        }
        return faults(of: line, under: file)
    }

    /// The faults of a line under a file of docs/schemas.
    package static func faults(of line: JSONValue, under file: String) -> [String] {
        guard let schema = files[file] else { return ["docs/schemas/\(file) is not there"] }
        return JSONSchema(schema, others: files).faults(of: line).map { "docs/schemas/\(file): \($0)" }
    }

    /// Checks what a command printed with `--json`; each fault is one of the test that runs.
    package static func check(_ words: [String], stdout: String, stderr: String) {
        guard words.contains("--json"), let first = words.first, !["simulate", "bench", "---complete"].contains(first)
        else { return }
        // A command that was killed has no whole line at its end.
        for (stream, text) in [("out", stdout), ("err", stderr)] {
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() where !line.isEmpty {
                check(String(line), on: stream, of: words)
            }
        }
    }

    private static func check(_ line: String, on stream: String, of words: [String]) {
        guard let json = try? JSONValue(parsing: line) else {
            // The log of `-v` is no JSON.
            if stream == "out" { Issue.record("no JSON on stdout: \(words): \(line)") }
            return
        }
        let faults = stream == "out" ? faults(of: json, printedBy: words) : faults(of: json, under: "messages.json")
        if !faults.isEmpty {
            Issue.record("\(words.joined(separator: " ")): \(faults.joined(separator: "; ")) in: \(line)")
        }
    }
}
