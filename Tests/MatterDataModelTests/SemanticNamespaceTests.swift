import TestSupport
import Testing

@testable import MatterModel

@Suite("Namespaces of tags", .together)
struct SemanticNamespaceTests {
    /// The last tag of each, as the lists of Matter 1.6 have it.
    private static let last: [(number: UInt8, tag: UInt8)] = [
        (0x01, 2), (0x02, 7), (0x03, 7), (0x04, 5), (0x05, 2), (0x06, 3), (0x07, 10), (0x08, 6), (0x0A, 4), (0x0B, 2),
        (0x0D, 0), (0x0E, 3), (0x0F, 4), (0x10, 95), (0x11, 50), (0x12, 6), (0x13, 1), (0x41, 1), (0x42, 1), (0x43, 11),
        (0x44, 6), (0x45, 3), (0x46, 4), (0x47, 1), (0x48, 2), (0x49, 12), (0x4A, 21), (0x4B, 9),
    ]

    @Test("each namespace of the standard has tags from 0 to the last one of its list")
    func tags() throws {
        #expect(SemanticNamespace.allCases.map(\.rawValue) == Self.last.map(\.number))
        for (number, tag) in Self.last {
            let namespace = try #require(SemanticNamespace(rawValue: number))
            #expect(namespace.tags == 0...tag, "\(namespace)")
        }
    }

    @Test(
        "numbers between those of the standard are no namespaces",
        arguments: [0x00, 0x09, 0x0C, 0x14, 0x40, 0x4C] as [UInt8])
    func others(_ number: UInt8) {
        #expect(SemanticNamespace(rawValue: number) == nil)
    }
}
