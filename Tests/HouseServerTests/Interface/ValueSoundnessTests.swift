import MatterController
import Testing

@testable import HouseServer

@Suite struct ValueSoundnessTests {
    private func type(_ cluster: ClusterID, _ attribute: AttributeID) throws -> DataType {
        try #require(Catalogue.standard.attribute(cluster: cluster, attribute)).type
    }

    @Test func aValueOfTheTypeIsSoundInAnyWidth() throws {
        let level = try type(0x0008, 0x0000)
        #expect(ValueSoundness.isSound(.uint(254), as: level) && ValueSoundness.isSound(.int(3), as: level))
        #expect(ValueSoundness.isSound(.uint(70_000), as: level) && ValueSoundness.isSound(.null, as: level))
        let onOff = try type(0x0006, 0x0000)
        #expect(ValueSoundness.isSound(.bool(true), as: onOff) && ValueSoundness.isSound(.null, as: onOff))
        let temperature = try type(0x0402, 0x0000)
        #expect(ValueSoundness.isSound(.int(-500), as: temperature))
    }

    @Test func aValueOfAnotherTypeIsNot() throws {
        let level = try type(0x0008, 0x0000)
        for value: TLVValue in [.string("1"), .bool(true), .int(-1), .double(1), .octets([1]), .structure([])] {
            #expect(!ValueSoundness.isSound(value, as: level), "\(value)")
        }
        #expect(!ValueSoundness.isSound(.uint(1), as: try type(0x0006, 0x0000)))
        #expect(!ValueSoundness.isSound(.octets([0x41]), as: try type(0x0028, 0x0005)))
    }

    @Test func aListIsAsSoundAsItsEntries() throws {
        let parts = try type(0x001D, 0x0003)
        #expect(ValueSoundness.isSound(.array(of: [.uint(1), .uint(2)]), as: parts))
        #expect(!ValueSoundness.isSound(.array(of: [.uint(1), .string("2")]), as: parts))
        #expect(!ValueSoundness.isSound(.uint(1), as: parts))
    }

    @Test func aStructureIsAsSoundAsItsKnownFields() throws {
        let types = try type(0x001D, 0x0000)
        func list(_ members: [TLVElement]) -> TLVValue { .array(of: [.structure(members)]) }
        let deviceType = TLVElement(.context(0), .uint(22))
        #expect(ValueSoundness.isSound(list([deviceType, TLVElement(.context(1), .uint(1))]), as: types))
        // Fields of newer revisions, and fields that are not there.
        #expect(ValueSoundness.isSound(list([deviceType, TLVElement(.context(77), .string("new"))]), as: types))
        #expect(!ValueSoundness.isSound(list([deviceType, TLVElement(.context(1), .string("1"))]), as: types))
    }
}
