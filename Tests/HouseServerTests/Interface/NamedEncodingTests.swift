import JSON
import MatterController
import Testing

@testable import HouseServer

@Suite struct NamedEncodingTests {
    private func members(_ values: (UInt8, TLVValue)...) -> TLVValue {
        .structure(values.map { TLVElement(.context($0.0), $0.1) })
    }

    @Test func aResponseHasTheNamesOfTheSDK() {
        let json = NamedEncoding.response(
            members((0, .uint(0)), (1, .uint(3)), (9, .string("new"))), 0x00, of: 0x0004, in: .standard)
        #expect(json.serialized() == #"{"status":0,"groupID":3,"9":"new"}"#)
    }

    @Test func aFieldThatTheDeviceLeavesOutIsNull() {
        // GetUserResponse, of which only the first fields came.
        let json = NamedEncoding.response(members((0, .uint(1)), (1, .null)), 0x1C, of: 0x0101, in: .standard)
        #expect(
            json.serialized()
                == #"{"userIndex":1,"userName":null,"userUniqueID":null,"userStatus":null,"userType":null,"credentialRule":null,"credentials":null,"creatorFabricIndex":null,"lastModifiedFabricIndex":null,"nextUserIndex":null}"#
        )
    }

    @Test func structuresInListsHaveNamesToo() {
        let json = NamedEncoding.response(
            members((0, .uint(1)), (6, .array(of: [members((0, .uint(1)), (1, .uint(2)))]))), 0x1C, of: 0x0101,
            in: .standard)
        #expect(json.objectValue?["credentials"]?.serialized() == #"[{"credentialType":1,"credentialIndex":2}]"#)
    }

    @Test func anEventHasNamesAndItsFabric() {
        let json = NamedEncoding.event(
            members((1, .uint(.max)), (3, .uint(1)), (254, .uint(2))), 0x00, of: 0x001F, in: .standard)
        #expect(
            json.serialized()
                == #"{"adminNodeID":18446744073709551615,"adminPasscodeID":null,"changeType":1,"latestValue":null,"fabricIndex":2}"#
        )
    }

    @Test func aValueOfTheWrongTypeIsNull() {
        let json = NamedEncoding.response(members((0, .string("0")), (1, .uint(3))), 0x00, of: 0x0004, in: .standard)
        #expect(json.serialized() == #"{"status":null,"groupID":3}"#)
    }

    @Test func theUnknownHasDecimalTags() {
        let fields = members((0, .uint(1)), (1, .octets([1])))
        #expect(NamedEncoding.event(fields, 0x77, of: 0x0006, in: .standard).serialized() == #"{"0":1,"1":"AQ=="}"#)
        #expect(
            NamedEncoding.response(fields, 0, of: 0xFFF1_FC77, in: .standard).serialized() == #"{"0":1,"1":"AQ=="}"#)
        #expect(NamedEncoding.response(.null, 0, of: 0x0004, in: .standard) == .null)
    }
}
