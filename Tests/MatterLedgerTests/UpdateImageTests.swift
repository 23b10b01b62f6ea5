import Foundation
import MatterCrypto
import MatterTestKit
import Testing

@testable import MatterLedger

@Suite("Firmware images") struct UpdateImageTests {
    private static func entry(_ more: String, version: UInt32 = 2) async throws -> ModelVersion {
        let query: LedgerQuery<ModelVersion> = .version(0xFFF1, 0x8001, version)
        return try await answer(
            query, #"{"modelVersion":{"softwareVersion":\#(version),"softwareVersionValid":true\#(more)}}"#)
    }

    @Test("a header is read, and its digest compared, of every kind", arguments: ImageDigest.allCases)
    func sound(digest: ImageDigest) throws {
        var image = FirmwareImage()
        image.digestType = digest
        (image.least, image.most) = (1, 7)
        let read = try UpdateImage(image.octets)
        #expect(read.vendorID == 0xFFF1 && read.productID == 0x8001 && read.version == 2 && read.versionText == "2.0")
        #expect(read.applicable == 1...7 && read.octets == image.octets)
    }

    @Test("digests are those of the standards")
    func digests() {
        // Of "abc": FIPS 180-4 and FIPS 202, their examples.
        let expected: [ImageDigest: String] = [
            .sha256: "ba7816bf8f01cfea", .sha384: "cb00753f45a35e8b", .sha512: "ddaf35a193617aba",
            .sha3With224: "e642824c3f8cf24a", .sha3With256: "3a985da74fe225b2", .sha3With384: "ec01498288516fc9",
            .sha3With512: "b751850b1a57168a", .sha256First32: "ba7816bf",
        ]
        for (kind, start) in expected {
            let digest = kind.digest(of: Array("abc".utf8)) ?? []
            #expect(digest.count == kind.count)
            #expect(digest.prefix(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == start)
        }
    }

    @Test("an image that is cut off anywhere is refused")
    func cut() {
        let whole = FirmwareImage().octets
        for count in 0..<whole.count {
            #expect(throws: UpdateImageError.self) { try UpdateImage(Array(whole.prefix(count))) }
        }
        #expect(throws: UpdateImageError.self) { try UpdateImage(whole + [0]) }
    }

    @Test("an image with another magic, size, digest or header is refused")
    func wrong() {
        func refuses(_ change: (inout FirmwareImage) -> Void) {
            var image = FirmwareImage()
            change(&image)
            #expect(throws: UpdateImageError.self) { try UpdateImage(image.octets) }
        }
        refuses { $0.magic = 1 }
        refuses { $0.payloadSize = 3 }
        refuses { $0.digest = [1, 2, 3] }
        refuses { ($0.least, $0.most) = (3, 2) }
        // The length of the header, larger than the file.
        var octets = FirmwareImage().octets
        octets[13] = 0x0F
        #expect(throws: UpdateImageError.self) { try UpdateImage(octets) }
    }

    @Test("the ledger's checksum decides, and without one the size does")
    func ledger() async throws {
        let image = try UpdateImage(FirmwareImage().octets)
        func base64(_ octets: [UInt8]) -> String { Data(octets).base64EncodedString() }
        let right = base64(SHA256.hash(image.octets))
        let other = base64(SHA256.hash([1]))
        let size = image.octets.count
        try image.check(
            against: try await Self.entry(#","otaChecksum":"\#(right)","otaChecksumType":1,"otaFileSize":"7""#),
            vendorID: 0xFFF1, productID: 0x8001)
        try image.check(
            against: try await Self.entry(#","otaFileSize":"\#(size)""#), vendorID: 0xFFF1, productID: 0x8001)
        for more in [
            #","otaChecksum":"\#(other)","otaChecksumType":1"#, #","otaChecksum":"\#(right)","otaChecksumType":77"#,
            #","otaFileSize":"7""#,
        ] {
            let entry = try await Self.entry(more)
            #expect(throws: UpdateImageError.self) {
                try image.check(against: entry, vendorID: 0xFFF1, productID: 0x8001)
            }
        }
        let plain = try await Self.entry("")
        for (vendorID, productID) in [(0xFFF2, 0x8001), (0xFFF1, 0x8002)] as [(UInt16, UInt16)] {
            #expect(throws: UpdateImageError.self) {
                try image.check(against: plain, vendorID: vendorID, productID: productID)
            }
        }
        let third = try await Self.entry("", version: 3)
        #expect(throws: UpdateImageError.self) { try image.check(against: third, vendorID: 0xFFF1, productID: 0x8001) }
    }

    @Test("an image for several products needs the ledger's checksum")
    func several() async throws {
        var firmware = FirmwareImage()
        firmware.productID = 0
        let image = try UpdateImage(firmware.octets)
        let checksum = Data(SHA256.hash(image.octets)).base64EncodedString()
        try image.check(
            against: try await Self.entry(#","otaChecksum":"\#(checksum)","otaChecksumType":1"#), vendorID: 0xFFF1,
            productID: 0x8001)
        let plain = try await Self.entry("")
        #expect(throws: UpdateImageError.self) { try image.check(against: plain, vendorID: 0xFFF1, productID: 0x8001) }
    }
}
