import Foundation
import TestSupport
import Testing

@testable import MatterController
@testable import MatterCrypto

@Suite("Thread datasets") struct ThreadDatasetTests {
    /// The entries of a dataset as a border router prints it.
    private static let entries: [(type: UInt8, value: String)] = [
        (14, "0000000000010000"), (0, "00000f"), (53, "0004001fffe0"), (2, "dead00beef00cafe"),
        (7, "fddead00beef0000"), (5, "00112233445566778899aabbccddeeff"), (3, "4f70656e546872656164"), (1, "1234"),
        (4, "104810e2315100afd6bc9215a6bfac53"), (12, "02a0f7f8"),
    ]

    /// The dataset with some entries instead of its own; `nil` takes one away.
    private static func dataset(_ changes: [UInt8: String?] = [:]) -> [UInt8] {
        let own = entries.compactMap { entry -> (UInt8, [UInt8])? in
            (changes[entry.type] ?? entry.value).map { (entry.type, hex($0)) }
        }
        let more = changes.filter { change in !entries.contains { $0.type == change.key } }.sorted { $0.key < $1.key }
            .compactMap { change in change.value.map { (change.key, hex($0)) } }
        return (own + more).flatMap { [$0.0, UInt8($0.1.count)] + $0.1 }
    }

    private static func error(_ bytes: [UInt8]) -> ThreadDatasetError? {
        do {
            _ = try ThreadDataset(decoding: bytes)
            return nil
        } catch {
            return error
        }
    }

    private static func error(_ text: String) -> ThreadDatasetError? {
        do {
            _ = try ThreadDataset(parsing: text)
            return nil
        } catch {
            return error
        }
    }

    @Test("the entries are read, and the bytes stay as they were given, unknown entries with them")
    func decode() throws {
        let bytes = Self.dataset([74: "000012", 200: ""])
        let dataset = try ThreadDataset(decoding: bytes)
        #expect(dataset.encoded.copyBytes() == bytes && dataset.otherTypes == [74, 200])
        #expect(dataset.networkName == "OpenThread" && dataset.channel == 15 && dataset.panID == 0x1234)
        #expect(dataset.extendedPANID == hex("dead00beef00cafe") && dataset.activeTimestamp == 1)
        #expect(dataset.meshLocalPrefix == hex("fddead00beef0000") && dataset.channelMask == Array(11...26))
        #expect(dataset.keyRotation == 672 && dataset.securityFlags == hex("f7f8") && dataset.hasPSKc)
        #expect(dataset.warnings.isEmpty)
    }

    @Test("a dataset is read in all forms that people have it in")
    func texts() throws {
        let bytes = Self.dataset()
        let digits = hexString(bytes)
        let base64 = Data(bytes).base64EncodedString()
        let spaced = stride(from: 0, to: digits.count, by: 2).map { digits.dropFirst($0).prefix(2) }
        for text in [
            digits, digits.uppercased(), "hex:" + digits, "  \(digits)\n", spaced.joined(separator: ":"),
            spaced.joined(separator: " \n"), base64, base64 + "\n",
        ] {
            #expect(try ThreadDataset(parsing: text).encoded.copyBytes() == bytes, "\(text)")
        }
        #expect(try ThreadDataset(parsing: digits).secretText == digits)
    }

    @Test(
        "a dataset without which no device can join is refused, by the name of what is missing",
        arguments: [(0, "channel"), (1, "PAN id"), (2, "extended PAN id"), (5, "network key")] as [(UInt8, String)])
    func incomplete(type: UInt8, name: String) {
        let error = Self.error(Self.dataset([type: nil]))
        #expect(error?.code == .incomplete && error?.reason == "the dataset lacks: \(name)")
    }

