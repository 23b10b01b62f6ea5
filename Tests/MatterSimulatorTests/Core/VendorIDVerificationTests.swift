import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterSimulator

/// SetVIDVerificationStatement and SignVIDVerificationRequest (Matter core specification 6.4.10 and 11.18.6).
@Suite("Verification of vendor ids", .beside)
struct VendorIDVerificationTests {
    private static let challenge = [UInt8](0..<32)
    private static let statement = [UInt8](repeating: 1, count: 85)
    private static let vvsc = [UInt8](repeating: 0xAA, count: 400)

    /// A device on two fabrics, with their administrators.
    private struct Scene {
        let bench: NodeBench
        let first: Caller
        let second: Caller
        let secondController: NodeBench.Controller

        init() throws {
            bench = try NodeBench(["on-off-light"])
            first = try bench.commission(try NodeBench.Controller())
            secondController = try NodeBench.Controller(nodeID: 0x3000)
            #expect(try bench.openWindow(by: first).isSuccess)
            second = try bench.commission(secondController)
        }

        func set(_ fields: [UInt8: TLVValue], by caller: Caller) throws -> IMStatus {
            try bench.invoke(
                0, NodeBench.credentials, 0x0C, fields.sorted { $0.key < $1.key }.map { TLVElement($0.key, $0.value) },
                by: caller
            ).status
        }

        func sign(_ index: UInt64, _ challenge: [UInt8], by caller: Caller) throws -> CommandResult.Outcome {
            try bench.invoke(
                0, NodeBench.credentials, 0x0D, [TLVElement(0, .uint(index)), TLVElement(1, .octets(challenge))],
                by: caller)
        }

        /// Vendor id, statement and VVSC of a fabric, as an administrator of another one reads them.
        func seen(_ index: UInt8) throws -> [TLVValue?] {
            func entry(_ attribute: AttributeID) throws -> TLVValue? {
                try bench.read(0, NodeBench.credentials, attribute, by: first, filtered: false).first?.value?.items?
                    .first { $0.fabricIndex == index }
            }
            let descriptor = try entry(1)
            return [descriptor?.field(2), descriptor?.field(6), try entry(0)?.field(3)]
        }
    }

    @Test("what it signs is what the specification puts together, with the key of the fabric that is asked about")
    func signature() throws {
        let scene = try Scene()
        for statement in [nil, Self.statement] {
            if let statement { #expect(try scene.set([1: .octets(statement)], by: scene.second) == .success) }
            let answer = try #require(try scene.sign(2, Self.challenge, by: scene.first).response(0x0E))
            #expect(answer.field(0) == .uint(2))
            #expect(answer.field(1) == .uint(1))
            let fabric = try #require(scene.bench.node.fabrics[2])
            let fabricID = fabric.operational.fabric.fabricID.rawValue
            var message: [UInt8] = [1] + Self.challenge
            message += scene.first.attestationChallenge?.copyBytes() ?? []
            message += [2, 1] + fabric.operational.root.publicKey.x963
            message += (0..<8).reversed().map { UInt8(truncatingIfNeeded: fabricID >> (8 * $0)) }
            message += [0xFF, 0xF1] + (statement ?? [])
            let signature = try #require(answer.field(2)?.octetString)
            #expect(fabric.operational.noc.publicKey.isValidSignature(signature, for: message))
        }
    }

    @Test("questions about no fabric, or with another challenge, are refused")
    func refusedQuestions() throws {
        let scene = try Scene()
        for (index, challenge) in [(0, Self.challenge), (7, Self.challenge), (2, Array(Self.challenge.dropLast()))] {
            #expect(try scene.sign(UInt64(index), challenge, by: scene.first).status == .constraintError)
        }
    }

    @Test("values that cannot be are refused, and nothing changes")
    func refusedValues() throws {
        let scene = try Scene()
        let before = try scene.seen(2)
        let cases: [([UInt8: TLVValue], IMStatus)] = [
            ([:], .invalidCommand), ([0: .uint(0xFFF5)], .constraintError), ([0: .uint(0)], .constraintError),
            ([1: .octets(Self.statement + [1])], .constraintError),
            ([1: .octets(Array(Self.statement.dropLast()))], .constraintError),
            ([2: .octets(Self.vvsc + [1])], .constraintError),
            ([0: .uint(0xFFF2), 2: .octets(Self.vvsc + [1])], .constraintError),
        ]
        for (fields, status) in cases { #expect(try scene.set(fields, by: scene.second) == status, "\(fields)") }
        #expect(try scene.seen(2) == before)
    }

    @Test("what is set is seen from other fabrics, kept over a restart, and cleared by nothing")
    func values() throws {
        let scene = try Scene()
        let all: [UInt8: TLVValue] = [0: .uint(0x6A01), 1: .octets(Self.statement), 2: .octets(Self.vvsc)]
        #expect(try scene.set(all, by: scene.second) == .success)
        let expected: [TLVValue?] = [.uint(0x6A01), .octets(Self.statement), .octets(Self.vvsc)]
        #expect(try scene.seen(2) == expected)
        #expect(try scene.seen(1) == [.uint(0xFFF1), nil, nil])
        try scene.bench.restart()
        #expect(try scene.seen(2) == expected)
        #expect(try scene.set([1: .octets([]), 2: .octets([])], by: scene.second) == .success)
        #expect(try scene.seen(2) == [.uint(0x6A01), nil, nil])
    }

    @Test("a fail-safe takes it back only together with the certificates that it was set for")
    func failSafe() throws {
        let scene = try Scene()
        let bench = scene.bench
        #expect(try bench.arm(by: scene.second) == 0)
        #expect(try scene.set([0: .uint(0xFFF3), 1: .octets(Self.statement)], by: scene.second) == .success)
        #expect(try bench.arm(0, by: scene.second) == 0)
        let kept: [TLVValue?] = [.uint(0xFFF3), .octets(Self.statement), nil]
        #expect(try scene.seen(2) == kept)

        #expect(try bench.arm(by: scene.second) == 0)
        let csr = try #require(try bench.requestCSR(forUpdate: true, by: scene.second))
        let issued = try scene.secondController.issuer().issue(csr, nodeID: NodeID(0x1234))
        let updated = try bench.invoke(
            0, NodeBench.credentials, 7, [TLVElement(0, .octets(issued.noc.tlv))], by: scene.second)
        #expect(updated.response(8)?.field(0) == .uint(0))
        #expect(try scene.set([0: .uint(0xFFF4), 1: .octets([]), 2: .octets(Self.vvsc)], by: scene.second) == .success)
        #expect(try scene.seen(2) == [.uint(0xFFF4), nil, .octets(Self.vvsc)])
        #expect(try bench.arm(0, by: scene.second) == 0)
        #expect(try scene.seen(2) == kept)
    }
}
