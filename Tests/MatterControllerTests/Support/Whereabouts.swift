import Synchronization

@testable import MatterNetwork

/// A network that knows where nodes are.
final class Whereabouts: Discovery {
    /// By node id; `nil` is for any other node.
    private let addresses: Mutex<[UInt64?: PeerAddress]>

    /// - Parameter address: that of every node.
    init(_ address: PeerAddress) { addresses = Mutex([nil: address]) }

    init(_ addresses: [UInt64: PeerAddress]) {
        self.addresses = Mutex(Dictionary(uniqueKeysWithValues: addresses.map { (Optional($0), $1) }))
    }

    func move(to new: PeerAddress) { addresses.withLock { $0[nil] = new } }

    func browseCommissionable(
        _ filter: CommissionableFilter, includingClosed: Bool
    ) -> AsyncThrowingStream<CommissionableEvent, any Error> { AsyncThrowingStream { $0.finish() } }

    func resolveOperational(
        compressedFabricID: UInt64, nodeID: UInt64
    ) -> AsyncThrowingStream<OperationalUpdate, any Error> {
        AsyncThrowingStream { continuation in
            let address = addresses.withLock { $0[nodeID] ?? $0[nil] }
            guard let found = address?.resolved else { return }
            continuation.yield(
                .found(
                    OperationalNode(
                        instance: OperationalInstance(compressedFabricID: compressedFabricID, nodeID: nodeID),
                        host: "light", port: found.port, addresses: [found], record: OperationalRecord())))
        }
    }

    func browseOperational(compressedFabricID: UInt64?) -> AsyncThrowingStream<OperationalEvent, any Error> {
        AsyncThrowingStream { _ in }
    }

    func check() {}
}
