import Foundation
import JSON
import MatterTLV
import TestSupport
import Testing

/// The shared TLV vectors, read with our own JSON parser.
@Suite("TLV vectors", .vectors, .enabled(if: Vectors.available))
struct TLVVectorTests {
    let vectors: [JSONValue]
    let invalid: [JSONValue]

    init() throws {
        let file = try JSONValue(parsing: [UInt8](Vectors.data("tlv.json")))
        vectors = try #require(file["vectors"]?.arrayValue)
        invalid = try #require(file["invalid"]?.arrayValue)
    }

    @Test("every vector decodes to the tree that it documents")
    func decode() throws {
        #expect(vectors.count >= 39)
        for vector in vectors {
            let octets = try Hex.decode(try #require(vector["hex"]?.stringValue))
            let json = try TLVDocument.json(decoding: octets)
            // As text and back, since non-finite numbers are strings in JSON.
            let parsed = try JSONValue(parsing: json.serialized())
            #expect(parsed == vector["decoded"], "\(vector["description"] ?? nil)")
        }
    }

    @Test("every documented tree encodes to the octets of its vector")
    func encode() throws {
        for vector in vectors {
            let octets = try TLVDocument.octets(encoding: try #require(vector["decoded"]))
            #expect(Hex.encode(octets) == vector["hex"]?.stringValue)
        }
    }

    @Test("the value form of every vector survives writing and reading")
    func values() throws {
        for vector in vectors {
            let element = try TLVElement(decoding: try Hex.decode(try #require(vector["hex"]?.stringValue)))
            #expect(try TLVElement(decoding: element.encoded()) == element)
        }
    }

    @Test("every invalid vector is refused with a typed error")
    func refuse() throws {
        #expect(invalid.count >= 13)
        for vector in invalid {
            let octets = try Hex.decode(try #require(vector["hex"]?.stringValue))
            #expect(throws: TLVError.self, "\(vector["description"] ?? nil)") { try TLVElement(decoding: octets) }
            #expect(throws: TLVError.self, "\(vector["description"] ?? nil)") {
                try TLVDocument.json(decoding: octets)
            }
        }
    }
}
