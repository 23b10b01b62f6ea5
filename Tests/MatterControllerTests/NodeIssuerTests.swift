import Synchronization
import TestSupport
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterState

/// An issuer of a program's own, beside the fabric's authority.
@Suite("NodeIssuer", .fewAtATime, .serialized)
struct NodeIssuerTests {
    /// Issues with the fabric's own keys, and remembers what it was asked and told.
    private final class Issuing: NodeIssuer {
        struct Refusal: Error {}

        struct Notes {
            var asked: [NodeIssueRequest] = []
            var confirmed: [String] = []
            var abandoned: [String] = []
        }

        private let folder: String
        private let isWilling: Bool
        private let givesOurID: Bool
        private let afterwards: @Sendable () async -> Void
        private let notes = Mutex(Notes())

        init(
            folder: String, isWilling: Bool = true, givesOurID: Bool = false,
            afterwards: @escaping @Sendable () async -> Void = {}
        ) {
            self.folder = folder
            self.isWilling = isWilling
            self.givesOurID = givesOurID
            self.afterwards = afterwards
        }

        var told: Notes { notes.withLock { $0 } }

        func issue(_ request: NodeIssueRequest) async throws -> String {
            notes.withLock { $0.asked.append(request) }
            guard isWilling else { throw Refusal() }
            let fabrics = FabricStore(StateDirectory(path: folder))
            let fabric = try fabrics.select("home")
            let credentials = try fabrics.credentials(of: fabric)
            let local = LocalFabric(authority: try fabrics.authority(of: fabric), credentials: credentials)
            let csr = try CertificateSigningRequest(pem: request.csr)
            let nodeID = givesOurID ? credentials.nodeID : request.nodeID.map { NodeID(rawValue: $0) }
            let issued = try local.issuer(adminVendorID: fabric.vendorID) { .unlimited(from: 0) }
                .issue(csr, nodeID: nodeID)
            await afterwards()
            return try issued.noc.pem() + (issued.icac?.pem() ?? "")
        }

        func confirm(_ receipt: String, node: UInt64) async throws {
            notes.withLock { $0.confirmed.append("\(receipt) \(node)") }
        }

        func abandon(_ receipt: String) async { notes.withLock { $0.abandoned.append(receipt) } }
    }

    /// A fabric named `home` without nodes, and a light.
    private func fabric() async throws -> (light: VirtualLight, home: Controller) {
        let light = try await VirtualLight()
        let home = try Controller(home: .folder(light.home), fabric: "home")
        let node = try await home.commission(
            light.code, trust: .folder(light.trust, testDevices: true), address: light.address)
        try await node.remove()
        return (light, home)
    }

    private func commission(_ light: VirtualLight, _ home: Controller, _ issuer: Issuing) async throws -> Node {
        try await home.commission(
            light.code, trust: .folder(light.trust, testDevices: true), issuer: .issuer(issuer),
            address: light.address)
    }

    @Test("it is asked with the request and the attestation, its certificate is used, and it hears of the node")
    func issues() async throws {
        let (light, home) = try await fabric()
        let issuer = Issuing(folder: light.home)
        let node = try await commission(light, home, issuer)
        try await node.toggle()
        let told = issuer.told
        let request = try #require(told.asked.first)
        #expect(told.asked.count == 1 && request.csr.contains("CERTIFICATE REQUEST") && request.vendorID == 0xFFF1)
        #expect(request.attestationCertificate?.contains("BEGIN CERTIFICATE") == true && request.nodeID == nil)
        #expect(told.confirmed.count == 1 && told.confirmed.first?.hasSuffix(" \(node.id)") == true, "\(told)")
        #expect(told.abandoned.isEmpty)
        await home.close()
        await light.stop()
    }

    @Test("its refusal is an error of the issuer, and the device can be commissioned afterwards")
    func refuses() async throws {
        let (light, home) = try await fabric()
        let issuer = Issuing(folder: light.home, isWilling: false)
        let error = await #expect(throws: MatterError.self) { _ = try await commission(light, home, issuer) }
        #expect(error?.code == .issuerFailed, "\(String(describing: error))")
        #expect(issuer.told.asked.count == 1 && issuer.told.confirmed.isEmpty && issuer.told.abandoned.isEmpty)
        _ = try await commission(light, home, Issuing(folder: light.home))
        await home.close()
        await light.stop()
    }

    @Test("a certificate with the id of the controller itself reaches no device, and is given up")
    func givesOurID() async throws {
        let (light, home) = try await fabric()
        let issuer = Issuing(folder: light.home, givesOurID: true)
        let error = await #expect(throws: MatterError.self) { _ = try await commission(light, home, issuer) }
        #expect(error?.message.contains("it is our own") == true, "\(String(describing: error))")
        #expect(issuer.told.abandoned.count == 1 && issuer.told.confirmed.isEmpty, "\(issuer.told)")
        _ = try await commission(light, home, Issuing(folder: light.home))
        await home.close()
        await light.stop()
    }

    @Test("a certificate that does not come to use is given up, and no node is left")
    func abandons() async throws {
        let (light, home) = try await fabric()
        let issuer = Issuing(folder: light.home, afterwards: { await light.stop() })
        let error = await #expect(throws: MatterError.self) {
            _ = try await home.commission(
                light.code, trust: .folder(light.trust, testDevices: true), issuer: .issuer(issuer),
                address: light.address, within: .seconds(8))
        }
        #expect(error?.code == .noAnswer, "\(String(describing: error))")
        #expect(issuer.told.abandoned.count == 1 && issuer.told.confirmed.isEmpty, "\(issuer.told)")
        #expect(try home.allNodes().isEmpty)
        await home.close()
    }
}
