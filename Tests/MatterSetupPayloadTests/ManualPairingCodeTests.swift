import TestSupport
import Testing

@testable import MatterCrypto

@Suite("manual pairing code")
struct ManualPairingCodeTests {
    @Test("the well-known test code")
    func wellKnown() throws {
        let payload = try #require(try SetupPayload.parse("34970112332").first)
        #expect(payload.passcode.value == 20_202_021 && payload.discriminator.short == 15)
        #expect(payload.discriminator.long == nil && payload.vendorID == nil && payload.discoveryCapabilities == nil)
        #expect(payload.commissioningFlow == .standard)
        #expect(try payload.manualCode() == "34970112332")
        #expect(try payload.formattedManualCode() == "3497-011-2332")
    }

    @Test("the long form carries vendor and product and means a flow of its own")
    func long() throws {
        let payload = SetupPayload(
            vendorID: 0xFFF1, productID: 0x8001, commissioningFlow: .custom,
            discriminator: try SetupDiscriminator(long: 0xFFF), passcode: try SetupPasscode(20_202_021))
        let code = try payload.manualCode()
        #expect(code.count == 21 && code.hasPrefix("74970112336552132769"))
        let read = try #require(try SetupPayload.parse(code).first)
        #expect(read.vendorID == 0xFFF1 && read.productID == 0x8001 && read.commissioningFlow == .custom)
        #expect(try payload.manualCode(withIDs: false) == "34970112332")
        #expect(try payload.formattedManualCode().count == 25)
    }

    @Test(
        "blanks and dashes of all kinds are allowed",
        arguments: [
            "3497-011-2332", " 3497 011 2332\n", "3497\u{2011}011\u{2013}2332", "34970\u{A0}112332",
            "- 3-4-9-7-0-1-1-2-3-3-2 -",
        ])
    func separators(_ text: String) throws {
        #expect(try SetupPayload.parse(text).first?.passcode.value == 20_202_021)
    }

    @Test("every code with one wrong digit or two neighbours swapped is refused")
    func typingErrors() throws {
        for code in ["34970112332", "749701123365521327694"] {
            let digits = Array(code)
            for index in digits.indices {
                for other in "0123456789" where other != digits[index] {
                    var wrong = digits
                    wrong[index] = other
                    let error = #expect(throws: SetupPayloadError.self) { try SetupPayload.parse(String(wrong)) }
                    #expect(error?.code == .checkDigit && error?.reason.contains("probably a typing error") == true)
                }
                if index > 0, digits[index] != digits[index - 1] {
                    var swapped = digits
                    swapped.swapAt(index, index - 1)
                    #expect(throws: SetupPayloadError.self) { try SetupPayload.parse(String(swapped)) }
                }
            }
        }
    }

    /// A code with the right check digit.
    func checked(_ digits: String) -> String {
        digits + String(Verhoeff.checkDigit(for: digits.compactMap { $0.wholeNumberValue.map(UInt8.init) }))
    }

    @Test("a fault is reported by its kind")
    func faults() {
        let faults: [(String, SetupPayloadError.Code)] = [
            ("3497011233", .length), ("349701123320", .length), ("3", .length), (checked("8497011233"), .group),
            (checked("7497011233"), .length), (checked("34970112336552132769"), .length),
            (checked("3655360001"), .group),
            (checked("3000018192"), .group), (checked("3491520000"), .passcode), (checked("3999999999"), .group),
            (checked("74970112336553632769"), .group), (checked("74970112336552165536"), .group),
            (checked("74970112336552532769"), .vendorID), (checked("74970112336552100000"), .productID),
            ("3497.011.2332", .character), ("3497O112332", .character), ("3497０112332", .character),
        ]
        for (code, expected) in faults {
            let error = #expect(throws: SetupPayloadError.self, "\(code)") { try SetupPayload.parse(code) }
            #expect(error?.code == expected, "\(code): \(error?.reason ?? "")")
        }
    }

    @Test("an error names the wrong character and where it stands")
    func position() {
        let error = #expect(throws: SetupPayloadError.self) { try SetupPayload.parse("3497-O11-2332") }
        #expect(error?.position == 6 && error?.reason == "character 6, 'O', is not a digit")
    }

    @Test("codes without ids in the long form are read as they are")
    func noIDs() throws {
        let payload = try #require(try SetupPayload.parse(checked("74970112330000000000")).first)
        #expect(payload.vendorID == nil && payload.productID == nil)
        #expect(try payload.manualCode() == checked("74970112330000000000"))
    }
}

@Suite("Verhoeff")
struct VerhoeffTests {
    @Test(
        "published examples",
        arguments: [([2, 3, 6], 3), ([1, 2, 3, 4, 5], 1), ([1, 4, 2, 8, 5, 7], 0)] as [([UInt8], UInt8)])
    func examples(_ digits: [UInt8], _ check: UInt8) {
        #expect(Verhoeff.checkDigit(for: digits) == check)
    }
}
