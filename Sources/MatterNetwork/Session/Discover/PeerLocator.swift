extension PeerAddress {
    /// An address that discovery found, as the transport wants it.
    package init?(_ resolved: ResolvedAddress) {
        self.init(octets: resolved.octets, scope: resolved.scope?.index ?? 0, port: resolved.port)
    }
}

extension ReliabilityParameters {
    /// The contents of a DNS-SD record, with the specification's defaults for the rest.
    package init(_ advertised: AdvertisedParameters) {
        let standard = ReliabilityParameters.standard
        self.init(
            idleInterval: advertised.idleInterval ?? standard.idleInterval,
            activeInterval: advertised.activeInterval ?? standard.activeInterval,
            activeThreshold: advertised.activeThreshold ?? standard.activeThreshold)
    }
}

/// Turns what discovery reports into addresses to try.
struct PeerLocator: Sendable {
    private let discovery: any Discovery
    private let executor: (any TaskExecutor)?

    /// - Parameter executor: where the look-up runs; `nil` for the usual place.
    init(_ discovery: any Discovery, executor: (any TaskExecutor)? = nil) {
        self.discovery = discovery
        self.executor = executor
    }

    /// The addresses of an operational node, each as soon as it is known.
    func operational(
        compressedFabricID: UInt64, nodeID: UInt64
    ) -> AsyncThrowingStream<PeerLocation, any Error> {
        let updates = discovery.resolveOperational(compressedFabricID: compressedFabricID, nodeID: nodeID)
        return AsyncThrowingStream { [executor] continuation in
            let task = Task(executorPreference: executor) {
                do {
                    for try await update in updates {
                        guard case .found(let node) = update else { continue }
                        for address in node.addresses {
                            guard let address = PeerAddress(address) else { continue }
                            continuation.yield(
                                PeerLocation(
                                    address: address, reliability: ReliabilityParameters(node.record.parameters)))
                        }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
