import MatterCredentials
import MatterCrypto
import MatterSession
import MatterSessionTests
import MatterSetupPayload
import MatterStore
import MatterTLV
import MatterTransport
import TestSupport
import Testing

@testable import MatterCommissioning

@Suite("Commissioning journal")
struct JournalTests {
    private static let passcode: UInt32 = 20_202_021
    /// Slow on purpose, so made once.
    private static let fingerprint = Result { try SetupFingerprint(passcode: passcode, random: SystemRandom()) }

    private static func node(
        _ id: UInt64 = 0xFFFF_FFEF_FFFF_FFFF, discriminator: SetupDiscriminator? = nil
    ) throws -> PendingNode {
        PendingNode(
            nodeID: NodeID(id), name: "Küche", room: "ground floor", receipt: NOCReceipt(rawValue: "receipt \"7\""),
            noc: Array(0...255),
            addresses: [try PeerAddress(parsing: "[2001:db8::1]:5540"), try PeerAddress(parsing: "[fe80::1%1]:5541")],
            fingerprint: try fingerprint.get(), discriminator: discriminator, failSafeEnds: 1_786_000_000,
            vendorID: 0xFFF1, productID: 0x8001)
    }

    // MARK: Fingerprints

    @Test("a fingerprint knows its passcode and no other, and tells nothing of it")
    func fingerprint() throws {
        let fingerprint = try Self.fingerprint.get()
        #expect(fingerprint.matches(passcode: Self.passcode))
        for other: UInt32 in [Self.passcode + 1, Self.passcode ^ 1 << 26, 0, 1] {
            #expect(!fingerprint.matches(passcode: other))
        }
        let again = try SetupFingerprint(passcode: Self.passcode, random: SystemRandom())
        #expect(again.salt != fingerprint.salt && again.digest != fingerprint.digest)
        #expect(again.salt.count == 16 && again.digest.count == 32)
        #expect(!SetupFingerprint(salt: [], digest: []).matches(passcode: Self.passcode))
    }

    // MARK: Records

    @Test("a pending node comes back as it was written")
    func roundTrip() throws {
        for discriminator in [nil, try SetupDiscriminator(long: 0), try .init(long: 4095), try .init(short: 15)] {
            let node = try Self.node(discriminator: discriminator)
            #expect(try PendingNode(decoding: node.encoded(), "p") == node)
        }
        var bare = try Self.node()
        (bare.name, bare.room, bare.vendorID, bare.productID, bare.addresses) = (nil, nil, nil, nil, [])
        #expect(try PendingNode(decoding: bare.encoded(), "p") == bare)
    }

