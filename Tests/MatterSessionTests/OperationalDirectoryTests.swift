import MatterTestKit
import Synchronization
import Testing

@testable import MatterNetwork

/// The look-ups of a process that follows many nodes.
@Suite("Operational directory", .virtualTime)
struct OperationalDirectoryTests {
    /// A network whose nodes come and go.
    private final class Network: Discovery {
        private struct State {
            var lookUps: [UInt64: Int] = [:]
            var now = 0
            var most = 0
            var browses = 0
            var browsers: [Int: AsyncThrowingStream<OperationalEvent, any Error>.Continuation] = [:]
            var answering: Set<UInt64>
        }

        private let state: Mutex<State>

        init(answering: Set<UInt64>) { state = Mutex(State(answering: answering)) }

        var most: Int { state.withLock { $0.most } }
        var browses: Int { state.withLock { $0.browses } }
        var browsing: Int { state.withLock { $0.browsers.count } }
        func lookUps(of node: UInt64) -> Int { state.withLock { $0.lookUps[node] ?? 0 } }

        /// Tells the browsers of a node.
        func tell(_ event: OperationalEvent) {
            state.withLock { state in
                if case .found(let instance) = event { state.answering.insert(instance.nodeID) }
                for browser in state.browsers.values { browser.yield(event) }
            }
        }

        func browseCommissionable(
            _ filter: CommissionableFilter, includingClosed: Bool
        ) -> AsyncThrowingStream<CommissionableEvent, any Error> {
            AsyncThrowingStream { $0.finish() }
        }

        func resolveOperational(
            compressedFabricID: UInt64, nodeID: UInt64
        ) -> AsyncThrowingStream<OperationalUpdate, any Error> {
            AsyncThrowingStream { continuation in
                let answers = state.withLock { state in
                    state.lookUps[nodeID, default: 0] += 1
                    state.now += 1
                    state.most = max(state.most, state.now)
                    return state.answering.contains(nodeID)
                }
                continuation.onTermination = { [self] _ in state.withLock { $0.now -= 1 } }
                guard answers else { return }
                let address = ResolvedAddress(octets: [10, 0, 0, UInt8(truncatingIfNeeded: nodeID)], port: 5540)
                continuation.yield(
                    .found(
                        OperationalNode(
                            instance: OperationalInstance(compressedFabricID: compressedFabricID, nodeID: nodeID),
                            host: "node", port: 5540, addresses: [address].compactMap(\.self),
                            record: OperationalRecord(.empty))))
            }
        }

        func browseOperational(
            compressedFabricID: UInt64?
        ) -> AsyncThrowingStream<OperationalEvent, any Error> {
            AsyncThrowingStream { continuation in
                let id = state.withLock { state in
                    state.browses += 1
                    state.browsers[state.browses] = continuation
                    return state.browses
                }
                continuation.onTermination = { [self] _ in state.withLock { $0.browsers[id] = nil } }
            }
        }

        func check() {}
    }

    private static let fabric: UInt64 = 7

    private static func instance(_ node: UInt64) -> OperationalInstance {
        OperationalInstance(compressedFabricID: fabric, nodeID: node)
    }

    private func directory(_ network: Network) -> OperationalDirectory {
        OperationalDirectory(network, compressedFabricID: Self.fabric, time: testTime)
    }

    /// The time until a node is found, and until the search is given up.
    private func search(_ node: UInt64, _ directory: OperationalDirectory, patience: Duration) -> Task<
        Duration?, any Error
    > {
        inBackground {
            let begun = Instant.testNow
            return try await withThrowingTaskGroup(of: Duration?.self) { group in
                group.addTask {
                    for try await update in directory.resolveOperational(
                        compressedFabricID: Self.fabric, nodeID: node)
                    {
                        if case .found = update { return Instant.testNow - begun }
                    }
                    return nil
                }
                group.addTask {
                    try await testTime.sleep(for: patience)
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        }
    }

    @Test("a thousand nodes are looked up a few at a time, half of them silent, and one browse is enough")
    func crowd() async throws {
        let network = Network(answering: Set((0..<1000).filter { $0.isMultiple(of: 2) }))
        let directory = directory(network)
        let searches = (0..<1000).map { search($0, directory, patience: .seconds(30)) }
        var found: [UInt64] = []
        for (node, search) in searches.enumerated() where try await search.value != nil { found.append(UInt64(node)) }
        // A silent node is looked up for three seconds: 32 in three seconds, 320 in thirty.
        #expect(found.count >= 300 && found.allSatisfy { $0.isMultiple(of: 2) }, "\(found.count)")
        #expect(network.most == 32 && network.browses == 1)
        try await eventually { network.browsing == 0 }
    }

    @Test("a silent node is looked up again when it arrives, and not before the pause is over")
    func arrival() async throws {
        let network = Network(answering: [])
        let directory = directory(network)
        let search = search(5, directory, patience: .seconds(60))
        try await testTime.sleep(for: .seconds(1))
        // All that is there at the beginning is no arrival; a node of another number is none of this one.
        network.tell(.allForNow)
        try await testTime.sleep(for: .seconds(4))
        #expect(network.lookUps(of: 5) == 1)
        network.tell(.found(Self.instance(6)))
        try await testTime.sleep(for: .seconds(1))
        #expect(network.lookUps(of: 5) == 1)
        network.tell(.found(Self.instance(5)))
        #expect(try await search.value == .seconds(6))
        #expect(network.lookUps(of: 5) == 2)
    }

    @Test("without a browse that says anything, a silent node is looked up again after the pause")
    func pause() async throws {
        let network = Network(answering: [])
        let search = search(5, directory(network), patience: .seconds(40))
        #expect(try await search.value == nil)
        #expect(network.lookUps(of: 5) == 4)
    }

    @Test("an arrival is told, or kept for who waits next; a node that stays is none")
    func arrivals() async throws {
        let network = Network(answering: [])
        let arrival = Arrival(of: 5, in: directory(network))
        try await eventually { network.browsing == 1 }
        network.tell(.found(Self.instance(5)))
        network.tell(.allForNow)
        network.tell(.found(Self.instance(5)))
        try await testTime.sleep(for: .seconds(1))
        let begun = Instant.testNow
        try await arrival.wait(atMost: .seconds(9))
        #expect(Instant.testNow - begun == .seconds(9))
        network.tell(.lost(Self.instance(5)))
        network.tell(.found(Self.instance(5)))
        try await testTime.sleep(for: .seconds(1))
        try await arrival.wait(atMost: .seconds(9))
        #expect(Instant.testNow - begun == .seconds(10))
        let told = Mutex(0)
        arrival.tell { told.withLock { $0 += 1 } }
        network.tell(.lost(Self.instance(5)))
        network.tell(.found(Self.instance(5)))
        try await testTime.sleep(for: .seconds(1))
        #expect(told.withLock { $0 } == 1)
        arrival.tell(nil)
        try await arrival.wait(atMost: .seconds(3))
        #expect(Instant.testNow - begun == .seconds(14), "what was told is not kept")
    }
    @Test("a node that leaves and comes back before all others have answered has arrived")
    func earlyArrival() async throws {
        let network = Network(answering: [])
        let arrival = Arrival(of: 5, in: directory(network))
        try await eventually { network.browsing == 1 }
        let told = Mutex(0)
        arrival.tell { told.withLock { $0 += 1 } }
        network.tell(.found(Self.instance(5)))
        network.tell(.lost(Self.instance(5)))
        network.tell(.found(Self.instance(5)))
        try await testTime.sleep(for: .seconds(1))
        #expect(told.withLock { $0 } == 1)
    }
}
