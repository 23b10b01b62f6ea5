import Foundation
import JSON
import Testing

/// A text that is compared with a file of `Tests/Snapshots`.
enum Snapshot {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Snapshots")
    private static let isUpdated = ProcessInfo.processInfo.environment["MATTERCTL_UPDATE_SNAPSHOTS"] == "1"

    /// - Parameter name: the path of the file below the folder.
    static func compare(_ text: String, _ name: String) throws {
        let file = folder.appendingPathComponent(name)
        guard !isUpdated else {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            return try Data(text.utf8).write(to: file)
        }
        let known = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        guard text != known else { return }
        let (now, before) = (text.split(separator: "\n"), known.split(separator: "\n"))
        let place =
            zip(now, before).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            ?? min(now.count, before.count)
        Issue.record(
            """
            \(name), line \(place + 1): was '\(before.dropFirst(place).first ?? "")', is '\(now.dropFirst(place).first ?? "")'. \
            If that is meant: MATTERCTL_UPDATE_SNAPSHOTS=1 swift test --filter SnapshotTests
            """)
    }

    /// The name of a file for a heading.
    static func name(_ heading: String) -> String {
        heading.lowercased().split(separator: " ").joined(separator: "-")
    }

    /// JSON with the kind of each value in its place; a list shows the shapes of its items, each once.
    static func shape(_ json: JSONValue) -> JSONValue {
        switch json {
        case .null: return "null"
        case .bool: return "bool"
        case .int, .uint: return "integer"
        case .double: return "number"
        case .string: return "string"
        case .array(let items):
            return .array(
                items.map(shape).reduce(into: []) { shapes, shape in
                    if !shapes.contains(shape) { shapes.append(shape) }
                })
        case .object(let object):
            var shapes = JSONObject()
            for member in object.members { shapes[member.key] = shape(member.value) }
            return .object(shapes)
        }
    }
}