    @Test(
        "a pending node lacks none of its members, and each has its kind",
        arguments: ["nodeId", "receipt", "noc", "fingerprintSalt", "fingerprint", "failSafeEnds"])
    func faults(member: String) throws {
        let whole = try #require(try JSONValue(parsing: Self.node().encoded()).objectValue)
        for bad: JSONValue? in [nil, .null, .bool(true), .array([]), .double(0.5)] {
            var object = whole
            object[member] = bad
            let error = try #require(throws: RecordError.self) {
                _ = try PendingNode(decoding: JSONValue.object(object).utf8(), "pending/7.json")
            }
            #expect(error.code == .invalid)
            #expect(error.reason.contains("pending/7.json") && error.reason.contains(member), "\(error)")
        }
    }

    @Test(
        "members that may be absent must be right if they are there",
        arguments: [
            ("name", .uint(1)), ("room", .bool(true)), ("vendorId", .uint(65_536)), ("productId", "x"),
            ("addresses", "::1"), ("discriminator", .uint(4096)), ("discriminator", "3840x"),
            ("shortDiscriminator", .uint(16)),
        ] as [(String, JSONValue)])
    func optionalFaults(member: String, bad: JSONValue) throws {
        var object = try #require(try JSONValue(parsing: Self.node().encoded()).objectValue)
        object[member] = bad
        let error = try #require(throws: RecordError.self) {
            _ = try PendingNode(decoding: JSONValue.object(object).utf8(), "pending/7.json")
        }
        #expect(error.code == .invalid && error.reason.contains("pending/7.json"))
    }

    @Test("20,000 damaged records are refused with a typed error, or stand for a record that can be written again")
    func mutation() async throws {
        let corpus = try [nil, SetupDiscriminator(long: 3840), .init(short: 15)].map {
            try Self.node(7, discriminator: $0).encoded()
        }
        var mutator = Mutator(seed: 31, corpus: corpus)
        var accepted = 0
        for number in 0..<20_000 {
            if number.isMultiple(of: 100) { await Task.yield() }
            do {
                let node = try PendingNode(decoding: mutator.next(), "p")
                #expect(try PendingNode(decoding: node.encoded(), "p") == node)
                accepted += 1
            } catch {
                #expect(error.code == .invalid && error.reason.contains("p"))
            }
        }
        #expect((500..<19_500).contains(accepted), "\(accepted) accepted")
    }

    // MARK: Recognising a code

    @Test(
        "a code is recognised by its passcode and as much of a discriminator as both sides have",
        arguments: [
            (nil, nil, true), (.long(3840), nil, true), (nil, .long(3840), true), (.long(3840), .long(3840), true),
            (.long(3840), .long(3841), false), (.long(3840), .short(15), true), (.long(3840), .short(14), false),
            (.short(15), .long(3840), true), (.short(15), .long(3841), true), (.short(14), .long(3840), false),
            (.short(15), .short(15), true), (.short(15), .short(0), false),
        ] as [(Discriminator?, Discriminator?, Bool)])
    func recognition(kept: Discriminator?, asked: Discriminator?, expected: Bool) throws {
        let node = try Self.node(discriminator: kept?.value)
        #expect(try node.matches(passcode: Self.passcode, discriminator: asked?.value) == expected)
        #expect(try !node.matches(passcode: Self.passcode + 1, discriminator: asked?.value))
    }

    enum Discriminator: Sendable {
        case long(UInt16)
        case short(UInt8)

        var value: SetupDiscriminator {
            get throws {
                switch self {
                case .long(let number): try SetupDiscriminator(long: number)
                case .short(let number): try SetupDiscriminator(short: number)
                }
            }
        }
    }

    // MARK: The journal

    @Test("pending nodes are kept until they are removed or complete")
    func journal() throws {
        let state = try TemporaryState()
        let journal = CommissioningJournal(state.directory, fabric: "home")
        func pending(_ journal: CommissioningJournal) throws -> [UInt64] {
            try journal.pending(passcode: Self.passcode, discriminator: nil).map(\.nodeID.rawValue)
        }
        #expect(try journal.all() == [] && pending(journal) == [])
        for id: UInt64 in [2, 1, 300] { try journal.record(try Self.node(id)) }
        #expect(try pending(journal) == [1, 2, 300] && pending(.init(state.directory, fabric: "home")) == [1, 2, 300])
        #expect(try journal.node(NodeID(2)) == Self.node(2) && journal.node(NodeID(3)) == nil)
        #expect(try pending(CommissioningJournal(state.directory, fabric: "office")) == [])
        try journal.remove(NodeID(1))
        try journal.remove(NodeID(1))
        #expect(try pending(journal) == [2, 300])
        try journal.complete(try Self.node(2))
        #expect(try pending(journal) == [300])
        #expect(
            try journal.commissioned(passcode: Self.passcode, discriminator: nil).map(\.nodeID) == [NodeID(2)])
        #expect(try journal.commissioned(passcode: 1, discriminator: nil) == [])
        try journal.forget(NodeID(2))
        try journal.forget(NodeID(300))
        #expect(try pending(journal) == [])
        #expect(try journal.commissioned(passcode: Self.passcode, discriminator: nil) == [])
    }

    @Test("a damaged entry is named, not passed over: a device may hold our certificate")
    func damage() throws {
        let state = try TemporaryState()
        let journal = CommissioningJournal(state.directory, fabric: "home")
        try journal.record(try Self.node(1))
        try state.directory.write("fabrics/home/pending/0000000000000002.json", Array("{}".utf8))
        let error = try #require(throws: RecordError.self) {
            _ = try journal.pending(passcode: Self.passcode, discriminator: nil)
        }
        #expect(error.reason.contains("pending/0000000000000002.json"))
    }

    @Test("the passcode is in no record")
    func secrets() throws {
        let state = try TemporaryState()
        let journal = CommissioningJournal(state.directory, fabric: "home")
        try journal.record(try Self.node(1, discriminator: try SetupDiscriminator(long: 3840)))
        try journal.record(try Self.node(2))
        try journal.complete(try Self.node(2))
        let files = try state.files().filter { $0.key.hasSuffix(".json") }
        #expect(files.count == 2)
        for (name, text) in files {
            for secret in ["20202021", "1344225", "01344225", "25423401"] {
                #expect(!text.lowercased().contains(secret), "\(name)")
            }
        }
    }
}
