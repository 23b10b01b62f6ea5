import Testing

@testable import MatterCrypto

@Suite("node ids")
struct NodeIDTests {
    @Test(
        "every range has its meaning",
        arguments: [
            (0, NodeID.Kind.unspecified), (1, .operational), (0xFFFF_FFEF_FFFF_FFFF, .operational),
            (0xFFFF_FFF0_0000_0000, .reserved), (0xFFFF_FFFA_FFFF_FFFF, .reserved),
            (0xFFFF_FFFB_0000_0000, .pakeKey(0)), (0xFFFF_FFFB_0000_FFFF, .pakeKey(0xFFFF)),
            (0xFFFF_FFFB_0001_0000, .reserved), (0xFFFF_FFFC_0000_0000, .reserved),
            (0xFFFF_FFFD_0042_0007, .caseAuthenticatedTag(CASEAuthenticatedTag(0x0042_0007))),
            (0xFFFF_FFFE_1234_5678, .temporaryLocal(0x1234_5678)), (0xFFFF_FFFF_0000_0000, .reserved),
            (0xFFFF_FFFF_FFFE_FFFF, .reserved), (0xFFFF_FFFF_FFFF_0000, .group(0)),
            (0xFFFF_FFFF_FFFF_0102, .group(0x0102)), (UInt64.max, .group(0xFFFF)),
        ] as [(UInt64, NodeID.Kind)])
    func ranges(number: UInt64, kind: NodeID.Kind) {
        #expect(NodeID(number).kind == kind)
        #expect(NodeID(number).isOperational == (kind == .operational))
    }

    @Test("ids of groups, passcodes and tags are composed and taken apart")
    func composed() {
        #expect(NodeID.group(0x0102).kind == .group(0x0102))
        #expect(NodeID.pakeKey(7).kind == .pakeKey(7))
        let tag = CASEAuthenticatedTag(identifier: 0x06D9, version: 1)
        #expect(tag.subject.rawValue == 18_446_744_060_939_534_337)
        #expect(CASEAuthenticatedTag(subject: tag.subject) == tag)
        #expect(CASEAuthenticatedTag(subject: NodeID(5)) == nil)
        #expect(CASEAuthenticatedTag(subject: NodeID(0xFFFF_FFFD_06D9_0000)) == nil)
    }

    @Test("ids print as upper-case hexadecimal digits of full width and are read back in either case")
    func text() {
        #expect("\(NodeID(0xDEDE_DEDE_0001_0001))" == "DEDEDEDE00010001")
        #expect("\(NodeID(5))" == "0000000000000005")
        #expect("\(FabricID(0xFAB))" == "0000000000000FAB")
        #expect("\(CompressedFabricID(0x87e1_b004_e235_a130))" == "87E1B004E235A130")
        #expect("\(VendorID(0x131B))" == "131B")
        #expect("\(CASEAuthenticatedTag(0x01A2_0001))" == "01A20001")
        #expect(NodeID(hex: "dededede00010001") == NodeID(0xDEDE_DEDE_0001_0001))
        #expect(FabricID(hex: "4C414B45484F5553") == FabricID(0x4C41_4B45_484F_5553))
        for wrong in ["", "5", "000000000000005", "00000000000000005", "000000000000000G", "0x00000000000005"] {
            #expect(NodeID(hex: wrong) == nil)
        }
    }

    @Test("ids order by number")
    func order() {
        #expect(NodeID(2) < NodeID(10))
        #expect([VendorID(3), VendorID(1)].sorted() == [VendorID(1), VendorID(3)])
    }

    @Test("fabric ids but 0 and vendor ids but 0 and the reserved ones are valid")
    func validity() {
        #expect(!FabricID(0).isValid)
        #expect(FabricID(1).isValid && FabricID(.max).isValid)
        #expect(!VendorID(0).isValid && !VendorID(0xFFF5).isValid)
        #expect(VendorID(1).isValid && VendorID(0xFFF4).isValid)
        #expect(VendorID(0xFFF1).isTest && !VendorID(0xFFF0).isTest)
    }
}

@Suite("CASE authenticated tags")
struct CASEAuthenticatedTagTests {
    @Test("identifier and version are the two halves")
    func halves() {
        let tag = CASEAuthenticatedTag(identifier: 0xABCD, version: 0x0010)
        #expect(tag.rawValue == 0xABCD_0010)
        #expect(tag.identifier == 0xABCD && tag.version == 0x0010)
        #expect(tag.isValid)
        #expect(!CASEAuthenticatedTag(identifier: 0xABCD, version: 0).isValid)
    }

    @Test("a tag satisfies its own and older versions of the same identifier")
    func matching() {
        let tag = CASEAuthenticatedTag(identifier: 0x0042, version: 3)
        #expect(tag.satisfies(CASEAuthenticatedTag(identifier: 0x0042, version: 3)))
        #expect(tag.satisfies(CASEAuthenticatedTag(identifier: 0x0042, version: 1)))
        #expect(!tag.satisfies(CASEAuthenticatedTag(identifier: 0x0042, version: 4)))
        #expect(!tag.satisfies(CASEAuthenticatedTag(identifier: 0x0043, version: 1)))
        #expect(!tag.satisfies(CASEAuthenticatedTag(identifier: 0x0042, version: 0)))
    }
}
