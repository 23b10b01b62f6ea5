import Logging
import MatterController
import Synchronization

/// Where the gatekeeper learns the tokens.
protocol TokenSource: Sendable {
    /// Differs after each change.
    var stamp: String? { get }
    func tokens() throws -> [AccessToken]
}

extension TokenStore: TokenSource {}

/// Knows visitors by their tokens. It reads the record again when that has changed.
final class Gatekeeper: Sendable {
    private struct Known {
        var stamp: String?
        var isRead = false
        var tokens: [AccessToken] = []
    }

    private let source: any TokenSource
    private let logger: Logger
    private let known = Mutex(Known())

    init(_ source: any TokenSource, logger: Logger) {
        self.source = source
        self.logger = logger
    }

    /// The token with a text.
    ///
    /// Each token is compared, so that the time says nothing of where in the list one was found.
    func token(_ text: [UInt8]) -> AccessToken? {
        guard text.count <= TokenText.longest else { return nil }
        let digest = SecretBytes(TokenText.digest(text))
        var found: AccessToken?
        for token in tokens() where token.has(digest) { found = token }
        return found
    }

    /// The tokens as they are now, by their ids. Those of a record that cannot be read let in no visitor.
    func tokens() -> [AccessToken] {
        known.withLock { known in
            let stamp = source.stamp
            guard !known.isRead || stamp != known.stamp else { return known.tokens }
            do {
                known.tokens = try source.tokens()
            } catch {
                known.tokens = []
                logger.error("the tokens cannot be read, and none is valid", metadata: ["error": "\(error)"])
            }
            (known.stamp, known.isRead) = (stamp, true)
            return known.tokens
        }
    }

    /// True if a visitor who came in with a token may stay: it is there, and has the same rights.
    func isValid(_ token: AccessToken) -> Bool {
        tokens().contains { $0.id == token.id && $0.digest == token.digest && $0.roles == token.roles }
    }
}
