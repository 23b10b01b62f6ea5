import TestSupport
import Testing

@testable import MatterCrypto

@Suite("SetupPasscode")
struct SetupPasscodeTests {
    @Test("1 to 99999998 without the trivial ones")
    func range() throws {
        for value in [1, 20_202_021, 99_999_998, 11_111_112, 12_345_679] as [UInt32] {
            #expect(try SetupPasscode(value).value == value)
        }
        let trivial = (0...9).map { UInt32($0) * 11_111_111 }
        for value in trivial + [12_345_678, 87_654_321, 99_999_999, 100_000_000, 1 << 27, .max] {
            let error = #expect(throws: SetupPayloadError.self, "\(value)") { try SetupPasscode(value) }
            #expect(
                error?.code == .passcode
                    && error?.reason.contains(String(value)) == (value == 11_111_111 || value == 12_345_678))
        }
    }

    @Test("it shows itself nowhere")
    func redaction() throws {
        let passcode = try SetupPasscode(20_202_021)
        var dumped = ""
        dump(passcode, to: &dumped)
        let payload = try #require(try SetupPayload.parse("34970112332").first)
        dump(payload, to: &dumped)
        for text in [
            "\(passcode)", String(reflecting: passcode), dumped, "\(payload)", "\([passcode])",
            "\(Optional(passcode) as Any)",
        ] {
            #expect(!text.contains("20202021"))
            #expect(!text.isEmpty)
        }
    }
}

@Suite("SetupDiscriminator")
struct SetupDiscriminatorTests {
    @Test("a long one matches itself, a short one all that share its four bits")
    func matches() throws {
        let long = try SetupDiscriminator(long: 0xABC)
        #expect(long.short == 0xA && long.matches(advertised: 0xABC) && !long.matches(advertised: 0xABD))
        let short = try SetupDiscriminator(short: 0xA)
        #expect(short.matches(advertised: 0xA00) && short.matches(advertised: 0xAFF))
        #expect(!short.matches(advertised: 0xB00) && !short.matches(advertised: 0x1A00))
    }

    @Test("numbers out of range are refused")
    func range() {
        #expect(throws: SetupPayloadError.self) { try SetupDiscriminator(long: 4096) }
        #expect(throws: SetupPayloadError.self) { try SetupDiscriminator(short: 16) }
    }
}
