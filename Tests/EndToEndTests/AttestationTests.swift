import Foundation
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterSimulator

/// `simulate --attestation` serves what it is given, and `commission` judges it.
@Suite("Attestation of a virtual device", .enabled(if: Laboratory.isHere), .laboratorySlot) struct AttestationTests {
    /// Matter seconds.
    private static let now = UInt32(Date.now.timeIntervalSince1970) - 946_684_800

    /// Credentials under an authority of our own making, and what is wrong with them.
    struct Chain: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The number of the reference implementation that the refusal has.
        var number: Int
        var paiVendor = VendorID(0xFFF1)
        var dacVendor = VendorID(0xFFF1)
        var product: UInt16 = 0x8001
        var validity = CertificateValidity.unlimited(from: AttestationTests.now)
        var hasForeignKey = false

        init(_ description: String, number: Int, _ change: (inout Chain) -> Void = { _ in }) {
            (testDescription, self.number) = (description, number)
            change(&self)
        }

        /// The authority, and the credentials under it.
        func make() throws -> (authority: [UInt8], credentials: DeviceAttestationCredentials) {
            let unlimited = CertificateValidity.unlimited(from: AttestationTests.now)
            let paa = try AttestationAuthority.root(commonName: "Test PAA", key: .generate(), validity: unlimited)
            let pai = try paa.intermediate(
                commonName: "Test PAI", vendorID: paiVendor, key: .generate(), validity: unlimited)
            let key = try P256PrivateKey.generate()
            let dac = try pai.device(
                commonName: "Test DAC", vendorID: dacVendor, productID: product, publicKey: key.publicKey,
                validity: validity)
            // Only the declaration is that of a device in development.
            let development = try DeviceAttestation.credentials(
                vendorID: 0xFFF1, productID: 0x8001, deviceType: 0x0100, state: nil, now: AttestationTests.now)
            return (
                paa.certificate.der,
                DeviceAttestationCredentials(
                    dac: dac.der, pai: pai.certificate.der,
                    certificationDeclaration: development.credentials.certificationDeclaration,
                    key: hasForeignKey ? try .generate() : key)
            )
        }
    }

    /// A virtual light with such credentials.
    private struct Device {
        let folder: TemporaryFolder
        let child: Child

        /// - Parameter isFile: whether they are in one file rather than in a folder.
        init(_ credentials: DeviceAttestationCredentials, isFile: Bool = false) async throws {
            let folder = try TemporaryFolder()
            let place = folder.file("attestation")
            let scalar = credentials.key.scalar.copyBytes()
            if isFile {
                let members = [
                    "dac_cert": credentials.dac, "pai_cert": credentials.pai,
                    "cd": credentials.certificationDeclaration, "dac_private_key": scalar,
                ].mapValues { octets in octets.map { String(format: "%02x", $0) }.joined() }
                try JSONEncoder().encode(members).write(to: place)
            } else {
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                for (name, octets) in [
                    ("dac.der", credentials.dac), ("pai.der", credentials.pai),
                    ("cd.der", credentials.certificationDeclaration), ("dac-key.bin", scalar),
                ] {
                    try Data(octets).write(to: place.appendingPathComponent(name))
                }
            }
            try await self.init(folder, place.path)
        }

        /// A shared case, as it is.
        init(case path: String) async throws {
            try await self.init(TemporaryFolder(), path)
        }

        private init(_ folder: TemporaryFolder, _ place: String) async throws {
            self.folder = folder
            let child = try Child(
                Laboratory.binary,
                [
                    "simulate", "on-off-light", "--port", "0", "--mdns", "none", "--attestation", place, "--state",
                    folder.file("state").path,
                ], folder: folder)
            self.child = child
            try await eventually("the device to start: \(child.stderr)") {
                guard child.isRunning else { throw LaboratoryError("it did not start: \(child.stderr)") }
                return child.stdout.contains("\nready ")
            }
        }

        var code: String { value(of: "qr") }
        var address: String { "[\(Laboratory.nearAddress)]:\(value(of: "ready"))" }

        private func value(of key: String) -> String {
            child.stdout.split(separator: "\n").first { $0.hasPrefix(key + " ") }
                .map { String($0.dropFirst(key.count + 1)) } ?? ""
        }

        /// Each commissioner that came left it as it was: open, and its fail-safe disarmed.
        func expectOpen(_ name: String) throws {
            #expect(count("fail-safe-disarmed") == count("pase-established"), "\(name): \(child.stdout)")
            #expect(count("pase-established") > 0 && count("noc-added") == 0, "\(name): \(child.stdout)")
        }

        private func count(_ event: String) -> Int { child.stdout.components(separatedBy: event).count - 1 }

        /// Commissions it with the authority trusted that a file has.
        func commission(trusting authority: [UInt8]) async throws -> MatterCtl.Outcome {
            let trust = folder.file("trust")
            try FileManager.default.createDirectory(at: trust, withIntermediateDirectories: true)
            try Data(authority).write(to: trust.appendingPathComponent("paa.der"))
            return try await MatterCtl().run([
                "commission", code, "--address", address,
                "--trust", trust.path, "--allow-test-devices", "--json",
            ])
        }
    }

    @Test("credentials from a folder or a file take the place of its own", arguments: [false, true])
    func served(isFile: Bool) async throws {
        let (authority, credentials) = try Chain("good", number: 0).make()
        let device = try await Device(credentials, isFile: isFile)
        defer { device.child.signal(SIGTERM) }
        let stranger = try Chain("another authority", number: 101).make().authority
        let refused = try await device.commission(trusting: stranger)
        #expect(refused.status == 7, "\(refused)")
        #expect(try refused.error()["message"]?.string?.contains(" (101)") == true)
        let outcome = try await device.commission(trusting: authority)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try outcome.json()["attestation"]?["paa"]?["subject"]?.string == "CN=Test PAA")
        #expect(device.child.stdout.contains("noc-added"))
    }

    @Test(
        "credentials that do not hold: 7, with the reason, and the device is not touched",
        arguments: [
            Chain("the DAC has expired", number: 300) {
                $0.validity = CertificateValidity(notBefore: now - 7200, notAfter: now - 3600)
            },
            Chain("the DAC is not valid yet", number: 300) {
                $0.validity = CertificateValidity(notBefore: now + 3600, notAfter: now + 7200)
            },
            Chain("the DAC is another vendor's than the PAI", number: 305) { $0.dacVendor = VendorID(0xFFF2) },
            Chain("the chain is another vendor's than the declaration", number: 604) {
                $0.paiVendor = VendorID(0xFFF2)
                $0.dacVendor = VendorID(0xFFF2)
            },
            Chain("the DAC is another product's than the declaration", number: 605) { $0.product = 0x8002 },
            Chain("the key is not the DAC's", number: 500) { $0.hasForeignKey = true },
        ])
    func refused(_ chain: Chain) async throws {
        let (authority, credentials) = try chain.make()
        let device = try await Device(credentials)
        defer { device.child.signal(SIGTERM) }
        let outcome = try await device.commission(trusting: authority)
        #expect(outcome.status == 7, "\(outcome)")
        let error = try outcome.error()
        #expect(error["id"]?.string == "attestation.refused")
        #expect(error["message"]?.string?.contains(" (\(chain.number))") == true, "\(error)")
        #expect(!device.child.stdout.contains("noc-added"))
    }

    @Test(
        "on a terminal an unknown authority is a question: no is 7 and leaves the device alone, yes joins it as untrusted",
        arguments: ["no", "", "yes"])
    func asked(answer: String) async throws {
        let device = try await Device(try Chain("an unknown authority", number: 101).make().credentials)
        defer { device.child.signal(SIGTERM) }
        let matterctl = try MatterCtl()
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        // A terminal of its own, at which a person types: `script` makes one, and passes on what it reads.
        let command =
            "\(Laboratory.binary.path) commission '\(device.code)' --address '\(device.address)' --allow-test-devices --name it"
        let typed = try Child(
            URL(fileURLWithPath: "/usr/bin/script"), ["-qec", command, "/dev/null"], environment: environment,
            input: answer + "\n", folder: matterctl.folder)
        let status = await typed.status()
        let screen = typed.stdout
        #expect(screen.contains("accept this device, although its authority is not known? [y/N]"), "\(screen)")
        #expect(status == (answer == "yes" ? 0 : 7), "\(screen)")
        guard answer == "yes" else { return try device.expectOpen(answer) }
        let node = try await matterctl.succeed("node", "show", "it", "--json").json()
        #expect(node["attestation"]?["verdict"]?.string == "untrusted", "\(node)")
        #expect(node["attestation"]?["accepted"]?.bool == true, "\(node)")
    }

    @Test(
        "a shared case is refused with 7 by attest and by commission; the device is open, and its fail-safe disarmed",
        .vectors, .enabled(if: Vectors.available),
        arguments: [
            "struct_cd_pid_array_count01_mismatch", "struct_dac_valid_in_future", "struct_pai_ext_key_usage_missing",
            "struct_cd_dac_origin_vid_pid_present_match",
        ])
    func shared(name: String) async throws {
        let folder = try #require(Vectors.folder)
        let device = try await Device(
            case: folder.appendingPathComponent("attestation/\(name)/test_case_vector.json").path)
        defer { device.child.signal(SIGTERM) }
        let refusal = AttestationCases.refusal(name)
        let matterctl = try MatterCtl()
        let words = [device.code, "--address", device.address, "--allow-test-devices", "--json"]
        for command in ["attest", "commission", "attest"] {
            guard refusal != nil || command == "attest" else { break }
            let outcome = try await matterctl.run([command] + words)
            #expect(outcome.status == (refusal == nil ? 0 : 7), "\(outcome)")
            guard let refusal else { continue }
            #expect(try outcome.error()["attestation"]?["code"]?.int == refusal.code, "\(outcome)")
            try device.expectOpen(name)
        }
        let outcome = try await matterctl.run(
            ["commission", device.code, "--address", device.address, "--attestation", "skip", "--json"])
        #expect(outcome.status == 0, "\(outcome)")
    }

    /// The shared cases, by folder.
    private static let cases: [String] = {
        guard let folder = Vectors.folder?.appendingPathComponent("attestation") else { return [] }
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted().filter {
            FileManager.default.fileExists(atPath: folder.path + "/\($0)/test_case_vector.json")
        }
    }()

    @Test(
        "each shared case ends as it must: 7 with its number and the device open, or commissioned",
        .vectors, .enabled(if: Vectors.available), arguments: 0..<4)
    func all(quarter: Int) async throws {
        let folder = try #require(Vectors.folder)
        #expect(Self.cases.count >= 80)
        for (index, name) in Self.cases.enumerated() where index % 4 == quarter {
            let device = try await Device(
                case: folder.appendingPathComponent("attestation/\(name)/test_case_vector.json").path)
            defer { device.child.signal(SIGTERM) }
            let outcome = try await MatterCtl().run([
                "commission", device.code, "--address", device.address, "--allow-test-devices", "--no-post", "--json",
            ])
            guard let refusal = AttestationCases.refusal(name) else {
                #expect(outcome.status == 0, "\(name): \(outcome)")
                continue
            }
            #expect(outcome.status == 7, "\(name): \(outcome)")
            let error = try outcome.error()
            #expect(error["attestation"]?["code"]?.int == refusal.code, "\(name): \(outcome)")
            #expect(error["device"]?.string == "rolled-back", "\(name): \(outcome)")
            try device.expectOpen(name)
        }
    }

    @Test(
        "the reference implementation's revoked devices: 7, and the device is open; without the set they pass",
        .vectors, .enabled(if: Vectors.available),
        arguments: [
            ("revoked-dac-01", 302, true), ("revoked-dac-02", 302, true), ("revoked-dac-03", 302, true),
            ("revoked-pai", 202, true), ("revoked-dac-and-pai", 208, true), ("indirect-revoked-dac-01", 302, true),
            ("indirect-revoked-pai-03", 202, true), ("indirect-revoked-dac-01-pai-03", 208, true),
        ])
    func revoked(name: String, code: Int, passes: Bool) async throws {
        let folder = try #require(Vectors.folder).appendingPathComponent("revocation")
        let device = try await Device(
            case: folder.appendingPathComponent("dac-provider-test-vectors/\(name).json").path)
        defer { device.child.signal(SIGTERM) }
        let matterctl = try MatterCtl()
        let words = ["commission", device.code, "--address", device.address, "--allow-test-devices", "--json"]
        let set = folder.appendingPathComponent("revocation-sets/revocation-set.json").path
        let outcome = try await matterctl.run(words + ["--revocation-set", set])
        #expect(outcome.status == 7, "\(outcome)")
        let error = try outcome.error()
        #expect(error["attestation"]?["code"]?.int == code, "\(outcome)")
        #expect(error["attestation"]?["revocation"]?["status"]?.string == "revoked", "\(outcome)")
        try device.expectOpen(name)
        let unaware = try await matterctl.run(words)
        #expect((unaware.status == 0) == passes, "\(unaware)")
    }

    @Test("credentials that cannot be read: 64")
    func unreadable() async throws {
        let matterctl = try MatterCtl()
        for place in [matterctl.folder.file("nothing").path, matterctl.folder.url.path] {
            let outcome = try await matterctl.fail(
                64, "simulate", "on-off-light", "--port", "0", "--mdns", "none", "--attestation", place)
            #expect(outcome.stderr.contains(place), "\(outcome)")
        }
    }
}
