import MatterBase
import MatterModel
import Testing

@Suite("A structure that is read field by field")
struct PartialStructureTests {
    private typealias User = DoorLock.GetUserResponse
    private typealias Field = DoorLock.GetUserResponse.Field

    private static let user = TLVValue.structure([
        TLVElement(0, .uint(7)), TLVElement(1, .bool(true)), TLVElement(2, .null), TLVElement(3, .int(1)),
        TLVElement(
            6,
            .array(of: [
                .structure([TLVElement(0, .uint(1)), TLVElement(1, .uint(3))]), .string("no credential"),
                .structure([TLVElement(1, .uint(4))]),
            ])),
        TLVElement(99, .string("of a later revision")),
    ])

    private let partial: PartialStructure<DoorLock.GetUserResponse>

    init() throws { partial = try #require(PartialStructure(tlv: Self.user)) }

    @Test("Fields that are there have their type, also a small number that is encoded as a signed one")
    func present() {
        #expect(partial[Field.userIndex] == 7)
        #expect(partial[Field.userStatus] == .occupiedEnabled)
    }

    @Test("What is missing, null or of another type is nil, and spoils nothing else")
    func absent() {
        #expect(partial[Field.userName] == nil)
        #expect(partial[Field.userUniqueID] == nil)
        #expect(partial[Field.userType] == nil)
        #expect(User(tlv: Self.user) == nil)
    }

    @Test("A field that has to be there says why it is not, and which it is")
    func required() {
        #expect(throws: TLVError(.missingField, "the answer lacks field 4")) {
            try partial.required(Field.userType, in: "the answer")
        }
        #expect(throws: TLVError(.wrongType, "GetUserResponse field 1 is of another type")) {
            try partial.required(Field.userName)
        }
        #expect(throws: TLVError(.missingField, "GetUserResponse lacks field 2")) {
            try partial.required(Field.userUniqueID)
        }
    }

    @Test("A field that may be left out is nil for null, and an error if it is of another type")
    func optional() throws {
        #expect(try partial.optional(Field.userUniqueID) == nil)
        #expect(try partial.optional(Field.userType) == nil)
        #expect(throws: TLVError.self) { try partial.optional(Field.userName) }
    }

    @Test("A list keeps the members that are of the type")
    func lists() {
        #expect(partial[Field.credentials] == nil)
        #expect(
            partial.members(Field.credentials) == [DoorLock.Credential(credentialType: .pin, credentialIndex: 3)])
        #expect(
            partial.partialMembers(Field.credentials).map { $0[DoorLock.Credential.Field.credentialIndex] } == [3, 4])
    }

    @Test("A structure in a field is read field by field too")
    func nested() throws {
        typealias KeySet = GroupKeyManagement.GroupKeySet.Field
        let answer = try #require(
            PartialStructure<GroupKeyManagement.KeySetReadResponse>(
                tlv: .structure([TLVElement(0, .structure([TLVElement(3, .uint(12))]))])))
        let keySet = answer[partial: GroupKeyManagement.KeySetReadResponse.Field.groupKeySet]
        #expect(keySet?[KeySet.epochStartTime0] == 12)
        #expect(keySet?[KeySet.groupKeySetID] == nil)
    }

    @Test("Another value than a structure is none", arguments: [.uint(1), .null, .string("x")] as [TLVValue])
    func other(_ value: TLVValue) {
        #expect(PartialStructure<DoorLock.GetUserResponse>(tlv: value) == nil)
    }
}
