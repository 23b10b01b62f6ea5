import Foundation
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

/// Complete datagrams of another implementation.
@Suite(.vectors, .enabled(if: Vectors.available)) struct MessageVectorTests {
    struct File: Decodable {
        var vectors: [Vector]
    }

    struct Vector: Decodable, CustomTestStringConvertible {
        var name, payload, plain, privacy: String
        var encrypted, encryptKey, privacyKey: String?
        var sessionId: UInt16
        var groupId: UInt16?
        var peerNodeId: UInt64
        var accepted: Bool

        var testDescription: String { name }
        var isGroup: Bool { groupId != nil }
    }

    private static func vectors(group: Bool) throws -> [Vector] {
        try Vectors.cases("messages.json", atLeast: 5) { (file: File) in file.vectors.filter { $0.isGroup == group } }
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

    @Test("unicast datagrams are delivered or dropped as the reference does", arguments: try vectors(group: false))
    func unicast(vector: Vector) throws {
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

    @Test("unicast datagrams are made octet for octet", arguments: try vectors(group: false).filter(\.accepted))
    func sealing(vector: Vector) throws {
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

    /// The key of the group vectors.
    private func group(_ vector: Vector, groups: Set<UInt16>? = nil) throws -> GroupReception {
        let key = SecretBytes(hex(vector.encryptKey ?? "ca92d7a0942d1a511a0e26ad074f4c2f"))
        let privacyKey = SecretBytes(hex(vector.privacyKey ?? "bfe9da016a765365f2dd97a9f939e425"))
        return GroupReception(
            fabricIndex: 1, groups: try groups ?? [#require(vector.groupId)],
            security: GroupMessageSecurity(sessionID: vector.sessionId, key: key, privacyKey: privacyKey))
    }

    @Test(
        "group datagrams are delivered or dropped as the reference does, with privacy and without",
        arguments: try vectors(group: true))
    func groupReception(vector: Vector) throws {
        var engine = try MessageEngine(random: SeededRandom(1)) { _, _, _ in true }
        engine.setGroups([try group(vector)], fabrics: [1])
        if vector.name.contains("replay") { _ = engine.receive(hex(vector.privacy), from: host(9), now: .now) }
        let actions = engine.receive(hex(vector.privacy), from: host(9), now: .now)
        #expect(actions.groupMessages.map(\.payload) == (vector.accepted ? [hex(vector.payload)] : []), "\(vector)")
        guard vector.accepted else { return }
        #expect(actions.groupMessages.map(\.group) == [vector.groupId])
        #expect(actions.groupMessages.map(\.source) == [1])
        // A group that does not use the key.
        engine.setGroups([try group(vector, groups: [0x7777])], fabrics: [])
        let other = engine.receive(hex(vector.privacy), from: host(9), now: .now)
        #expect(other.dropped == [.authenticationFailed], "\(vector.name)")
    }

    @Test(
        "group datagrams are made byte for byte, with privacy and without",
        arguments: try vectors(group: true).filter(\.accepted))
    func groupSealing(vector: Vector) throws {
        let plain = hex(vector.plain)
        let (header, length) = try MessageHeader.decode(plain)
        #expect(header.encoded() == Array(plain[..<length]))
        let datagram = try group(vector).security.seal(header: header, plaintext: Array(plain[length...]))
        #expect(datagram == hex(vector.privacy), "\(vector.name)")
    }

    struct Multicast: Decodable {
        struct Address: Decodable { var fabricId, address: String, groupId: UInt16 }
        var multicastAddress: [Address]
    }

    @Test(
        "the multicast address of a group follows from the fabric id and the group id",
        arguments: try Vectors.cases("fabric.json", atLeast: 3) { (file: Multicast) in file.multicastAddress })
    func multicastAddresses(vector: Multicast.Address) throws {
        let fabric = try #require(UInt64(vector.fabricId, radix: 16))
        let address = PeerAddress(group: vector.groupId, ofFabric: fabric)
        #expect(try address == PeerAddress(parsing: "[\(vector.address)]:5540"))
    }
}
