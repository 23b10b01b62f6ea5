import JSON
import MatterBase
import MatterState
import MatterTestKit
import TestSupport
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterNetwork

@Suite("Commissioning journal")
struct JournalTests {
    private static let passcode: UInt32 = 20_202_021
    /// As release 0.1.0 made it. Slow on purpose, so made once.
    private static let fingerprint = Result { try SetupFingerprint.salted(passcode) }

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

    private static func code(
        _ passcode: UInt32 = passcode, discriminator: SetupDiscriminator? = nil
    ) throws -> SetupCode {
        SetupCode(passcode: try SetupPasscode(passcode), discriminator: discriminator)
    }

    // MARK: Fingerprints

    @Test("a fingerprint knows its passcode and no other, and tells nothing of it")
    func fingerprint() throws {
        let fingerprint = try Self.fingerprint.get()
        let passcode = try SetupPasscode(Self.passcode)
        let secrets = [SecretBytes([UInt8](repeating: 1, count: 32)), SecretBytes([UInt8](repeating: 2, count: 32))]
        let keyed = try secrets.map { try SetupFingerprint(passcode: passcode, secret: $0) }
        #expect(fingerprint.matches(passcode, secret: nil))
        #expect(keyed[0].matches(passcode, secret: secrets[0]))
        for number: UInt32 in [Self.passcode + 1, Self.passcode ^ 1 << 26, 1, 2] {
            let other = try SetupPasscode(number)
            #expect(!fingerprint.matches(other, secret: nil))
            #expect(!keyed[0].matches(other, secret: secrets[0]))
        }
        // Without the fabric's secret the digest is of no use.
        #expect(keyed[0] != keyed[1])
        #expect(!keyed[0].matches(passcode, secret: secrets[1]))
        #expect(!keyed[0].matches(passcode, secret: nil))
        #expect(!SetupFingerprint.salted(salt: [], digest: []).matches(passcode, secret: nil))
    }

    // MARK: Records

