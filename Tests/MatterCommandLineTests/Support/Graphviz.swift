import Foundation
import Testing

/// Graphviz, which draws graphs (Tests/Lab/graphviz.py).
enum Graphviz {
    struct Picture: Decodable {
        /// The lines of text that one can read in it.
        var texts: [String]
        /// The complaints of Graphviz about the graph.
        var complaints: String
    }

    /// Whether it is installed; `make test` sees to that.
    static let isHere = FileManager.default.isExecutableFile(atPath: "/usr/bin/dot")

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Lab/graphviz.py").standardizedFileURL

    static func draw(_ graph: String) throws -> Picture {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("graph-\(UUID().uuidString).dot")
        try Data(graph.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let painter = Process()
        painter.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        painter.arguments = ["python3", script.path, file.path]
        let output = Pipe()
        painter.standardOutput = output
        try painter.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        painter.waitUntilExit()
        return try JSONDecoder().decode(Picture.self, from: said)
    }
}
