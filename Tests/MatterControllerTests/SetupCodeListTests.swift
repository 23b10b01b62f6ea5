import MatterBase
import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterState

/// `commission --from`: the text of the list, and nothing else.
@Suite("A list of setup codes") struct SetupCodeListTests {
    private func list(_ text: String) throws -> [SetupCodeList.Entry] { try SetupCodeList(Array(text.utf8)).entries }

    /// The faults of a list as `line id`.
    private func faults(_ text: [UInt8]) throws -> [String] {
        let error = try #require(throws: SetupCodeListError.self) { try SetupCodeList(text) }
        return error.faults.map { "\($0.line) \(($0.error as? any CodedError)?.id ?? "\($0.error)")" }
    }

    private func faults(_ text: String) throws -> [String] { try faults(Array(text.utf8)) }

    /// A QR payload of its own for each number.
    private func code(_ number: Int) throws -> String {
        try SetupPayload(
            vendorID: 0xFFF1, productID: 0x8001, discoveryCapabilities: .onNetwork,
            discriminator: try SetupDiscriminator(long: UInt16(number)), passcode: try SetupPasscode(20_202_021)
        ).qrCode()
    }

    @Test("a line is a code, a name and a room; blank lines and comments are none")
    func columns() throws {
        let entries = try list(
            """
            # the hall

            MT:-24J0AFN00KA0648G00 kitchen Kitchen   # above the table
            \t3382-060-3453\t"Hall ""big"" lamp"\t"Living room"\t# second
            \(try code(5)) - Hall\r
            """)
        #expect(entries.map(\.line) == [3, 4, 5])
        #expect(entries.map(\.name) == ["kitchen", #"Hall "big" lamp"#, nil])
        #expect(entries.map(\.room) == ["Kitchen", "Living room", "Hall"])
        #expect(entries.allSatisfy { $0.payloads.count == 1 })
        #expect(try list("\u{FEFF}34970112332").map(\.line) == [1])
    }

    @Test("every line that is wrong is told, with its number and reason; one fault costs the whole list")
    func everyFault() throws {
        let text = """
            34970112333
            34970112332 kitchen
            MT:-24J0AFN00KA0648G0 lamp
            3382-060-3453 kitchen
            \(try code(7)) a b c d
            \(try code(8)) 12
            \(try code(9)) x a/b
            \(try code(10)) "open
            \(try code(11))
            tea
            """
        #expect(
            try faults(text) == [
                "1 payload.check-digit", "3 payload.length", "4 commission.list", "5 commission.list", "6 name.invalid",
                "7 name.invalid", "8 commission.list", "10 payload.unrecognized",
            ])
        let none = try #require(throws: SetupCodeListError.self) { try list("# nothing\n\n") }
        #expect(none.faults.isEmpty && none.reason == "the list has no setup code")
    }

    @Test("two codes that may be those of one device are refused, in whichever form they are")
    func duplicates() throws {
        let both = SetupPayload(
            discriminator: try SetupDiscriminator(long: 3840), passcode: try SetupPasscode(20_202_021))
        let manual = "34970112332"
        #expect(try faults("\(manual) a\n3497-011-2332 b") == ["2 commission.list"])
        #expect(try faults("\(try qrCode(both, product: 0x8001))\n\(manual)") == ["2 commission.list"])
        let products = try [0x8001, 0x8002].map { try qrCode(both, product: $0) }
        #expect(try list(products.joined(separator: "\n")).count == 2, "they name different products")
        #expect(try list((0..<20).map { try code($0) }.joined(separator: "\n")).count == 20)
    }

    private func qrCode(_ payload: SetupPayload, product: UInt16) throws -> String {
        var payload = payload
        (payload.vendorID, payload.productID) = (0xFFF1, product)
        payload.discoveryCapabilities = .onNetwork
        return try payload.qrCode()
    }

    @Test("what is no text, too long or too much is refused without reading on for ever")
    func hostile() throws {
        #expect(try faults([0xFF, 0xFE, 0x0A] + Array("34970112332".utf8)) == ["1 commission.list"])
        #expect(try faults([0] + Array("34970112332".utf8)) == ["1 payload.unrecognized"])
        #expect(try faults(String(repeating: "3", count: 5000)) == ["1 commission.list"])
        #expect(try faults(Array(repeating: UInt8(ascii: "\""), count: 4095)) == ["1 commission.list"])
        #expect(try faults(String(repeating: "x\n", count: SetupCodeList.largest / 2)).count == 100)
        let codes = try (0...SetupCodeList.mostCodes + 1).map { try code($0) }
        #expect(try list(codes.prefix(SetupCodeList.mostCodes).joined(separator: "\n")).count == 1000)
        #expect(try faults(codes.joined(separator: "\n")) == ["1001 commission.list"])
    }

    @Test("no mutation of a list crashes, and no fault tells the passcode")
    func mutations() throws {
        let sample = Array("34970112332 kitchen Hall\n\"a b\" # x\n\(try code(3)) - \"Big \"\"room\"\"\"\n".utf8)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var text = sample
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                text[Int.random(in: text.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do {
                #expect(try SetupCodeList(text).entries.count <= 3)
            } catch {
                #expect(!error.faults.contains { "\($0.error)".contains("20202021") })
            }
        }
    }

    @Test("a program's own rule for names is a fault of the line")
    func ownRule() throws {
        struct Taken: Error {}
        let error = try #require(throws: SetupCodeListError.self) {
            try SetupCodeList(Array("34970112332 tilt".utf8)) { if $0 == "tilt" { throw Taken() } }
        }
        #expect(error.faults.count == 1 && error.faults.first?.error is Taken)
    }
}
