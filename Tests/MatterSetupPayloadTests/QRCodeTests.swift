import TestSupport
import Testing

@testable import MatterCrypto

@Suite("QR payload")
struct QRCodeTests {
    /// The example of the specification's own tools: discriminator 3840, passcode 20202021.
    static let code = "MT:Y.K9042C00KA0648G00"

    func sample() throws -> SetupPayload {
        SetupPayload(
            vendorID: 0xFFF1, productID: 0x8001, commissioningFlow: .userIntent,
            discoveryCapabilities: [.ble, .onNetwork],
            discriminator: try SetupDiscriminator(long: 0xABC), passcode: try SetupPasscode(20_202_021))
    }

    @Test("the well-known test code")
    func wellKnown() throws {
        let payload = try #require(try SetupPayload.parse(Self.code).first)
        #expect(payload.vendorID == 0xFFF1 && payload.productID == 0x8000)
        #expect(payload.discriminator.long == 3840 && payload.discriminator.short == 15)
        #expect(payload.passcode.value == 20_202_021)
        #expect(payload.commissioningFlow == .standard)
        #expect(payload.discoveryCapabilities?.names == ["ble"])
        #expect(try payload.qrCode() == Self.code)
    }

    @Test("each field survives with its largest and smallest value")
    func fields() throws {
        for (vendor, product) in [(0, 0), (1, 1), (0xFFF4, 0xFFFF), (0xFFF0, 1)] as [(UInt16, UInt16)] {
            for flow in SetupPayload.CommissioningFlow.allCases {
                for discriminator in [0, 1, 0xFFF] as [UInt16] {
                    for passcode in [1, 99_999_998] as [UInt32] {
                        let payload = SetupPayload(
                            vendorID: vendor == 0 ? nil : vendor, productID: product == 0 ? nil : product,
                            commissioningFlow: flow, discoveryCapabilities: [.softAP, .thread],
                            discriminator: try SetupDiscriminator(long: discriminator),
                            passcode: try SetupPasscode(passcode))
                        #expect(try SetupPayload.parse(payload.qrCode()) == [payload])
                    }
                }
            }
        }
    }

    @Test("blanks around the text and foreign segments are ignored")
    func surroundings() throws {
        let expected = try SetupPayload.parse(Self.code)
        for text in [" \(Self.code)\n", "X:1%\(Self.code)%Z", "%%\(Self.code)", "\(Self.code)%"] {
            #expect(try SetupPayload.parse(text) == expected)
        }
    }

    @Test("several payloads in one code come in their order")
    func concatenated() throws {
        var second = try sample()
        second.discriminator = try SetupDiscriminator(long: 7)
        second.extensionData.serialNumber = .text("two")
        let payloads = [try sample(), second, try sample()]
        let code = try SetupPayload.qrCode(payloads)
        #expect(code.split(separator: "*").count == 3)
        #expect(try SetupPayload.parse(code) == payloads)
        #expect(try SetupPayload.parse("A%\(code)%B*C") == payloads)
    }

    /// The code with one bit of the fixed part flipped or set.
    func altered(_ change: (inout [UInt8]) -> Void) throws -> String {
        var octets = try Base38.decode(String(try sample().qrCode().dropFirst(3)))
        change(&octets)
        return "MT:" + Base38.encode(octets)
    }

    @Test("a fault is reported by its kind")
    func faults() throws {
        let faults: [(String, SetupPayloadError.Code)] = [
            (try altered { $0[0] |= 1 }, .version), (try altered { $0[10] |= 0x10 }, .padding),
            (try altered { $0[4] |= 0x18 }, .commissioningFlow),
            (
                try altered {
                    $0[0] |= 0xF8; $0[1] = 0xFF; $0[2] |= 0x07
                }, .vendorID
            ),
            (
                try altered {
                    $0[2] &= 0x07; $0[3] = 0; $0[4] &= 0xF8
                }, .productID
            ),
            (try altered { $0.removeLast() }, .length), (try altered { $0.removeAll() }, .length),
            (try altered { $0 += [0] }, .extensionData), (try altered { $0 += [0x15] }, .extensionData),
            (try altered { $0 += [0x16, 0x18] }, .extensionData),
            (try altered { $0 += [0x15, 0x18, 1] }, .extensionData),
            (Self.code + "*", .length), ("*" + Self.code, .unrecognized),
            (Self.code.replacing("MT:", with: "MT:*"), .length),
            ("MT:", .length), ("MT: ", .length), (Self.code + "0", .extensionData), (Self.code + "00", .length),
            (Self.code.lowercased(), .unrecognized),
            ("MT:" + Self.code.dropFirst(3).lowercased(), .character),
            ("MT:....." + Self.code.dropFirst(8), .group), ("", .unrecognized), ("hello", .unrecognized),
        ]
        for (code, expected) in faults {
            let error = #expect(throws: SetupPayloadError.self, "\(code)") { try SetupPayload.parse(code) }
            #expect(error?.code == expected, "\(code): \(error?.reason ?? "")")
        }
    }

