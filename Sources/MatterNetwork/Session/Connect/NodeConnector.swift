package import Logging
package import MatterCrypto

/// Sets up the best session with a node of a fabric that there is: resumed if possible, else by a full CASE handshake.
package struct NodeConnector: Sendable {
    private let connector: Connector
    private let credentials: OperationalCredentials
    /// The promises of the link that sessions run on.
    package var link: LinkProperties { connector.manager.link }
    /// The clock of everything that is set up here.
    package var clock: any TimeSource { connector.time }
    private let resumptions: (any ResumptionMemory)?
    private let discovery: (any Discovery)?
    private let time: ValidationTime
    private let random: any RandomSource
    private let logger: Logger
    private let alternatives: @Sendable (OperationalCredentials) -> [OperationalCredentials]

    /// - Parameters:
    ///   - resumptions: where earlier sessions are remembered; `nil` always makes a full handshake.
    ///   - discovery: `nil` if only the hints are to be tried.
    ///   - alternatives: credentials under which a node may know us that does not know those: each is tried once, without resumption.
    ///   - time: for the validity of the nodes' certificates. A clock that is behind our own certificate (many a small
    ///     machine starts in the past until a network gives it the time) does not keep a light from being switched.
    package init(
        connector: Connector, credentials: OperationalCredentials, resumptions: (any ResumptionMemory)?,
        discovery: (any Discovery)?, time: ValidationTime, random: any RandomSource, logger: Logger,
        alternatives: @escaping @Sendable (OperationalCredentials) -> [OperationalCredentials] = { _ in [] }
    ) {
        self.alternatives = alternatives
        self.connector = connector
        self.credentials = credentials
        self.resumptions = resumptions
        self.discovery = discovery
        self.time = time.noEarlier(than: credentials.chain.latestNotBefore)
        self.random = random
        self.logger = logger
        if self.time != time {
            logger.warning("the clock of this machine is wrong: it is behind our own certificate")
        }
    }

    /// - Parameters:
    ///   - hints: addresses to race against discovery.
    ///   - onlyHints: leaves discovery out.
    ///   - reliability: what is known of the node's intervals before it speaks.
    /// - Throws: ``SessionError``, `CancellationError`.
    package func connect(
        to node: NodeID, hints: [PeerAddress], onlyHints: Bool = false,
        reliability: ReliabilityParameters = .standard, presumedActive: Bool = false, deadline: Instant
    ) async throws -> SecureSession {
        let compressed = credentials.fabric.compressedFabricID.rawValue
        let executor = clock.executor
        let locate: (@Sendable () -> AsyncThrowingStream<PeerLocation, any Error>)? =
            if let discovery, !onlyHints {
                {
                    PeerLocator(discovery, executor: executor).operational(
                        compressedFabricID: compressed, nodeID: node.rawValue)
                }
            } else {
                nil
            }
        let target = PeerTarget(
            phase: .case, hints: hints, reliability: reliability, presumedActive: presumedActive, locate: locate)
        do {
            return try await establish(target, node, deadline: deadline)
        } catch let error as SessionError where error.isUnknownToPeer {
            for other in alternatives(credentials) {
                do {
                    let session = try await establish(
                        target, node, as: other, resumption: nil, deadline: deadline)
                    logger.debug("case: the node knows us by another identity key")
                    return session
                } catch let later as SessionError where later.isUnknownToPeer {
                    continue
                }
            }
            throw error
        }
    }

    private func establish(
        _ target: PeerTarget, _ node: NodeID, deadline: Instant
    ) async throws -> SecureSession {
        let resumption = await resumptions?.load(node)
        do {
            return try await establish(target, node, as: credentials, resumption: resumption, deadline: deadline)
        } catch let error as SessionError
            where resumption != nil && error.code == .refused && !error.isUnknownToPeer
        {
            // A device that cannot prove the old session, or stumbles over the offer, may still prove itself. Until it
            // has, the record stays: the answer may be forged.
            logger.debug("case: the session could not be resumed: \(error)")
            return try await establish(target, node, as: credentials, resumption: nil, deadline: deadline)
        }
    }

    private func establish(
        _ target: PeerTarget, _ node: NodeID, as credentials: OperationalCredentials, resumption: ResumptionRecord?,
        deadline: Instant
    ) async throws -> SecureSession {
        let own = CASECredentials(credentials)
        let session = try await connector.connect(to: target, deadline: deadline) { localSessionID, reliability in
            CASEInitiator(
                credentials: own, peer: node, localSessionID: localSessionID, knownReliability: reliability,
                resumption: resumption, time: time, random: random)
        }
        logger.debug(
            "case: \(session.established.isResumed ? "resumed" : "set up") a session with node \(node) at \(session.address)"
        )
        if let record = session.established.resumption {
            // Not being able to keep it costs the next command a full handshake, nothing else.
            do { try await resumptions?.save(record, of: node) } catch { logger.warning("\(error)") }
        }
        return session
    }
}
