import Foundation
import MatterCrypto
import TestSupport
import Testing

@testable import MatterTransport

/// Complete datagrams of another implementation.
@Suite(.vectors, .enabled(if: Vectors.available)) struct MessageVectorTests {
    struct File: Decodable {
        var vectors: [Vector]
    }

    struct Vector: Decodable, CustomTestStringConvertible {
        var name, payload, plain, privacy: String
        var encrypted, encryptKey: String?
        var sessionId: UInt16
        var groupId: UInt16?
        var peerNodeId: UInt64
        var accepted: Bool

        var testDescription: String { name }
        var isGroup: Bool { groupId != nil }
    }

    private static func vectors(group: Bool) throws -> [Vector] {
        try Vectors.load("messages.json", as: File.self).vectors.filter { $0.isGroup == group }
    }

    /// An engine with the one session that the unicast vectors are for.
    private func engine(_ vector: Vector) throws -> MessageEngine {
        var engine = try MessageEngine(random: SeededRandom(1)) { _, _, _ in true }
        let key = SecretBytes(hex(vector.encryptKey ?? ""))
        _ = try engine.install(
            SecureSessionParameters(
                localSessionID: vector.sessionId, peerSessionID: 1, role: .responder,
                keys: SessionKeys(i2r: key, r2i: key, attestationChallenge: key), localNodeID: 0,
                peerNodeID: vector.peerNodeId, reliability: .standard, address: host(1)), now: .now)
        return engine
    }

    @Test("unicast datagrams are delivered or dropped as the reference does")
    func unicast() throws {
        let vectors = try Self.vectors(group: false)
        try #require(vectors.count >= 5)
        for vector in vectors {
            var engine = try engine(vector)
            let actions = engine.receive(hex(vector.privacy), from: host(9), now: .now)
            if vector.accepted {
                #expect(actions.delivered.map(\.payload) == [hex(vector.payload)], "\(vector.name)")
                #expect(engine.address(of: .secure(vector.sessionId)) == host(9))
            } else {
                #expect(actions.delivered.isEmpty && actions.dropped.count == 1, "\(vector.name)")
                #expect(engine.address(of: .secure(vector.sessionId)) == host(1), "it moved the session")
            }
        }
    }

    @Test("unicast datagrams are made octet for octet")
    func sealing() throws {
        for vector in try Self.vectors(group: false) where vector.accepted {
            let plain = hex(vector.plain)
            let (header, length) = try MessageHeader.decode(plain)
            #expect(header.encoded() == Array(plain[..<length]))
            let security = try MessageSecurity(
                key: SecretBytes(hex(vector.encryptKey ?? "")), senderNodeID: vector.peerNodeId)
            let datagram = try security.seal(header: header, plaintext: Array(plain[length...]))
            #expect(datagram == hex(vector.privacy), "\(vector.name)")
            let inner = try ProtocolHeader.decode(Array(plain[length...]))
            #expect(inner.header.encoded() + inner.payload == Array(plain[length...]))
        }
    }

    @Test("group datagrams are not applicable here: dropped, whoever sent them")
    func group() throws {
        let vectors = try Self.vectors(group: true)
        try #require(!vectors.isEmpty)
        FileHandle.standardError.write(
            Data("\nNOT APPLICABLE: \(vectors.count) group messages of messages.json are only refused.\n\n".utf8))
        for vector in vectors {
            var engine = try MessageEngine(random: SeededRandom(1)) { _, _, _ in true }
            let actions = engine.receive(hex(vector.privacy), from: host(9), now: .now)
            #expect(actions.dropped == [.malformedMessage], "\(vector.name)")
            #expect(actions.count == 1 && engine.sessionCount == 0)
        }
    }
}
