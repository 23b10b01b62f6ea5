import Foundation
import Testing

/// A virtual device on a terminal.
@Suite("The QR code of a virtual device on a terminal", .enabled(if: Laboratory.isHere), .laboratorySlot)
struct DrawingTests {
    private static let onTerminal = "import pty, sys; pty.spawn(sys.argv[1:])"
    /// Light modules around the code.
    private static let border = 4
    private static let blocks: [Character: [Bool]] = [
        "█": [false, false], "▀": [false, true], "▄": [true, false], " ": [true, true],
    ]

    /// The lines that a device prints on a terminal until it is ready.
    private func lines(_ environment: [String: String] = [:]) async throws -> [String] {
        let folder = try TemporaryFolder()
        let child = try Child(
            Laboratory.python,
            [
                "-c", Self.onTerminal, Laboratory.binary.path, "simulate", "on-off-light", "--port", "0", "--mdns",
                "none", "--state", folder.file("state").path,
            ], environment: Laboratory.environment.merging(environment) { $1 }, folder: folder)
        defer { child.signal(SIGTERM) }
        func printed() -> [String] {
            child.stdout.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        }
        try await eventually("the device to start: \(child.stdout) \(child.stderr)") {
            guard child.isRunning else { throw LaboratoryError("it did not start: \(child.stdout) \(child.stderr)") }
            return printed().dropLast().contains { $0.hasPrefix("ready ") }
        }
        return printed()
    }

    @Test(
        "it is drawn with half blocks: a square with a quiet zone, three finders, timing patterns and the dark module")
    func drawn() async throws {
        let lines = try await lines()
        let end = try #require(lines.firstIndex { $0.hasPrefix("qr MT:") })
        #expect(lines[end + 1].hasPrefix("manual "))
        let start = try #require(lines.firstIndex { $0.hasPrefix("█") }, "nothing is drawn: is libqrencode4 there?")
        let rows = try lines[start..<end].flatMap { line in
            let columns = try line.map { try #require(Self.blocks[$0], "\(line)") }
            return [columns.map { $0[0] }, columns.map { $0[1] }]
        }
        let width = try #require(rows.first?.count)
        let size = width - 2 * Self.border
        // The smallest code there is: the characters of a setup code are alphanumeric.
        #expect(size == 21)
        // One row may be left over of the last line.
        #expect(rows.count == width + width % 2)
        func isDark(_ row: Int, _ column: Int) -> Bool { rows[row + Self.border][column + Self.border] }
        for (row, modules) in rows.enumerated() {
            for (column, module) in modules.enumerated() where module {
                let inside = Self.border..<Self.border + size
                #expect(inside.contains(row) && inside.contains(column), "a dark module in the quiet zone")
            }
        }
        for (top, left) in [(0, 0), (0, size - 7), (size - 7, 0)] {
            for row in 0..<7 {
                for column in 0..<7 {
                    let ring = max(abs(row - 3), abs(column - 3))
                    #expect(isDark(top + row, left + column) == (ring != 2), "finder at \(top), \(left)")
                }
            }
        }
        for place in 8..<size - 8 {
            #expect(isDark(6, place) == (place % 2 == 0) && isDark(place, 6) == (place % 2 == 0), "timing")
        }
        #expect(isDark(size - 8, 8))
    }

    @Test("where the library is absent there is the text alone")
    func absent() async throws {
        // A file of that name which is no library keeps the loader from finding the real one.
        let folder = try TemporaryFolder()
        try Data("none".utf8).write(to: folder.file("libqrencode.so.4"))
        let lines = try await lines(["LD_LIBRARY_PATH": folder.url.path])
        #expect(lines.contains { $0.hasPrefix("qr MT:") } && lines.contains { $0.hasPrefix("manual ") }, "\(lines)")
        #expect(!lines.contains { $0.contains("█") }, "\(lines)")
    }
}