    @Test("what many devices want to have is warned about")
    func warnings() throws {
        #expect(
            try ThreadDataset(decoding: Self.dataset([14: nil, 3: nil])).warnings == [
                "the dataset has no network name, no active timestamp: many devices refuse such a dataset"
            ])
    }

    @Test(
        "values that Thread does not allow",
        arguments: [
            (1, "ffff", "PAN id FFFF"), (0, "00000a", "channel 10"), (0, "00001b", "channel 27"),
            (53, "00040000ffe0", "channel mask"), (7, "fe80000000000000", "fd"), (3, "ff", "UTF-8"),
            (51, "0000000000020000", "pending"), (52, "00007530", "pending"),
        ] as [(UInt8, String, String)])
    func values(type: UInt8, value: String, part: String) {
        let error = Self.error(Self.dataset([type: value]))
        #expect(error?.code == .invalidValue && error?.reason.contains(part) == true, "\(String(describing: error))")
    }

    @Test(
        "entries of a wrong length are refused with their offset",
        arguments: [
            (0, "0f"), (1, "12"), (2, "00"), (3, ""), (4, "00"), (5, "0011"), (7, "fd"), (12, "02a0"), (14, "00"),
            (3, "4141414141414141414141414141414141"), (53, "0008001f"),
        ] as [(UInt8, String)])
    func lengths(type: UInt8, value: String) {
        let bytes = Self.dataset([type: value])
        let error = Self.error(bytes)
        #expect(error?.code == .malformed && error?.offset.map { bytes[$0] } == type, "\(String(describing: error))")
    }

    @Test("a dataset that is cut off anywhere is refused, and never with its key")
    func cut() throws {
        // The key is last, so that every part lacks something.
        let bytes = Self.dataset([5: nil]) + [5, 16] + hex("00112233445566778899aabbccddeeff")
        for count in 0..<bytes.count {
            let error = try #require(Self.error(Array(bytes.prefix(count))), "\(count)")
            #expect(error.code == .malformed || error.code == .incomplete, "\(count): \(error)")
            #expect(!"\(error)\(error.hint.map { "\($0)" } ?? "")".contains("00112233"))
        }
        #expect(Self.error(bytes + bytes)?.reason.contains("twice") == true)
        #expect(Self.error([UInt8](repeating: 0, count: 255))?.reason.contains("at most 254") == true)
    }

    @Test(
        "typical mistakes have their own words",
        arguments: [
            ("", "empty"), (#"{"ActiveTimestamp":1}"#, "JSON"), ("00112233445566778899aabbccddeeff", "16 bytes"),
            ("0e0800000000000100000", "odd number"), ("hello there!", "neither"), ("hex:zz", "neither"),
            (String(repeating: "0", count: 2000), "longer than"),
        ])
    func mistakes(text: String, part: String) {
        let error = Self.error(text)
        #expect(error?.reason.contains(part) == true && error?.hint != nil, "\(String(describing: error))")
    }

    @Test("a new dataset is complete, in the asked channel, and no two are alike")
    func make() throws {
        let first = try ThreadDataset(name: "MyHome", channel: 11, random: SystemRandom())
        #expect(first.networkName == "MyHome" && first.channel == 11 && first.warnings.isEmpty && first.hasPSKc)
        #expect(try ThreadDataset(decoding: first.encoded.copyBytes()) == first)
        let second = try ThreadDataset(name: "MyHome", random: SystemRandom())
        #expect([15, 20, 25].contains(second.channel) && second.extendedPANID != first.extendedPANID)
        #expect(second.encoded != first.encoded)
        #expect(throws: ThreadDatasetError.self) { try ThreadDataset(name: "", random: SystemRandom()) }
        #expect(throws: ThreadDatasetError.self) { try ThreadDataset(name: "x", channel: 10, random: SystemRandom()) }
        #expect(throws: ThreadDatasetError.self) {
            try ThreadDataset(name: "x", passphrase: SecretBytes("short".utf8), random: SystemRandom())
        }
    }

    @Test("the PSKc of a new dataset comes from the passphrase, the name and the extended PAN id")
    func passphrase() throws {
        let dataset = try ThreadDataset(name: "Net", passphrase: SecretBytes("J01NME".utf8), random: SystemRandom())
        let pskc = try PBKDF2.aesCMAC(
            password: SecretBytes("J01NME".utf8),
            salt: Array("Thread".utf8) + dataset.extendedPANID + Array("Net".utf8), iterations: 16_384)
        #expect(dataset.secretText.contains("0410" + hexString(pskc.copyBytes())))
    }
}
