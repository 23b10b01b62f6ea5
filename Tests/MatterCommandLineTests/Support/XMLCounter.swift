import Foundation
import Testing

/// The elements of a document by name, as the XML reader of Python's standard library finds them: it refuses what is not
/// well-formed.
enum XMLCounter {
    private static let script = """
        import collections, json, sys, xml.etree.ElementTree as tree
        print(json.dumps(collections.Counter(e.tag for e in tree.fromstring(sys.stdin.buffer.read()).iter())))
        """

    static func count(_ text: String) throws -> [String: Int] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("xml-\(UUID().uuidString).xml")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let reader = Process()
        reader.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        reader.arguments = ["python3", "-c", script]
        reader.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        reader.standardOutput = output
        try reader.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        reader.waitUntilExit()
        try #require(reader.terminationStatus == 0, "not well-formed: \(text)")
        return try #require(try JSONSerialization.jsonObject(with: said) as? [String: Int])
    }
}
