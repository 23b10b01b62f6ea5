import Foundation
import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto

@Suite("trust store")
struct TrustStoreTests {
    /// A root as a file of either form.
    static func root(_ commonName: String = "Root") throws -> [UInt8] {
        var device = try TestDevice()
        let name = AttestationName(commonName: commonName)
        device.paa.subject = name
        device.paa.issuer = name
        return try device.paa.signed(with: device.paaKey)
    }

    static func store(_ contents: [UInt8]) -> TrustStore {
        TrustStore(files: [TrustFile(path: "f", contents: contents)])
    }

    @Test("by itself it knows the Alliance's five declaration keys and no authority")
    func standard() {
        let store = TrustStore()
        #expect(store.authorities.isEmpty)
        #expect(store.declarationSigners.count == 5)
        #expect(store.declarationSigners.allSatisfy { $0.origin == .builtIn && !$0.isDevelopment })
        #expect(store.sources.first?.hasPrefix("built in: authorities 73 as of 2026-07-15") == true)
        for signer in store.declarationSigners { #expect(signer.keyIdentifier == signer.publicKey.keyIdentifier) }
    }

    @Test("development keys are there if asked for")
    func development() {
        let store = TrustStore(allowTestDevices: true)
        #expect(store.authorities.map(\.subject.description) == ["CN=Matter Test PAA, VID=FFF1", "CN=Matter Test PAA"])
        #expect(store.authorities.allSatisfy { $0.isDevelopment && $0.keyIdentifier == $0.publicKey.keyIdentifier })
        #expect(store.declarationSigners.count == 6)
        #expect(store.declarationSigners.last?.isDevelopment == true)
    }

    @Test("roots are taken from DER and from PEM with several blocks; a root that is there is not taken twice")
    func files() throws {
        let roots = try (1...2).map { try Self.root("Root \($0)") }
        let pem = roots.map { PEM.encode($0, label: PEM.certificate) }.joined(separator: "text between\n")
        let store = TrustStore(files: [
            TrustFile(path: "1.der", contents: roots[0]), TrustFile(path: "both.pem", contents: Array(pem.utf8)),
        ])
        #expect(store.authorities.map(\.subject.description) == ["CN=Root 1", "CN=Root 2"])
        #expect(store.authorities.map(\.origin) == [.directory(file: "1.der"), .directory(file: "both.pem")])
        #expect(store.unusable.isEmpty)
        #expect(store.sources.last == "named folder: authorities 2, declaration keys 0, unusable files 0")
    }

    @Test("files that do not serve are named with the reason, and the others still serve")
    func unusable() throws {
        let device = try TestDevice()
        var forged = device.paa
        forged.serialNumber = [1]
        let key = PEM.encode([1, 2, 3], label: "EC PRIVATE KEY")
        let store = TrustStore(files: [
            TrustFile(path: "readme.txt", contents: Array("hello".utf8)), TrustFile(path: "empty", contents: []),
            TrustFile(path: "key.pem", contents: Array(key.utf8)),
            TrustFile(path: "cut.pem", contents: Array("-----BEGIN CERTIFICATE-----\nAA".utf8)),
            TrustFile(path: "cut.der", contents: Array(try Self.root().dropLast())),
            TrustFile(path: "big.der", contents: [UInt8](repeating: 0x30, count: TrustStore.maximumFileCount + 1)),
            TrustFile(path: "forged.der", contents: try forged.signed(with: device.dacKey)),
            TrustFile(path: "pai.der", contents: try device.pai.signed(with: device.paaKey)),
            TrustFile(path: "dac.der", contents: try device.dac.signed(with: device.paiKey)),
            TrustFile(path: "root.der", contents: try Self.root()),
        ])
        #expect(
            store.unusable.map(\.path) == [
                "readme.txt", "empty", "key.pem", "cut.pem", "cut.der", "big.der", "forged.der", "pai.der", "dac.der",
            ])
        #expect(store.unusable.allSatisfy { !$0.reason.isEmpty })
        #expect(store.authorities.count == 1)
        #expect(store.declarationSigners.count == 5)
    }

    @Test("a root without authority or without key identifier does not serve")
    func wrongRoots() throws {
        var device = try TestDevice()
        device.paa.extensions[0] = .basicConstraints(BasicConstraints(isCA: false))
        #expect(Self.store(try device.paa.signed(with: device.paaKey)).authorities.isEmpty)
        device = try TestDevice()
        device.paa.extensions.remove(at: 2)
        #expect(Self.store(try device.paa.signed(with: device.paaKey)).authorities.isEmpty)
    }

