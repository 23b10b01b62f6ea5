import Foundation
import JSON
import MatterBase
import TestSupport
import Testing

/// The shared TLV vectors, read with our own JSON parser.
@Suite("TLV vectors", .vectors, .enabled(if: Vectors.available))
struct TLVVectorTests {
    private static func vectors(_ list: String = "vectors", atLeast least: Int = 39) throws -> [JSONValue] {
        let found = try JSONValue(parsing: [UInt8](Vectors.data("tlv.json")))[list]?.arrayValue ?? []
        guard found.count >= least else { throw Vectors.TooFew(name: list, count: found.count) }
        return found
    }

    @Test("every vector decodes to the tree that it documents", arguments: try vectors())
    func decode(vector: JSONValue) throws {
        let octets = try Hex.decode(try #require(vector["hex"]?.stringValue))
        let json = try TLVDocument.json(decoding: octets)
        // As text and back, since non-finite numbers are strings in JSON.
        let parsed = try JSONValue(parsing: json.serialized())
        #expect(parsed == vector["decoded"], "\(vector["description"] ?? nil)")
    }

    @Test("every documented tree encodes to the octets of its vector", arguments: try vectors())
    func encode(vector: JSONValue) throws {
        let octets = try TLVDocument.octets(encoding: try #require(vector["decoded"]))
        #expect(Hex.encode(octets) == vector["hex"]?.stringValue)
    }

    @Test("the value form of every vector survives writing and reading", arguments: try vectors())
    func values(vector: JSONValue) throws {
        let element = try TLVElement(decoding: try Hex.decode(try #require(vector["hex"]?.stringValue)))
        #expect(try TLVElement(decoding: element.encoded()) == element)
    }

    @Test("every invalid vector is refused with a typed error", arguments: try vectors("invalid", atLeast: 13))
    func refuse(vector: JSONValue) throws {
        let octets = try Hex.decode(try #require(vector["hex"]?.stringValue))
        #expect(throws: TLVError.self, "\(vector["description"] ?? nil)") { try TLVElement(decoding: octets) }
        #expect(throws: TLVError.self, "\(vector["description"] ?? nil)") {
            try TLVDocument.json(decoding: octets)
        }
    }
}
