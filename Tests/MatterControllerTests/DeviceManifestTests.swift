import MatterBase
import MatterTestKit
import TestSupport
import Testing

@testable import MatterController
@testable import MatterCrypto

/// The text of a manifest, and nothing else.
@Suite("A manifest of devices") struct DeviceManifestTests {
    /// A code of its own for each number.
    private static func code(_ number: Int, serial: String? = nil) throws -> SetupPayload {
        var payload = SetupPayload(
            vendorID: 0xFFF1, productID: 0x8001, discoveryCapabilities: .onNetwork,
            discriminator: try SetupDiscriminator(long: UInt16(number)), passcode: try SetupPasscode(20_202_021))
        payload.extensionData.serialNumber = serial.map { .text($0) }
        return payload
    }

    private func devices(_ text: String) throws -> [DeviceManifest.Device] {
        try DeviceManifest(Array(text.utf8)).devices
    }

    /// The faults of a text as `line column id`.
    private func faults(_ text: [UInt8]) throws -> [String] {
        try #require(throws: DeviceManifestError.self) { try DeviceManifest(text) }.faults.map {
            "\($0.line) \($0.column ?? "-") \($0.id)"
        }
    }

    private func faults(_ text: String) throws -> [String] { try faults(Array(text.utf8)) }

    @Test("a table has a header, any of three separators, quotes, remarks and rows of nothing")
    func table() throws {
        let (one, two) = (try Self.code(1), try Self.code(2))
        for separator in [",", ";", "\t"] {
            let inside = separator == "\t" ? " " : separator
            let rows = [
                ["Manual code", "qr_code", "name", "VENDORID", "productId", "serialNumber", "#batch"],
                [
                    try one.formattedManualCode(), try one.qrCode(), "\"Lamp \"\"7\"\"\(inside) hall\"", "0xFFF1",
                    "32769",
                    "A-1", "x",
                ],
                ["", "", "", "", "", "", ""], ["", try two.qrCode(), "", "", "", "", ""],
            ]
            let text = "\u{FEFF}" + rows.map { $0.joined(separator: separator) }.joined(separator: "\r\n") + "\r\n\r\n"
            let found = try devices(text)
            #expect(found.map(\.line) == [2, 4])
            #expect(found.map(\.name) == ["Lamp \"7\"\(inside) hall", nil])
            #expect(found[0].vendorID == 0xFFF1 && found[0].productID == 0x8001 && found[0].serialNumber == "A-1")
            #expect(
                found[0].qrCode == one && found[0].manualCode?.passcode == one.passcode && found[1].manualCode == nil)
            #expect(try found[1].code == two && found[1].qrText == two.qrCode())
        }
    }

    @Test("lines of JSON have the same members, as texts or as numbers")
    func objects() throws {
        let code = try Self.code(3)
        let found = try devices(
            """
            {"qrCode":"\(try code.qrCode())","vendorId":65521,"productId":"0x8001","name":" Lamp ","softwareVersion":7,"#x":[1]}

            {"manualCode":"\(try code.manualCode())","address":"[fd00::1]:5540","via":"ip","discriminator":null}
            """)
        #expect(found.map(\.line) == [1, 3] && found[0].name == "Lamp" && found[0].softwareVersion == 7)
        #expect(found[0].productID == 0x8001 && found[1].via == .ip && found[1].address == "[fd00::1]:5540")
        #expect(try found[1].manualText == code.formattedManualCode() && found[1].qrText == nil)
    }

    @Test("every fault is told with its line and column, all of them at once")
    func everyFault() throws {
        let code = try Self.code(4)
        let (qr, manual) = (try code.qrCode(), try code.manualCode())
        let text = """
            qrCode,manualCode,vendorId,discriminator,name,via,address
            \(qr),34970112333,0xFFFFF,4096,a,radio,
            \(manual),\(qr),-1,,b,,
            ,,1,,c,,
            \(qr),\(manual),,,"d
            \(qr),\(manual),,,"d"x,,
            \(qr),\(manual)
            \(qr),,,,e\u{0},,
            \(qr),,0,, \(String(repeating: "n", count: 65)),,
            \(qr),,,,f,ble,[::1]:5540
            MT:Y.K90,,,,,,
            """
        #expect(
            try faults(text) == [
                "2 manualCode payload.check-digit", "2 vendorId check.manifest", "2 discriminator check.manifest",
                "2 via check.manifest", "3 qrCode check.manifest", "3 manualCode check.manifest",
                "3 vendorId check.manifest", "4 - check.manifest", "5 name check.manifest", "6 name check.manifest",
                "7 - check.manifest", "8 name check.manifest", "9 vendorId check.manifest", "9 name check.manifest",
                "10 address check.manifest", "11 qrCode payload.length",
            ])
        #expect(
            try faults(
                """
                {"qrCode":"\(qr)","vendor":1}
                {"qrCode":"\(qr)","name":[]}
                {"qrCode":"\(qr)","qrCode":"\(qr)"}
                {"qrCode":"\(qr)","QR code":"\(qr)"}
                ["\(qr)"]
                {"qrCode":
                """) == [
                    "1 vendor check.manifest", "2 name check.manifest", "3 - json.duplicate-key",
                    "4 QR code check.manifest",
                    "5 - check.manifest", "6 - json.syntax",
                ])
    }

    @Test("a header with two columns of one name, with one that means nothing or has no name, is refused")
    func header() throws {
        let qr = try Self.code(5).qrCode()
        #expect(try faults("qrCode,QR-Code\n\(qr),\(qr)") == ["1 QR-Code check.manifest"])
        #expect(try faults("qrCode,vendorIdd,\n\(qr),1,") == ["1 vendorIdd check.manifest", "1 3 check.manifest"])
        #expect(try faults("[{\"qrCode\":\"\(qr)\"}]") == ["1 - check.manifest"])
        // A file without a header has codes in its first line: they are quoted nowhere.
        let error = try #require(throws: DeviceManifestError.self) {
            try DeviceManifest(Array("\(qr),3497-011-2332\n".utf8))
        }
        #expect(error.faults.count == 1 && error.faults[0].line == 1 && !error.faults[0].reason.contains("MT:"))
        #expect(error.faults.allSatisfy { $0.column == nil })
    }

    @Test("no fault quotes a code or a passcode")
    func secrets() throws {
        let (qr, manual) = (try Self.code(6).qrCode(), try Self.code(6).manualCode())
        let text = "qrCode,manualCode,vendorId,discriminator,via\n\(manual),\(qr),\(manual),\(qr),\(manual)"
        let error = try #require(throws: DeviceManifestError.self) { try DeviceManifest(Array(text.utf8)) }
        #expect(error.faults.count == 5)
        for fault in error.faults {
            #expect(!fault.reason.contains(qr) && !fault.reason.contains(manual) && !fault.reason.contains("20202021"))
        }
    }

    @Test("a text that is huge, empty, no text, or has too many lines and faults ends with a fault")
    func hostile() throws {
        let qr = try Self.code(7).qrCode()
        #expect(try faults("").isEmpty && faults("\n \n").isEmpty && faults("qrCode\n\n").isEmpty)
        #expect(try faults([UInt8](repeating: 0x2C, count: DeviceManifest.largest + 1)) == ["1 - check.manifest"])
        #expect(try faults(Array("qrCode\n".utf8) + [0xFF, 0xFE]) == ["2 - check.manifest"])
        #expect(try faults("qrCode\n" + String(repeating: "x", count: 20_000)) == ["2 - check.manifest"])
        #expect(try faults("{\"qrCode\":" + String(repeating: "[", count: 5000)).count == 1)
        #expect(try faults("qrCode\n" + String(repeating: "x\n", count: 5000)).count == ManifestReader.mostFaults)
        let many = "qrCode\n" + String(repeating: qr + "\n", count: DeviceManifest.mostDevices + 1)
        #expect(try faults(many) == ["\(DeviceManifest.mostDevices + 2) - check.manifest"])
        #expect(try faults(Array("qrCode,name\n\(qr),\u{1B}[2J\n\(qr),\u{202E}x\n".utf8)) == ["2 name check.manifest"])
    }

    @Test("random bytes and mutated tables end in devices or in faults")
    func random() throws {
        let text = Array("qrCode,name,vendorId\n\(try Self.code(8).qrCode()),\"a\"\"b\",1\n".utf8)
        var generator = SeededGenerator(seed: 7)
        for round in 0..<4000 {
            var bytes =
                round % 2 == 0
                ? text
                : (0..<Int.random(in: 0..<80, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }
            for _ in 0..<3 where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            do { _ = try DeviceManifest(bytes) } catch { #expect(error.faults.count <= ManifestReader.mostFaults + 20) }
        }
    }

    @Test("a device knows the line of an earlier one with its code or serial number")
    func repetitions() throws {
        let (one, two) = (try Self.code(9).qrCode(), try Self.code(10).qrCode())
        let found = try devices("qrCode,serialNumber\n\(one),A\n\(two),A\n\(one),B\n")
        #expect(found.map(\.lineOfSameCode) == [nil, nil, 2] && found.map(\.lineOfSameSerial) == [nil, 2, nil])
    }
}
