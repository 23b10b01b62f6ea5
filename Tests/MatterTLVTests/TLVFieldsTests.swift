import MatterBase
import TestSupport
import Testing

@Suite("TLVFields")
struct TLVFieldsTests {
    let fields: TLVFields

    init() throws {
        // {0: 5u, 1: 5i, 2: -1, 3: "x", 4: octets 0102, 5: true, 6: [1], 7: {0: 1}, 8: null, 9: 300u}
        fields = try TLVFields(
            decoding: hex(
                "15 24 00 05 20 01 05 20 02 FF 2C 03 01 78 30 04 02 01 02 29 05 36 06 04 01 18 35 07 24 00 01 18 34 08 25 09 2C 01 18"
            ), "Sample")
    }

    @Test("an unsigned field may be written as a signed number that fits")
    func unsigned() throws {
        #expect(try fields.unsigned(0, as: UInt8.self) == 5)
        #expect(try fields.unsigned(1, as: UInt8.self) == 5)
        #expect(try fields.unsigned(9, as: UInt16.self) == 300)
        #expect(code { _ = try fields.unsigned(2, as: UInt8.self) } == .outOfRange)
        #expect(code { _ = try fields.unsigned(9, as: UInt8.self) } == .outOfRange)
    }

    @Test("each accessor gives its type and refuses the others")
    func types() throws {
        #expect(try fields.string(3) == "x")
        #expect(try fields.octets(4, count: 2) == [1, 2])
        #expect(try fields.bool(5))
        #expect(try fields.array(6) == [.uint(1)])
        #expect(try fields.fields(7, "Inner").unsigned(0, as: UInt8.self) == 1)
        #expect(fields[8] == .null)
        #expect(code { _ = try fields.string(0) } == .wrongType)
        #expect(code { _ = try fields.octets(3) } == .wrongType)
        #expect(code { _ = try fields.bool(0) } == .wrongType)
        #expect(code { _ = try fields.array(7) } == .wrongType)
        #expect(code { _ = try fields.fields(6, "Inner") } == .wrongType)
        #expect(code { _ = try fields.octets(4, count: 3) } == .outOfRange)
    }

    @Test("a required field that is absent is named; an optional one is nil")
    func absent() throws {
        #expect(try fields.optionalString(42) == nil)
        #expect(try fields.array(42).isEmpty)
        let error = #expect(throws: TLVError.self) { try fields.string(42) }
        #expect(error?.code == .missingField)
        #expect(error?.reason.contains("Sample lacks field 42") == true)
    }

    @Test("only an anonymous structure is a message")
    func topLevel() {
        #expect(code { _ = try TLVFields(decoding: hex("16 18"), "Sample") } == .wrongType)
        #expect(code { _ = try TLVFields(decoding: hex("04 01"), "Sample") } == .wrongType)
        #expect(code { _ = try TLVFields(decoding: hex("55 01 00 18"), "Sample") } == .wrongType)
    }

    private func code(_ body: () throws -> Void) -> TLVError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? TLVError)?.code
        }
    }
}
