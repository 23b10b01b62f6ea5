import Synchronization
import TestSupport
import Testing

@testable import MatterNetwork

/// One look-out, many that look.
@Suite("Shared look-out", .ownDaemons) struct SharedBrowseTests {
    /// A network whose events a test makes.
    private final class Network: Discovery {
        private let state = Mutex<
            (browses: Int, send: [AsyncThrowingStream<CommissionableEvent, any Error>.Continuation])
        >(
            (0, []))
        private let ended = Mutex(0)

        var browses: Int { state.withLock { $0.browses } }
        var ends: Int { ended.withLock { $0 } }

        func tell(_ event: CommissionableEvent) { for send in state.withLock({ $0.send }) { send.yield(event) } }
        func fail(_ error: any Error) { for send in state.withLock({ $0.send }) { send.finish(throwing: error) } }

        func browseCommissionable(
            _ filter: CommissionableFilter, includingClosed: Bool
        ) -> AsyncThrowingStream<CommissionableEvent, any Error> {
            AsyncThrowingStream { continuation in
                continuation.onTermination = { [weak self] _ in self?.ended.withLock { $0 += 1 } }
                state.withLock { state in
                    state.browses += 1
                    state.send.append(continuation)
                }
            }
        }

        func resolveOperational(
            compressedFabricID: UInt64, nodeID: UInt64
        ) -> AsyncThrowingStream<OperationalUpdate, any Error> { AsyncThrowingStream { $0.finish() } }

        func browseOperational(compressedFabricID: UInt64?) -> AsyncThrowingStream<OperationalEvent, any Error> {
            AsyncThrowingStream { $0.finish() }
        }

        func check() {}
    }

    private func device(_ discriminator: UInt16?, _ instance: String) throws -> CommissionableDevice {
        let address = try #require(ResolvedAddress(octets: [192, 0, 2, 1], port: 5540))
        return CommissionableDevice(
            instance: instance, host: "device.local", port: 5540, addresses: [address],
            record: CommissionableRecord(longDiscriminator: discriminator, commissioningMode: .basic))
    }

    /// The first events of a look-out, as the instances that they are about.
    private func first(
        _ count: Int, _ stream: AsyncThrowingStream<CommissionableEvent, any Error>
    ) async throws -> [String] {
        var found: [String] = []
        for try await event in stream {
            switch event {
            case .found(let device): found.append(device.instance)
            case .lost(let instance): found.append("-" + instance)
            case .allForNow: found.append("all")
            }
            if found.count == count { break }
        }
        return found
    }

    @Test(
        "each gets the devices that it looks for, also those that came before; the network is asked once",
        .timeLimit(.minutes(5)))
    func filters() async throws {
        let network = Network()
        let browse = SharedBrowse(network)
        network.tell(.found(try device(7, "A")))
        network.tell(.found(try device(8, "B")))
        #expect(try await first(1, browse.browseCommissionable(.longDiscriminator(8))) == ["B"])
        let later = browse.browseCommissionable(.longDiscriminator(7))
        network.tell(.lost(instance: "A"))
        #expect(try await first(2, later) == ["A", "-A"])
        let gone = browse.browseCommissionable(.any)
        network.tell(.allForNow)
        #expect(try await first(2, gone) == ["B", "all"])
        #expect(network.browses == 1)
    }

    @Test("a search for what the look-out is for gets all of it: it alone knows subtypes", .timeLimit(.minutes(5)))
    func subtypes() async throws {
        let network = Network()
        let browse = SharedBrowse(network, for: .longDiscriminator(7))
        network.tell(.found(try device(nil, "A")))
        #expect(try await first(1, browse.browseCommissionable(.longDiscriminator(7))) == ["A"])
    }

    @Test(
        "its failure is told to those that look and to those that come later; it ends with its last user",
        .timeLimit(.minutes(5)))
    func failure() async throws {
        let network = Network()
        var browse: SharedBrowse? = SharedBrowse(network)
        let early = try #require(browse?.browseCommissionable(.any))
        network.fail(DiscoveryError(.refused, "no"))
        await #expect(throws: DiscoveryError.self) { _ = try await first(1, early) }
        let late = try #require(browse?.browseCommissionable(.longDiscriminator(1)))
        await #expect(throws: DiscoveryError.self) { _ = try await first(1, late) }
        let other = Network()
        browse = SharedBrowse(other)
        #expect(other.browses == 1)
        browse = nil
        while other.ends == 0 { await Task.yield() }
    }
}
