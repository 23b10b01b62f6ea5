import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// Sealed messages; the expected octets were computed with another implementation of AES-CCM.
@Suite struct MessageSecurityTests {
    private let key = SecretBytes([UInt8](0x10..<0x20))
    private let header = MessageHeader(sessionID: 0x1234, counter: 0x0102_0304)
    private let plaintext = hex("0508785601001518")
    private let ofNode5 = hex("0034120004030201017fe08f8990af6291c6de73269feb98e63899bc8b975f93")
    private let ofPASE = hex("003412000403020120ac1a2605fc49b33422db6c3787345d187e590326da69c8")

    private func open(_ datagram: [UInt8], senderNodeID: UInt64) throws -> [UInt8] {
        let (header, length) = try MessageHeader.decode(datagram)
        return try MessageSecurity(key: key, senderNodeID: senderNodeID)
            .open(header: header, headerLength: length, datagram: datagram)
    }

    @Test("the nonce holds the sender's node id on CASE sessions and 0 on PASE sessions")
    func nodeIDs() throws {
        for (node, datagram) in [(UInt64(5), ofNode5), (0, ofPASE)] {
            let security = try MessageSecurity(key: key, senderNodeID: node)
            #expect(try security.seal(header: header, plaintext: plaintext) == datagram)
            #expect(try open(datagram, senderNodeID: node) == plaintext)
            #expect(throws: TransportError.self) { try open(datagram, senderNodeID: node + 1) }
        }
    }

    @Test("a message with an extension and a reserved flag opens: both are authenticated as they were sent")
    func extensions() throws {
        let datagram = hex("00341224040302010200aabb168f392ea7aed1b5db602131e4f5518c3e061d070700fb63")
        #expect(try open(datagram, senderNodeID: 5) == plaintext)
        var other = datagram
        other[11] ^= 1
        #expect(throws: TransportError.self) { try open(other, senderNodeID: 5) }
    }

    @Test("a change to any octet is noticed")
    func tampered() throws {
        for index in ofNode5.indices {
            var datagram = ofNode5
            datagram[index] ^= 0x01
            #expect(throws: TransportError.self, "octet \(index)") { try open(datagram, senderNodeID: 5) }
        }
    }

    @Test("a message that is too short for its integrity check is malformed")
    func short() throws {
        for count in 8..<24 {
            let error = #expect(throws: TransportError.self) {
                try open(Array(ofNode5[..<count]), senderNodeID: 5)
            }
            #expect(error?.code == .malformedMessage)
        }
        let error = #expect(throws: TransportError.self) { try open(Array(ofNode5[..<24]), senderNodeID: 5) }
        #expect(error?.code == .authenticationFailed)
    }
}
