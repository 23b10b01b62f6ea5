import MatterBase
import MatterModel
import Testing

@testable import MatterController
@testable import MatterCrypto

@Suite struct AccessControlEntryTests {
    private static let tag = CASEAuthenticatedTag(0x01A2_0003)

    private func own() throws -> NodeIdentity {
        NodeIdentity(
            nodeID: NodeID(77), fabricID: FabricID(1), cats: [Self.tag],
            publicKey: try P256PrivateKey.generate().publicKey)
    }

    private func entry(
        _ subjects: TLVValue, privilege: UInt64 = 5, mode: UInt64 = 2, targets: TLVValue = .null
    ) -> TLVValue {
        .structure([
            TLVElement(1, .uint(privilege)), TLVElement(2, .uint(mode)), TLVElement(3, subjects),
            TLVElement(4, targets), TLVElement(254, .uint(1)),
        ])
    }

    private func list(_ values: TLVValue...) -> TLVValue {
        .array(values.map { TLVElement(.anonymous, $0) })
    }

    private func subjects(_ numbers: UInt64...) -> TLVValue {
        .array(numbers.map { TLVElement(.anonymous, .uint($0)) })
    }

    private func target(cluster: UInt64? = nil, endpoint: UInt64? = nil, type: UInt64? = nil) -> TLVValue {
        .structure(
            [cluster, endpoint, type].enumerated().map { number, value in
                TLVElement(UInt8(number), value.map { .uint($0) } ?? .null)
            })
    }

    @Test("our id, our tag in this version or an older one, and an entry for all let us administer")
    func admitted() throws {
        let own = try own()
        for who in [
            subjects(77), subjects(5, 77), subjects(Self.tag.subject.rawValue),
            subjects(CASEAuthenticatedTag(0x01A2_0001).subject.rawValue), subjects(), .null,
        ] {
            #expect(try AccessControlEntry(entry(who)).letsAdminister(own), "\(who)")
        }
    }

    @Test("other nodes, newer tags, lower privileges and other ways to authenticate do not")
    func refused() throws {
        let own = try own()
        for value in [
            entry(subjects(78)), entry(subjects(CASEAuthenticatedTag(0x01A2_0004).subject.rawValue)),
            entry(subjects(CASEAuthenticatedTag(0x01A3_0001).subject.rawValue)), entry(subjects(77), privilege: 1),
            entry(subjects(77), privilege: 4), entry(subjects(77), mode: 3), entry(subjects(77), mode: 1),
        ] {
            #expect(try !AccessControlEntry(value).letsAdminister(own), "\(value)")
        }
    }

    @Test("targets count if the access control list is among them")
    func targets() throws {
        let own = try own()
        for (wanted, all) in [
            (true, [target()]), (true, [target(cluster: 31)]), (true, [target(endpoint: 0)]),
            (true, [target(type: 0x16)]), (true, [target(cluster: 6), target(cluster: 31, endpoint: 0)]), (true, []),
            (false, [target(cluster: 6)]), (false, [target(endpoint: 1)]), (false, [target(type: 0x101)]),
            (false, [target(cluster: 31, endpoint: 1), target(cluster: 6, endpoint: 0)]),
        ] {
            let list = TLVValue.array(all.map { TLVElement(.anonymous, $0) })
            #expect(try AccessControlEntry(entry(subjects(77), targets: list)).letsAdminister(own) == wanted, "\(all)")
        }
    }

    @Test("what is no list of entries is refused")
    func malformed() throws {
        for value: TLVValue in [
            .uint(5), .string("all"), list(.uint(5)), list(.structure([])), list(entry(.uint(77))),
            list(entry(list(.string("77")))), list(entry(subjects(77), targets: list(.null))),
            list(entry(.null, privilege: 300)),
        ] {
            #expect(throws: TLVError.self) { try AccessControlEntry.list(value) }
        }
        #expect(try AccessControlEntry.list(.array([])).isEmpty)
    }
}