    @Test(
        "a root that speaks of declarations is neither an authority nor, by its name alone, a signer",
        arguments: [
            ("Acme CD Signing Authority", true), ("Acme CD-Signer 1", true),
            ("Acme Certification Declaration Key", true),
            ("Acme PAA", false), ("ACDC PAA", false), ("Acme CD PAA", false),
        ])
    func names(name: String, isRefused: Bool) throws {
        let store = Self.store(try Self.root(name))
        #expect(store.authorities.isEmpty == isRefused)
        #expect(store.declarationSigners.count == 5)
        #expect(store.unusable.count == (isRefused ? 1 : 0))
        #expect(store.unusable.allSatisfy { $0.reason.contains(TrustDirectory.signersFolder) })
    }

    @Test("a plain signing certificate is no signer of declarations")
    func plainSigner() throws {
        var device = try TestDevice()
        device.dac.subject = AttestationName(commonName: "Acme")
        let store = Self.store(try device.dac.signed(with: device.paiKey))
        #expect(store.declarationSigners.count == 5)
        #expect(store.unusable.count == 1)
    }

    /// The certificate of a device's declaration key, signed by itself, and the root of the device.
    static func signerAndRoot(_ device: TestDevice) throws -> (signer: [UInt8], root: [UInt8]) {
        let name = AttestationName(commonName: "Acme CD Signing")
        let key = device.declarationKey
        let certificate = try AttestationCertificateTemplate(
            .paa, subject: name, publicKey: key.publicKey, issuer: name, issuerKey: key.publicKey,
            validity: device.paa.validity, random: TestDevice.random
        ).signed(with: key)
        return (certificate, try device.paa.signed(with: device.paaKey))
    }

    @Test("a declaration by a signer of the folder for signers is accepted, by one beside the roots it is not")
    func signerOfFolder() throws {
        let device = try TestDevice()
        let (signer, root) = try Self.signerAndRoot(device)
        func store(_ purpose: TrustFile.Purpose) -> TrustStore {
            TrustStore(files: [
                TrustFile(path: "cd.der", contents: signer, purpose: purpose),
                TrustFile(path: "root.der", contents: root),
            ])
        }
        #expect(try device.verify(trust: store(.declarationSigners)).verdict == .trusted)
        let refused = try device.verify(trust: store(.authorities))
        #expect(refused.result == .declarationNoCertificateFound)
        #expect(refused.hint == .step("attestation.add-signer", TrustDirectory.signersFolder))
    }

    @Test("the sub-folder for signers is read with the folder, and nothing below it")
    func signersFolder() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "trust-\(UInt64.random(in: 0...(.max)))")
        defer { try? FileManager.default.removeItem(at: folder) }
        let signers = folder.appendingPathComponent(TrustDirectory.signersFolder)
        let below = signers.appendingPathComponent(TrustDirectory.signersFolder)
        try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
        let device = try TestDevice()
        let (signer, root) = try Self.signerAndRoot(device)
        try Data(signer).write(to: signers.appendingPathComponent("signer.der"))
        try Data(signer).write(to: below.appendingPathComponent("deeper.der"))
        try Data(root).write(to: folder.appendingPathComponent("root.der"))
        let (files, unreadable) = try TrustDirectory.read(folder.path)
        #expect(files.map(\.purpose) == [.declarationSigners, .authorities])
        #expect(unreadable.map(\.path) == [below.path])
        #expect(try device.verify(trust: TrustStore(files: files)).verdict == .trusted)
    }

    @Test("a folder is read without its hidden files, and what is no file is named")
    func directory() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "trust-\(UInt64.random(in: 0...(.max)))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(try Self.root()).write(to: folder.appendingPathComponent("b.der"))
        try Data("x".utf8).write(to: folder.appendingPathComponent("a.txt"))
        try Data("x".utf8).write(to: folder.appendingPathComponent(".hidden"))
        try Data(count: TrustStore.maximumFileCount + 1).write(to: folder.appendingPathComponent("long"))
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("sub"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent("dangling").path, withDestinationPath: "/nowhere/at/all")
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent("link").path, withDestinationPath: "b.der")
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent("device").path, withDestinationPath: "/dev/zero")

        let (files, unreadable) = try TrustDirectory.read(folder.path)
        #expect(files.map { URL(fileURLWithPath: $0.path).lastPathComponent } == ["a.txt", "b.der", "link"])
        #expect(
            unreadable.map { URL(fileURLWithPath: $0.path).lastPathComponent } == ["dangling", "device", "long", "sub"])
        let store = TrustStore(files: files, unreadable: unreadable)
        #expect(store.authorities.count == 1)
        #expect(store.unusable.count == 5)
    }

    @Test("a folder that is not there is an error")
    func missingDirectory() {
        let error = #expect(throws: AttestationError.self) { try TrustDirectory.read("/nowhere/at/all") }
        #expect(error?.code == .unreadableTrust)
    }
}
