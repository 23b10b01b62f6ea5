import TestSupport
import Testing

@testable import MatterNetwork

/// Handshakes, segments and advertisements of other implementations.
@Suite("BTP vectors", .vectors, .enabled(if: Vectors.available)) struct BTPVectorTests {
    struct File: Decodable {
        struct Request: Decodable {
            var hex: String
            var versions: [UInt8]
            var mtu: UInt16
            var window: UInt8
        }
        struct Response: Decodable {
            var hex: String
            var version: UInt8
            var segmentSizeField: UInt16
            var window: UInt8
        }
        struct Segment: Decodable {
            var hex: String
            var flags, seq: UInt8
            var ack: UInt8?
            var messageLength: UInt16?
            var payload: String
        }
        struct Invalid: Decodable { var hex, reason: String }
        struct Advertisement: Decodable {
            var hex: String
            var opcode: UInt8
        }
        var handshakeRequests: [Request]
        var handshakeResponses: [Response]
        var invalidHandshakeRequests: [Invalid]
        var segments: [Segment]
        var invalidSegments: [Invalid]
        var advertisements: [Advertisement]
    }

    private static func cases<Case>(atLeast least: Int = 1, _ list: (File) -> [Case]) throws -> [Case] {
        try Vectors.cases("btp.json", atLeast: least, list)
    }

    @Test(
        "requests of a handshake are read and written byte for byte",
        arguments: try cases(atLeast: 2) { $0.handshakeRequests })
    func requests(vector: File.Request) throws {
        let request = try BTPHandshakeRequest(decoding: hex(vector.hex))
        #expect(request == BTPHandshakeRequest(versions: vector.versions, attMTU: vector.mtu, window: vector.window))
        #expect(request.encoded() == hex(vector.hex))
    }

    @Test("responses of a handshake are read and written byte for byte", arguments: try cases { $0.handshakeResponses })
    func responses(vector: File.Response) throws {
        let response = try BTPHandshakeResponse(decoding: hex(vector.hex))
        #expect(
            response
                == BTPHandshakeResponse(
                    version: vector.version, segmentSize: vector.segmentSizeField, window: vector.window))
        #expect(response.encoded() == hex(vector.hex))
    }

    @Test("handshakes that are not valid are refused", arguments: try cases(atLeast: 3) { $0.invalidHandshakeRequests })
    func invalidHandshakes(vector: File.Invalid) throws {
        #expect(throws: TransportError.self, "\(vector.reason)") {
            try BTPHandshakeRequest(decoding: hex(vector.hex))
        }
        var session = BTPSession(.peripheral, attMTU: nil)
        let actions = session.handle(.received(hex(vector.hex)), now: .now)
        #expect(actions.end?.code == .btp, "\(vector.reason)")
    }

    @Test("segments are read and written byte for byte", arguments: try cases(atLeast: 4) { $0.segments })
    func segments(vector: File.Segment) throws {
        let segment = try BTPSegment(decoding: hex(vector.hex))
        #expect(segment.encoded() == hex(vector.hex))
        #expect(segment.encoded().first == vector.flags)
        #expect(segment.acknowledged == vector.ack && segment.sequence == vector.seq)
        #expect(segment.payload == hex(vector.payload))
        let place: BTPSegment.Place? = vector.messageLength.map { .whole(length: $0) } ?? .ending
        #expect(segment.place == place)
    }

    @Test("segments that are not valid are refused", arguments: try cases { $0.invalidSegments })
    func invalidSegments(vector: File.Invalid) throws {
        #expect(throws: TransportError.self, "\(vector.reason)") { try BTPSegment(decoding: hex(vector.hex)) }
    }

    @Test("an advertisement that is not about commissioning is left alone", arguments: try cases { $0.advertisements })
    func advertisements(vector: File.Advertisement) throws {
        // Flags, then length, type and service of the service data.
        let data = Array(hex(vector.hex).dropFirst(3 + 4))
        try #require(data.first == vector.opcode)
        #expect((BLEAdvertisement(serviceData: data) != nil) == (vector.opcode == 0))
    }
}
