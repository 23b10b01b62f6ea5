import MatterState

/// The node ids of a list, set aside together once the first device needs one, so that they follow the order of the list
/// and not the order in which the devices end.
actor ListedNodeIDs {
    /// Takes ids out of the state directory.
    typealias SetAside = @Sendable (_ count: Int) async throws -> [NodeID]
    /// Gives back ids that no certificate was asked for with.
    typealias GiveBack = @Sendable ([NodeID]) async throws -> Void

    private let count: Int
    private let time: any TimeSource
    private var all: Task<[NodeID], any Error>?
    private var given: Set<NodeID> = []
    private var giveBack: GiveBack?

    /// - Parameter count: the devices that need an id, as far as that is known.
    init(count: Int, time: any TimeSource) {
        self.count = count
        self.time = time
    }

    /// The id of a place of the list.
    ///
    /// - Returns: `nil` if it has none, or was given it before.
    func id(
        at place: Int, setAside: @escaping SetAside, giveBack: @escaping GiveBack
    ) async throws -> NodeID? {
        let ids = try await (all ?? begin(setAside, giveBack)).value
        guard ids.indices.contains(place), given.insert(ids[place]).inserted else { return nil }
        return ids[place]
    }

    private func begin(_ setAside: @escaping SetAside, _ giveBack: @escaping GiveBack) -> Task<[NodeID], any Error> {
        let all = Task(executorPreference: time.executor) { [count] in try await setAside(count) }
        self.all = all
        self.giveBack = giveBack
        return all
    }

    /// An id that was given is as good as new.
    ///
    /// - Returns: false if it is none of these.
    func takeBack(_ id: NodeID) -> Bool { given.remove(id) != nil }

    /// Gives back those that no device has got, at the end of the list.
    func close() async {
        guard let ids = try? await all?.value, let giveBack else { return }
        let left = ids.filter { !given.contains($0) }
        if !left.isEmpty { try? await giveBack(left) }
    }
}

extension CommissioningRequest {
    /// Where the id of a device of a list comes from.
    struct ListPlace: Sendable {
        let ids: ListedNodeIDs
        /// Counts those of its lines that need one.
        let place: Int

        /// The id that was set aside for it.
        func id(
            setAside: @escaping ListedNodeIDs.SetAside, giveBack: @escaping ListedNodeIDs.GiveBack
        ) async throws -> NodeID? { try await ids.id(at: place, setAside: setAside, giveBack: giveBack) }
    }
}
