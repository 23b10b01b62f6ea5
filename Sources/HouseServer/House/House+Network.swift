import Logging
import MatterController

/// The network of the house, for clients that follow it.
extension House {
    /// How long changes are gathered before the map is drawn again.
    private static let gathering = Duration.seconds(2)
    /// How many nodes are asked for their tables at a time.
    private static let together = 4

    /// The clusters by which a node tells how it is connected.
    private static let diagnostics = Set(
        [ThreadNetworkDiagnostics.id, WiFiNetworkDiagnostics.id, GeneralDiagnostics.id].map(\.rawValue))

    /// Whether a change of the house may change its map.
    static func movesMap(_ news: HouseNews) -> Bool {
        switch news {
        case .nodeAdded, .nodeUpdated, .nodeRemoved: true
        case .attribute(_, let path): diagnostics.contains(path.cluster)
        case .endpointAdded, .endpointRemoved, .event, .camera, .infoUpdated, .network, .shutdown: false
        }
    }

    func setMap(_ draws: @escaping @Sendable () async -> Void) { drawsMap = draws }

    /// Draws the map again soon, if a client follows it.
    func redraw() {
        guard redrawing == nil, let drawsMap, isWanted(.topology) else { return }
        redrawing = time.start { [weak self, time] in
            do { try await time.sleep(for: Self.gathering) } catch { return }
            await self?.endRedrawing()
            await drawsMap()
        }
    }

    private func endRedrawing() { redrawing = nil }

    /// Reads the tables of nodes about their Thread networks again; they are not reported.
    ///
    /// - Parameter network: the extended PAN id of the only network that is wanted; all, if `nil`.
    func readThread(of network: UInt64?) async {
        let nodes = board.sorted.filter { node in
            guard node.isAvailable, let id = ThreadDiagnostics.network(of: node) else { return false }
            return network == nil || id == network
        }.map(\.record)
        await withTaskGroup(of: Void.self) { group in
            for (index, node) in nodes.enumerated() {
                if index >= Self.together { await group.next() }
                group.addTask { [controller, logger, time] in
                    do {
                        let link = try await controller.links.link(to: node)
                        let path = AttributePath(endpoint: 0, cluster: ThreadNetworkDiagnostics.id)
                        let answer = try await link.read([path], deadline: time.now + .seconds(20))
                        await self.takeReading(node.nodeID, answer)
                    } catch { logger.debug("\(node.title) did not tell its Thread tables: \(error)") }
                }
            }
        }
    }
}
