package import MatterBase

/// Asks for attributes and events (Matter core specification 10.7.2).
package struct ReadRequest: InteractionMessage {
    package static let opcode = InteractionModelOpcode.readRequest

    package var attributePaths: [AttributePath]
    package var eventPaths: [EventPath]
    package var eventFilters: [EventFilter]
    /// True if entries of other fabrics are left out of fabric-scoped lists.
    package var isFabricFiltered: Bool
    package var dataVersionFilters: [DataVersionFilter]

    // memberwise: package, eventPaths = [], eventFilters = [], isFabricFiltered = true, dataVersionFilters = []

    package init(fields: TLVFields) throws(TLVError) {
        attributePaths = try fields.blocks(0)
        eventPaths = try fields.blocks(1)
        eventFilters = try fields.blocks(2)
        isFabricFiltered = try fields.bool(3)
        dataVersionFilters = try fields.blocks(4)
    }

    package var members: [TLVElement] {
        [
            .blocksIfAny(0, attributePaths), .blocksIfAny(1, eventPaths), .blocksIfAny(2, eventFilters),
            .bool(3, isFabricFiltered), .blocksIfAny(4, dataVersionFilters),
        ].compactMap { $0 }
    }
}

extension ReadRequest {
    /// Requests that together ask for the same, each with no more paths than the peer has to accept.
    ///
    /// Data version filters go where their cluster is asked for, as far as there is room: a missing one costs traffic,
    /// not correctness.
    ///
    /// - Parameters:
    ///   - maxPaths: attribute and event paths in one request.
    ///   - maxPayload: bytes of one message.
    /// - Throws: ``InteractionError/Code/requestTooLarge`` if one path with the event filters exceeds a message.
    package func split(
        maxPaths: Int = InteractionModel.pathsPerRead, maxPayload: Int
    ) throws(InteractionError) -> [ReadRequest] {
        var requests: [ReadRequest] = []
        var current = ReadRequest(attributePaths: [], isFabricFiltered: isFabricFiltered)
        /// Adds a path, if need be to a new request.
        func add(_ change: (inout ReadRequest) -> Void) throws(InteractionError) {
            var grown = current
            change(&grown)
            let count = grown.attributePaths.count + grown.eventPaths.count
            if count > max(maxPaths, 1) || grown.encoded().count > maxPayload, count > 1 {
                requests.append(current)
                grown = ReadRequest(attributePaths: [], isFabricFiltered: isFabricFiltered)
                change(&grown)
            }
            guard grown.encoded().count <= maxPayload else {
                throw InteractionError(.requestTooLarge, "a read path that does not fit \(maxPayload) bytes")
            }
            current = grown
        }
        for path in attributePaths { try add { $0.attributePaths.append(path) } }
        for path in eventPaths {
            try add {
                $0.eventPaths.append(path)
                $0.eventFilters = eventFilters
            }
        }
        if current.attributePaths.count + current.eventPaths.count > 0 { requests.append(current) }
        for index in requests.indices { requests[index].addFilters(dataVersionFilters, maxPayload: maxPayload) }
        return requests
    }

    private mutating func addFilters(_ filters: [DataVersionFilter], maxPayload: Int) {
        let wanted = filters.filter { filter in attributePaths.contains { filter.applies(to: $0) } }
        // The array takes three bytes beside its members.
        var room = maxPayload - encoded().count - 3
        for filter in wanted {
            let size = filter.encodedMember().count
            guard size <= room else { break }
            room -= size
            dataVersionFilters.append(filter)
        }
    }

    /// - Throws: what makes the request one that cannot be sent.
    func check(maxPayload: Int) throws(InteractionError) {
        guard !attributePaths.isEmpty || !eventPaths.isEmpty else {
            throw InteractionError(.invalidRequest, "a read without paths")
        }
        if let path = attributePaths.first(where: { !$0.isReadable }) {
            throw InteractionError(
                .invalidRequest, "\(path): a path for all clusters can only name a global attribute")
        }
        guard encoded().count <= maxPayload else {
            throw InteractionError(.requestTooLarge, "a ReadRequest that does not fit \(maxPayload) bytes")
        }
    }
}
