package import MatterCrypto
import Synchronization

/// The local authority, watched.
package final class RecordingIssuer: NOCIssuer {
    package struct Failure: Error {}

    private struct State {
        var log: [String] = []
        var failsAt: String?
    }

    private let authority: LocalCertificateAuthority
    private let state = Mutex(State())

    package init(_ authority: LocalCertificateAuthority) { self.authority = authority }

    package var log: [String] { state.withLock { $0.log } }

    package func fail(at step: String) { state.withLock { $0.failsAt = step } }

    private func note(_ step: String) throws {
        try state.withLock { state in
            state.log.append(step)
            if state.failsAt == step { throw Failure() }
        }
    }

    package func prepare() async throws -> FabricParameters? {
        try note("prepare")
        return try await authority.prepare()
    }

    package func issue(_ csr: CertificateSigningRequest, context: NOCIssueContext) async throws -> IssuedNOC {
        try note("issue")
        return try await authority.issue(csr, context: context)
    }

    package func confirm(_ receipt: NOCReceipt, node: NodeID) async throws { try note("confirm") }

    package func abandon(_ receipt: NOCReceipt) async { try? note("abandon") }
}
