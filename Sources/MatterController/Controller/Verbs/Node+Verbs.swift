import MatterModel

extension Node {
    /// Switches on.
    ///
    /// - Throws: ``MatterError``.
    public func on(at endpoint: EndpointID? = nil, within time: Duration? = nil) async throws {
        try await perform(.on, endpoint, time)
    }

    /// Switches off.
    ///
    /// - Throws: ``MatterError``.
    public func off(at endpoint: EndpointID? = nil, within time: Duration? = nil) async throws {
        try await perform(.off, endpoint, time)
    }

    /// Switches on what is off, and off what is on; at most once.
    ///
    /// - Throws: ``MatterError`` `outcomeUnknown` if no answer came and it may have happened.
    public func toggle(at endpoint: EndpointID? = nil, within time: Duration? = nil) async throws {
        try await perform(.toggle, endpoint, time)
    }

    /// Dims to a level. A light that is off comes on, and level 0 switches it off.
    ///
    /// - Parameters:
    ///   - level: 0 to 254.
    ///   - transition: how long the change takes, at most 6553 s; the device chooses by default.
    /// - Throws: ``MatterError``.
    public func level(
        _ level: UInt8, over transition: Duration? = nil, at endpoint: EndpointID? = nil, within time: Duration? = nil
    ) async throws {
        if let transition, !(.zero ... .seconds(6553)).contains(transition) {
            throw MatterError(InteractionError(.invalidRequest, "a transition takes at most 6553 s"))
        }
        try await perform(.level(level, transition: transition), endpoint, time)
    }

    private func perform(_ verb: Verb, _ endpoint: EndpointID?, _ time: Duration?) async throws {
        try await reportingErrors {
            _ = try await controller.devices.carryOut(verb, on: record, endpoint: endpoint, budget: Budget(time))
        }
    }
}
