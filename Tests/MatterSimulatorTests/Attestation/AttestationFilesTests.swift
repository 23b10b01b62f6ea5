import Foundation
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterSimulator

@Suite("Attestation credentials from files", .beside)
struct AttestationFilesTests {
    private let credentials: DeviceAttestationCredentials
    private let folder: URL

    init() throws {
        credentials = try NodeBench.Fixture.shared.get().attestation
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("attestation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func write(_ files: [(String, [UInt8])]) throws {
        for (name, octets) in files { try Data(octets).write(to: folder.appendingPathComponent(name)) }
    }

    private var scalar: [UInt8] { credentials.key.scalar.copyBytes() }

    private func pem(_ label: String, _ der: [UInt8]) -> [UInt8] {
        let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return Array("-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n".utf8)
    }

    private func load(_ place: URL) throws -> DeviceAttestationCredentials {
        try AttestationFiles(reading: place.path).credentials(place.path)
    }

    private func check() throws {
        let loaded = try load(folder)
        #expect(loaded.dac == credentials.dac)
        #expect(loaded.pai == credentials.pai)
        #expect(loaded.certificationDeclaration == credentials.certificationDeclaration)
        #expect(loaded.key.publicKey == credentials.key.publicKey)
    }

    @Test("a folder with DER, and what else may lie in it")
    func binary() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write([
            ("my-DAC.der", credentials.dac), ("my-PAI.der", credentials.pai), ("paa.der", [1]), ("pai-key.der", [2]),
            ("CD.der", credentials.certificationDeclaration), ("dac.key", scalar), (".dac", [3]), ("README", [4]),
        ])
        try check()
    }

    @Test("a folder with PEM")
    func text() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write([
            ("dac.pem", pem("CERTIFICATE", credentials.dac)), ("pai.pem", pem("CERTIFICATE", credentials.pai)),
            ("declaration.der", credentials.certificationDeclaration), ("key.bin", scalar),
        ])
        try check()
    }

    @Test("what is missing, ambiguous or malformed is named")
    func refusals() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let good = [
            ("dac.der", credentials.dac), ("pai.der", credentials.pai),
            ("cd.der", credentials.certificationDeclaration),
            ("dac.key", scalar),
        ]
        func refusal(_ files: [(String, [UInt8])]) throws -> String {
            try FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try write(files)
            do {
                _ = try load(folder)
                return ""
            } catch let error as SimulatorError {
                #expect(error.code == .invalidAttestation)
                return error.reason
            } catch let error as AttestationError {
                #expect(error.code == .unreadableFiles)
                return error.reason
            }
        }
        #expect(try refusal(good).isEmpty)
        #expect(try refusal(Array(good.dropFirst())).contains("device certificate"))
        #expect(try refusal(good + [("other-pai.der", [1])]).contains("2 files that could be the intermediate"))
        #expect(try refusal(Array(good.dropLast())).contains("no file or member that is the key"))
        #expect(try refusal(Array(good.dropLast()) + [("dac.key", [1, 2, 3])]).contains("cannot be read"))
        #expect(
            try refusal(Array(good.dropFirst()) + [("dac.der", Array("none".utf8))]).contains("neither DER nor PEM"))
        #expect(
            try refusal(Array(good.dropFirst()) + [("dac.der", Array(repeating: 0x30, count: 1 << 21))]).contains(
                "1 MiB"))
    }

    @Test("a file with JSON")
    func json() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        func digits(_ octets: [UInt8]) -> String { octets.map { String(format: "%02x", $0) }.joined() }
        let file = folder.appendingPathComponent("credentials.json")
        let members = [
            "dac_cert": digits(credentials.dac), "pai_cert": digits(credentials.pai),
            "cd": digits(credentials.certificationDeclaration), "dac_private_key": digits(scalar),
        ]
        try JSONEncoder().encode(members).write(to: file)
        #expect(try load(file).dac == credentials.dac)
        #expect(try load(file).key.publicKey == credentials.key.publicKey)
        let parts = ["dac_cert": "(dac)", "pai_cert": "(pai)", "cd": "(cd)", "dac_private_key": "key"]
        for (name, part) in parts {
            try JSONEncoder().encode(members.filter { $0.key != name }).write(to: file)
            let missing = #expect(throws: SimulatorError.self) { try load(file) }
            #expect(missing?.reason.hasSuffix(part) == true)
            try JSONEncoder().encode(members.merging([name: "xyz"]) { $1 }).write(to: file)
            let malformed = #expect(throws: AttestationError.self) { try load(file) }
            #expect(malformed?.reason.contains("'\(name)'") == true)
        }
    }
}
