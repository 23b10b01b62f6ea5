public import MatterState

extension DeviceService {
    /// Asks a node for its state and that of the devices behind it. What it tells of its reachability and its firmware is
    /// kept. A node that gives no answer is no error.
    ///
    /// - Parameter count: how many nodes are asked together.
    /// - Throws: `CancellationError`.
    public func status(of node: NodeRecord, among count: Int = 1, budget: Budget) async throws -> [DeviceStatus] {
        if let known = await known(node) { return known }
        let patience = nodes.patience(with: node, among: count, budget)
        let began = nodes.options.time.now
        do {
            let answer = try await links.withLink(to: node) { _ in
                let deadline = patience.budget.deadline(for: node)
                var record = node.endpoints.isEmpty ? try await nodes.refreshedToShow(node, deadline: deadline) : node
                var (taken, told) = try await state(of: record, deadline: deadline)
                if record.isBridge, Self.hasOthers(record, told) {
                    record = try await nodes.refreshedToShow(record, deadline: deadline)
                    taken = try await state(of: record, deadline: deadline).readings
                }
                return DeviceStatus.all(try await noted(taken, of: record), taken)
            }
            nodes.learn(of: node, nil, after: patience)
            return answer
        } catch {
            try Task.checkCancellation()
            nodes.learn(of: node, error, after: patience)
            let known = (try? links.withLastSeen([node]))?.first
            let silence = NodeService.isSilence(error) ? nodes.options.time.now - began : nil
            return DeviceStatus.all(known ?? node, [], failure: error, silence: silence)
        }
    }

    /// The state of a node from memory; `nil` if it has to be asked.
    private func known(_ node: NodeRecord) async -> [DeviceStatus]? {
        guard !node.endpoints.isEmpty, let known = context.known else { return nil }
        let places = places(of: Reading.state, at: node.endpoints)
        guard let state = await known.state(of: node.nodeID, at: places.paths) else { return nil }
        var record = node
        if let heard = state.heard { record.seenAt = nodes.options.unixTime() - heard.components.seconds }
        let failure = state.failure.map { why in
            SessionError(.noReply, phase: .case, "it was not reached when it was tried last: \(why)")
        }
        let silence = failure == nil ? nil : state.heard
        return DeviceStatus.all(
            record, places.taken(from: state), failure: failure, silence: silence, heard: state.heard)
    }

    /// The values of a node, and of a bridge what is behind it.
    private func state(
        of node: NodeRecord, deadline: Instant
    ) async throws -> (readings: [TakenReading], result: ReadResult) {
        try await taken(
            Reading.state, from: node.endpoints, of: node, beside: node.isBridge ? Self.others : [], deadline: deadline)
    }

    /// The attributes about devices behind a bridge: they come, go and are replaced after it was commissioned.
    private static let others = [
        AttributePath(cluster: Descriptor.id, attribute: Descriptor.Attribute.deviceTypeList),
        AttributePath(
            cluster: BridgedDeviceBasicInformation.id, attribute: BridgedDeviceBasicInformation.Attribute.nodeLabel),
    ]

    /// Whether other devices are behind a bridge than those that are known: other endpoints, device types or labels. An
    /// endpoint whose list of device types cannot be read is left out on both sides.
    private static func hasOthers(_ node: NodeRecord, _ result: ReadResult) -> Bool {
        let told = EndpointDescription.all(in: result).filter { !$0.deviceTypes.isEmpty }
        let known = node.endpoints.filter { !$0.deviceTypes.isEmpty }.sorted { $0.number < $1.number }
        guard !told.isEmpty else { return false }
        return !known.elementsEqual(told) { known, told in
            known.number == told.endpoint.rawValue && known.deviceTypes == told.deviceTypes.map(\.rawValue)
                && (known.bridged == nil || known.bridged?.label == told.label)
        }
    }

    private func noted(_ taken: [TakenReading], of node: NodeRecord) async throws -> NodeRecord {
        let now = options.unixTime()
        @Sendable func note(_ record: inout NodeRecord) {
            record.seenAt = now
            for taken in taken {
                switch (taken.reading.name, taken.report.value) {
                case ("firmware", .string(let text)): record.firmware = text
                case ("reachable", .bool(let isReachable)):
                    record.update(bridged: taken.report.path.endpoint.rawValue) { $0.isReachable = isReachable }
                default: break
                }
            }
        }
        var record = node
        note(&record)
        // A state directory that cannot be written is no reason to tell nothing.
        try? await context.nodes().update(node.nodeID, note)
        return record
    }
}
