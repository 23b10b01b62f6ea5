import Foundation
import TestSupport
import Testing

@testable import MatterCrypto

/// The OpenSSL command line, where it is installed.
enum OpenSSLTool {
    static let path: String? = {
        let found = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/bin/openssl"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }
        if found == nil {
            FileHandle.standardError.write(
                Data("\nSKIPPED: no openssl here; no other program checks our certificates.\n\n".utf8))
        }
        return found
    }()
}

/// Another implementation's opinion of our certificates.
@Suite("OpenSSL accepts what we issue", .enabled(if: OpenSSLTool.path != nil))
struct OpenSSLTests {
    static func run(_ arguments: [String], in folder: URL) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(OpenSSLTool.path))
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    static func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("matter-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test(
        "chains with and without an intermediate certificate verify strictly", arguments: [false, true], [false, true])
    func chains(withIntermediate: Bool, decade: Bool) throws {
        let now = try #require(MatterEpoch.seconds(unix: Int64(Date().timeIntervalSince1970)))
        let fabric = try LocalFabric.create(
            cats: [CASEAuthenticatedTag(0x0001_0001)], withIntermediate: withIntermediate,
            validity: decade ? .tenYears(from: now) : .unlimited(from: now))
        try Self.withFolder { folder in
            func write(_ text: String, _ name: String) throws {
                try Data(text.utf8).write(to: folder.appendingPathComponent(name))
            }
            try write(fabric.credentials.root.pem(), "root.pem")
            try write(fabric.credentials.noc.pem(), "noc.pem")
            var arguments = ["verify", "-x509_strict", "-check_ss_sig", "-CAfile", "root.pem"]
            if let icac = fabric.credentials.icac {
                try write(icac.pem(), "icac.pem")
                arguments += ["-untrusted", "icac.pem"]
            }
            for purpose in ["sslserver", "sslclient"] {
                let result = try Self.run(arguments + ["-purpose", purpose, "noc.pem"], in: folder)
                #expect(result.status == 0, "\(result.output)")
            }
            // The check can fail: another root is refused.
            let other = try LocalFabric.create(validity: .unlimited(from: now))
            try write(other.credentials.root.pem(), "root.pem")
            #expect(try Self.run(arguments + ["noc.pem"], in: folder).status != 0)
        }
    }

    @Test("requests verify")
    func requests() throws {
        try Self.withFolder { folder in
            for unit in ["CSA", nil] {
                let request = try CertificateSigningRequest(key: .generate(), organizationalUnit: unit)
                try Data(request.pem.utf8).write(to: folder.appendingPathComponent("csr.pem"))
                let result = try Self.run(["req", "-in", "csr.pem", "-noout", "-verify"], in: folder)
                #expect(result.status == 0 && result.output.contains("verify OK"), "\(result.output)")
            }
        }
    }
}