    @Test("a pending node comes back as it was written")
    func roundTrip() throws {
        for discriminator in [nil, try SetupDiscriminator(long: 0), try .init(long: 4095), try .init(short: 15)] {
            let node = try Self.node(discriminator: discriminator)
            #expect(try PendingNode(decoding: node.encoded(), "p") == node)
            var keyed = node
            keyed.fingerprint = .keyed([1, 2, 3])
            #expect(try PendingNode(decoding: keyed.encoded(), "p") == keyed)
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
            ("shortDiscriminator", .uint(16)), ("failSafeEnds", .int(.min)), ("failSafeEnds", .int(.max)),
        ] as [(String, JSONValue)])
    func optionalFaults(member: String, bad: JSONValue) throws {
        var object = try #require(try JSONValue(parsing: Self.node().encoded()).objectValue)
        object[member] = bad
        let error = try #require(throws: RecordError.self) {
            _ = try PendingNode(decoding: JSONValue.object(object).utf8(), "pending/7.json")
        }
        #expect(error.code == .invalid && error.reason.contains("pending/7.json"))
    }

    @Test("damaged records are refused with a typed error, or stand for a record that can be written again")
    func mutation() async throws {
        let corpus = try [nil, SetupDiscriminator(long: 3840), .init(short: 15)].map {
            try Self.node(7, discriminator: $0).encoded()
        }
        var mutator = Mutator(seed: 31, corpus: corpus)
        var accepted = 0
        for number in 0..<Effort.inputs(20_000) {
            if number.isMultiple(of: 100) { await Task.yield() }
            do {
                let node = try PendingNode(decoding: mutator.next(), "p")
                #expect(try PendingNode(decoding: node.encoded(), "p") == node)
                accepted += 1
            } catch {
                #expect(error.code == .invalid && error.reason.contains("p"))
            }
        }
        #expect((Effort.inputs(500)..<Effort.inputs(19_500)).contains(accepted), "\(accepted) accepted")
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
        #expect(try node.matches(Self.code(discriminator: asked?.value), secret: nil) == expected)
        #expect(try !node.matches(Self.code(Self.passcode + 1, discriminator: asked?.value), secret: nil))
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
            try journal.pending(Self.code()).map(\.nodeID.rawValue)
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
            try journal.commissioned(Self.code()).map(\.nodeID) == [NodeID(2)])
        #expect(try journal.commissioned(Self.code(1)) == [])
        try journal.forget(NodeID(2))
        try journal.forget(NodeID(300))
        #expect(try pending(journal) == [])
        #expect(try journal.commissioned(Self.code()) == [])
    }

    @Test("a damaged entry is named with what to do about it, and keeps no other from being found")
    func damage() throws {
        let state = try TemporaryState()
        let journal = CommissioningJournal(state.directory, fabric: "home")
        try journal.record(try Self.node(1))
        try state.directory.write("fabrics/home/pending/000000000000000A.json", Array("{}".utf8))
        let error = try #require(throws: RecordError.self) { _ = try journal.all() }
        #expect(error.reason.contains("pending/000000000000000A.json"))
        #expect(error.hint == .step("node.forget-attempt", "10"))
        #expect(try journal.pending(Self.code()).map(\.nodeID) == [NodeID(1)])
        #expect(try journal.sound().faults.count == 1)
        #expect(try journal.has(NodeID(10)) && !journal.has(NodeID(11)))
    }

    @Test("new codes are recognised by one keyed digest each, and the secret for it is made once")
    func keyed() async throws {
        let state = try TemporaryState()
        let directory = state.directory
        let made = try await withThrowingTaskGroup(of: SetupFingerprint.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try CommissioningJournal(directory, fabric: "home").fingerprint(of: SetupPasscode(Self.passcode))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let first = try #require(made.first)
        #expect(made.allSatisfy { $0 == first })
        let journal = CommissioningJournal(directory, fabric: "home")
        for id in 1...400 as ClosedRange<UInt64> {
            var node = try Self.node(id)
            node.fingerprint = id == 300 ? first : try journal.fingerprint(of: SetupPasscode(UInt32(id)))
            try journal.complete(node)
        }
        #expect(try journal.commissioned(Self.code()).map(\.nodeID) == [NodeID(300)])
        // None has the slow digest, which has a salt.
        #expect(try state.files().values.allSatisfy { !$0.contains("fingerprintSalt") })
        // With another secret, old codes are not recognised, and nothing fails.
        try directory.writeSecret("fabrics/home/keys/codes", [1, 2, 3])
        #expect(try journal.commissioned(Self.code()) == [])
        #expect(try journal.fingerprint(of: SetupPasscode(Self.passcode)) != first)
    }

    @Test("a record of release 0.1.0 is recognised, and gets a keyed digest then")
    func renewal() throws {
        let state = try TemporaryState()
        let journal = CommissioningJournal(state.directory, fabric: "home")
        let (file, done) = (
            "fabrics/home/pending/0000000000000003.json", "fabrics/home/commissioned/0000000000000004.json"
        )
        try state.directory.write(file, try Self.node(3).encoded())
        try state.directory.write(done, try Self.node(4).encoded())
        #expect(try journal.pending(Self.code()).map(\.nodeID) == [NodeID(3)])
        for _ in 1...2 {
            let found = try journal.commissioned(Self.code())
            #expect(found.map(\.nodeID) == [NodeID(4)])
        }
        #expect(try state.files()[done]?.contains("fingerprintSalt") == false)
        #expect(try journal.commissioned(Self.code(1)) == [])
    }

    @Test("hundreds of records of release 0.1.0 cost half a second at most, and new ones are found all the same")
    func slowDigests() throws {
        let state = try TemporaryState()
        let journal = CommissioningJournal(state.directory, fabric: "home")
        for id in 1...399 as ClosedRange<UInt64> { try journal.complete(try Self.node(id)) }
        // Its turn would come after more than a second on the fastest of machines, and later on all others.
        var late = try Self.node(400)
        late.fingerprint = try .salted(1)
        try journal.complete(late)
        var node = try Self.node(401)
        node.fingerprint = try journal.fingerprint(of: SetupPasscode(1))
        try journal.complete(node)
        #expect(try journal.commissioned(Self.code(1)).map(\.nodeID) == [NodeID(401)])
    }

    @Test("nothing is recorded for a fabric that was removed, or made again under the same name")
    func removedFabric() async throws {
        let state = try TemporaryState()
        let fabrics = FabricStore(state.directory)
        let vendor = VendorID(0xFFF1)
        let first = try await fabrics.add(try TestFabric().local, name: "home", vendorID: vendor)
        let journal = CommissioningJournal(
            state.directory, fabric: "home", identity: first.compressedFabricID)
        try journal.record(try Self.node(1))
        try await fabrics.remove("home")
        for _ in 1...2 {
            #expect(try #require(throws: RecordError.self) { try journal.record(try Self.node(2)) }.code == .fabricGone)
            #expect(
                try #require(throws: RecordError.self) { try journal.complete(try Self.node(2)) }.code == .fabricGone)
            #expect(try journal.all() == [])
            if try fabrics.names().isEmpty {
                _ = try await fabrics.add(try TestFabric().local, name: "home", vendorID: vendor)
            }
        }
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
