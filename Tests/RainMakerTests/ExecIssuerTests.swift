import Foundation
import JSON
import TestSupport
import Testing

@testable import MatterController
@testable import MatterCrypto

@Suite(.timed) struct ExecIssuerTests {
    private static let now: UInt32 = 800_000_000

    private let fabric: LocalFabric
    private let csr: CertificateSigningRequest
    private let folder: URL

    init() throws {
        fabric = try LocalFabric.create(validity: .unlimited(from: Self.now))
        csr = try CertificateSigningRequest(key: .generate())
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("exec-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func issuer(_ command: String) -> ExecIssuer {
        ExecIssuer(
            command: command, credentials: fabric.credentials, adminVendorID: VendorID(0xFFF1),
            services: ["rainmaker"], unixTime: { MatterEpoch.unix(Self.now) })
    }

    /// A file with certificates for the request, as a program would print them.
    private func chain(
        nodeID: UInt64 = 42, key: P256PublicKey? = nil, from other: LocalFabric? = nil
    ) throws -> String {
        let fabric = other ?? fabric
        let rootKey = try P256PrivateKey(scalar: try #require(fabric.authority.rootKey))
        let noc = try MatterCertificate.issueNode(
            nodeID: NodeID(nodeID), fabricID: fabric.fabricID, publicKey: key ?? csr.publicKey,
            under: fabric.authority.root, signedWith: rootKey, validity: .unlimited(from: Self.now),
            random: SystemRandom())
        let file = folder.appendingPathComponent(UUID().uuidString + ".pem")
        try (try noc.pem() + fabric.authority.root.pem()).write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }

    private func failure(_ command: String, _ context: NOCIssueContext = NOCIssueContext()) async throws
        -> ControllerError?
    {
        do {
            _ = try await issuer(command).issue(csr, context: context)
            return nil
        } catch let error as ControllerError {
            #expect(error.code == .issuerProgram)
            return error
        }
    }

    @Test("the program gets request and context on stdin, and its certificate decides the node id")
    func issues() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let question = folder.appendingPathComponent("question.json").path
        let context = NOCIssueContext(requestedNodeID: NodeID(42))
        let issued = try await issuer("cat > '\(question)'; cat '\(try chain())'").issue(csr, context: context)
        #expect(issued.nodeID == NodeID(42))
        #expect(issued.noc.publicKey == csr.publicKey)
        let json = try JSONValue(parsing: try String(contentsOfFile: question, encoding: .utf8))
        #expect(try CertificateSigningRequest(pem: try #require(json["csr"]?.stringValue)).publicKey == csr.publicKey)
        #expect(json["fabricId"]?.stringValue == fabric.fabricID.description)
        #expect(json["nodeId"] == "000000000000002A")
        #expect(try MatterCertificate(pem: try #require(json["root"]?.stringValue)) == fabric.authority.root)
        let parameters = try #require(try await issuer("true").prepare())
        #expect(parameters.caseAdminSubject == fabric.credentials.nodeID)
    }

    @Test("a program that reads nothing may still answer")
    func readsNothing() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let issued = try await issuer("exec cat '\(try chain())' < /dev/null").issue(csr, context: NOCIssueContext())
        #expect(issued.nodeID == NodeID(42))
    }

    @Test("a program that fails is quoted")
    func fails() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let error = try #require(try await failure("echo first >&2; echo 'out of stamps' >&2; exit 3"))
        #expect(error.reason.contains("status 3: out of stamps"))
        #expect(try await failure("kill -9 $$")?.reason.contains("status 137") == true)
        #expect(try await failure("/nonexistent/program")?.reason.contains("status 127") == true)
    }

    @Test("of much that it says the last line is quoted, and it is not held up by saying it")
    func talkative() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let error = try #require(
            try await failure("yes chatter | head -c 8000000 >&2; echo 'out of stamps' >&2; exit 3"))
        #expect(error.reason.hasSuffix("status 3: out of stamps"), "\(error)")
    }

    @Test("what it leaves running in the background is not waited for")
    func background() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        // The awaited event would never come.
        let issued = try await issuer("sleep 100000 & cat '\(try chain())'").issue(csr, context: NOCIssueContext())
        #expect(issued.nodeID == NodeID(42))
    }

    @Test("what is no usable chain is refused")
    func unusable() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for command in [
            "true", "echo hello", "echo '-----BEGIN CERTIFICATE-----'", "yes | head -c 1000000",
            "cat '\(try chain(key: P256PrivateKey.generate().publicKey))'",
            "cat '\(try chain(from: LocalFabric.create(validity: .unlimited(from: Self.now))))'",
            "cat '\(try chain())' '\(try chain())'",
        ] {
            #expect(try await failure(command) != nil, "\(command)")
        }
    }

    @Test("the program inherits three descriptors and no passwords")
    func inherits() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["MATTERCTL_CLOUD_PASSWORD", "RAINMAKER_PASSWORD"] { setenv(name, "hunter2", 1) }
        setenv("MATTERCTL_CLOUD_USER", "me@example.com", 1)
        let file = open("/dev/null", O_RDONLY)
        let leak = fcntl(file, F_DUPFD, 200)
        defer { for descriptor in [file, leak] { close(descriptor) } }
        let seen = folder.appendingPathComponent("seen")
        let look = "for f in /proc/$$/fd/*; do echo \"fd ${f##*/}\"; done > '\(seen.path)'; env >> '\(seen.path)'"
        _ = try await issuer("\(look); cat '\(try chain())'").issue(csr, context: NOCIssueContext())
        let lines = try String(contentsOf: seen, encoding: .utf8).split(separator: "\n")
        let descriptors = Set(lines.filter { $0.hasPrefix("fd ") }.compactMap { Int($0.dropFirst(3)) })
        // The shell has 3 for the folder that it looks at, and 10 for its output while that is redirected.
        #expect(descriptors.isSuperset(of: [0, 1, 2]) && descriptors.isSubset(of: [0, 1, 2, 3, 10]), "\(descriptors)")
        #expect(!lines.contains { $0.contains("hunter2") })
        #expect(lines.contains("MATTERCTL_CLOUD_USER=me@example.com"))
        #expect(lines.contains { $0.hasPrefix("PATH=") })
    }

    @Test("when it has ended, what it left running is ended too")
    func leftovers() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("pid")
        let command = "sleep 300 > /dev/null 2>&1 & echo $! > '\(file.path)'; cat '\(try chain())'"
        _ = try await issuer(command).issue(csr, context: NOCIssueContext())
        let text = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let pid = try #require(pid_t(text))
        func lives() -> Bool {
            let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            return status.map { !$0.contains(") Z ") } ?? false
        }
        try await awaitEvent("its end") { !lives() }
    }

    @Test("cancelling ends the program")
    func cancelled() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let begun = folder.appendingPathComponent("begun").path
        let issuer = issuer("touch '\(begun)'; sleep 100000")
        let csr = csr
        let task = Task { try await issuer.issue(csr, context: NOCIssueContext()) }
        try await awaitEvent("the program to begin") { FileManager.default.fileExists(atPath: begun) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
