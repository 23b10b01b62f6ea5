package import MatterInteraction
package import MatterSession
import MatterTransport

/// Reads and commands of the flow on one secure session.
struct CommissioningChannel: Sendable {
    /// What a device may take for a commissioning command: slow ones sign and generate keys (reference 07 section 1).
    private static let processing = Duration.seconds(15)

    let session: SecureSession
    let deadline: Instant

    private var client: InteractionClient {
        InteractionClient(session)
    }

    /// Reads in portions that every device accepts.
    func read(_ paths: [AttributePath]) async throws -> ReadResult {
        var result = ReadResult()
        for start in stride(from: 0, to: paths.count, by: ReadLimits.pathsPerRead) {
            let portion = Array(paths[start..<min(start + ReadLimits.pathsPerRead, paths.count)])
            result.merge(try await readOnce(portion))
        }
        return result
    }

    private func readOnce(_ paths: [AttributePath]) async throws -> ReadResult {
        while true {
            var transaction = ReadTransaction(ReadRequest(attributePaths: paths, isFabricFiltered: false))
            do {
                return try await client.runPersistently(
                    &transaction, deadline: deadline, processing: InteractionClient.standardProcessing)
            } catch let error as TransportError where error.code == .noReply && Instant.now < deadline {
                // A read may be repeated as often as need be.
                continue
            }
        }
    }

    func invoke(_ command: CommissioningCommand, deadline: Instant? = nil) async throws -> CommandResult {
        let deadline = deadline ?? self.deadline
        while true {
            var transaction = InvokeTransaction([command.command])
            do {
                let results = try await client.runPersistently(
                    &transaction, deadline: deadline, processing: Self.processing)
                guard let result = results.first else {
                    throw InteractionError(.protocolViolation, "an answer to \(command.name) without content")
                }
                return result
            } catch let error as TransportError
                where error.code == .noReply && command.mayRepeat && Instant.now < deadline
            {
                continue
            }
        }
    }
}

extension InteractionClient {
    /// Interactions on a session.
    package init(_ session: SecureSession) {
        self.init(
            openExchange: { try await session.openExchange() },
            deliveryAllowance: { await session.responseAllowance(processing: .zero) })
    }
}

/// Limits that every node grants (Matter core specification 8.4).
package enum ReadLimits {
    package static let pathsPerRead = 9
}

extension CommissioningCommand {
    /// Whether doing it twice comes to the same.
    var mayRepeat: Bool {
        switch self {
        case .addTrustedRoot, .addNOC: false
        default: true
        }
    }
}