    @Test("an error names the character of the text as it was given")
    func position() {
        let error = #expect(throws: SetupPayloadError.self) { try SetupPayload.parse(" X%MT:Y.K9042C00KA06$8G00") }
        #expect(error?.position == 21 && error?.reason.contains("character 21, '$'") == true)
        let second = #expect(throws: SetupPayloadError.self) {
            try SetupPayload.parse("\(Self.code)*Y.K9$42C00KA0648G00")
        }
        #expect(second?.position == 28)
        let control = #expect(throws: SetupPayloadError.self) { try SetupPayload.parse("MT:\u{1B}[1m") }
        #expect(control?.reason.contains("U+001B") == true)
    }

    @Test("text of any size is refused without much work")
    func size() {
        let error = #expect(throws: SetupPayloadError.self) {
            try SetupPayload.parse("MT:" + String(repeating: "0", count: 5000))
        }
        #expect(error?.code == .length)
    }

    @Test("a code cannot be made without what it needs")
    func unwritable() throws {
        var payload = try sample()
        payload.discriminator = try SetupDiscriminator(short: 3)
        #expect(throws: SetupPayloadError.self) { try payload.qrCode() }
        payload = try sample()
        payload.discoveryCapabilities = nil
        #expect(throws: SetupPayloadError.self) { try payload.qrCode() }
        payload.discoveryCapabilities = .init(rawValue: 0x80)
        #expect(throws: SetupPayloadError.self) { try payload.qrCode() }
        payload = try sample()
        payload.productID = nil
        #expect(throws: SetupPayloadError.self) { try payload.qrCode() }
        payload = try sample()
        payload.extensionData.vendorElements = [.init(tag: 0x80, value: .text(String(repeating: "x", count: 200)))]
        #expect(throws: SetupPayloadError.self) { try payload.qrCode() }
        #expect(throws: SetupPayloadError.self) { try SetupPayload.qrCode([]) }
    }
}

@Suite("QR payload extension data")
struct SetupExtensionDataTests {
    func parse(tlv: String) throws -> SetupExtensionData {
        let fixed = try Base38.decode(String(QRCodeTests.code.dropFirst(3)))
        return try #require(try SetupPayload.parse("MT:" + Base38.encode(fixed + hex(tlv))).first).extensionData
    }

    @Test("every element is read and written")
    func everything() throws {
        var payload = try #require(try SetupPayload.parse(QRCodeTests.code).first)
        payload.extensionData.serialNumber = .number(4_000_000_000)
        payload.extensionData.pbkdf2Iterations = 100_000
        payload.extensionData.pbkdf2Salt = Array(0..<32)
        payload.extensionData.numberOfDevices = 255
        payload.extensionData.commissioningTimeout = 900
        payload.extensionData.vendorElements = [
            .init(tag: 0x80, value: .text("Grüße")), .init(tag: 0xFF, value: .number(-2_147_483_648)),
        ]
        #expect(try SetupPayload.parse(payload.qrCode()) == [payload])
    }

    @Test("unknown elements, or of another type, are skipped")
    func unknown() throws {
        #expect(try parse(tlv: "15 18").isEmpty)
        #expect(try parse(tlv: "15 24 05 01 2C 7F 01 61 35 06 18 18").isEmpty)
        #expect(try parse(tlv: "15 29 00 2C 01 01 61 24 02 05 29 80 37 81 18 18").isEmpty)
        #expect(try parse(tlv: "15 44 00 00 05 18").isEmpty)
        #expect(
            try parse(tlv: "15 24 80 05 27 81 FF FF FF FF FF FF FF FF 18").vendorElements == [
                .init(tag: 0x80, value: .number(5))
            ])
    }

    @Test("zero octets after the structure are padding")
    func padding() throws {
        #expect(try parse(tlv: "15 24 03 02 18 00 00").numberOfDevices == 2)
        #expect(throws: SetupPayloadError.self) { try parse(tlv: "15 24 03 02 18 00 01") }
        #expect(throws: SetupPayloadError.self) { try parse(tlv: "00 00") }
    }

    @Test(
        "what is malformed or does not fit is refused",
        arguments: [
            "15 2C 00 05 61 18", "15 24 03 02", "15 25 03 00 01 18", "15 26 04 00 00 01 00 18",
            "15 27 00 00 00 00 00 01 00 00 00 18", "15 2C 00 01 FF 18", "15 24 03 01 24 03 02 18", "14", "01 02 03",
        ])
    func malformed(_ tlv: String) {
        let error = #expect(throws: SetupPayloadError.self) { try parse(tlv: tlv) }
        #expect(error?.code == .extensionData)
    }

    @Test("what the specification forbids is not written")
    func forbidden() throws {
        let changes: [(inout SetupExtensionData) -> Void] = [
            { $0.serialNumber = .text("") }, { $0.serialNumber = .text(String(repeating: "1", count: 33)) },
            { $0.pbkdf2Iterations = 1000 }, { $0.pbkdf2Salt = Array(0..<16) }, { $0.numberOfDevices = 0 },
            {
                $0.pbkdf2Iterations = 999
                $0.pbkdf2Salt = Array(0..<16)
            },
            {
                $0.pbkdf2Iterations = 1000
                $0.pbkdf2Salt = Array(0..<15)
            },
            { $0.vendorElements = [.init(tag: 0x7F, value: .number(1))] },
            { $0.vendorElements = [.init(tag: 0x80, value: .number(1)), .init(tag: 0x80, value: .number(2))] },
            { $0.vendorElements = [.init(tag: 0x80, value: .number(1 << 31))] },
        ]
        for (index, change) in changes.enumerated() {
            var payload = try #require(try SetupPayload.parse(QRCodeTests.code).first)
            change(&payload.extensionData)
            let error = #expect(throws: SetupPayloadError.self, "change \(index)") { try payload.qrCode() }
            #expect(error?.code == .extensionData)
        }
    }
}
