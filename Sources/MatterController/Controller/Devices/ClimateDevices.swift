public import MatterNetwork

/// A thermostat (Matter application cluster specification).
public struct ThermostatDevice: DevicePart {
    /// Thermostat.
    public static let cluster = Thermostat.id
    /// The node.
    public let node: Node
    /// The endpoint.
    public let endpoint: EndpointID?

    /// The thermostat on an endpoint.
    public init(_ node: Node, at endpoint: EndpointID?) {
        self.node = node
        self.endpoint = endpoint
    }

    /// The temperature that it measures; `nil` if it does not know.
    ///
    /// - Throws: ``MatterError``.
    public func temperature(within time: Duration? = nil) async throws -> Temperature? {
        try await node.read(Thermostat.localTemperature, at: endpoint, within: time)
            .map { Temperature(hundredths: $0) }
    }

    /// Sets the temperature of what it does at present, heat or cool.
    ///
    /// - Throws: ``MatterError`` `unsupported` in a mode in which one temperature is not enough, or out of its limits; nothing was
    ///   sent then.
    public func set(_ temperature: Temperature, within time: Duration? = nil) async throws {
        try await perform(ThermostatVerb.set(temperature.hundredths), time)
    }

    /// Sets the temperature to which it heats.
    ///
    /// - Throws: ``MatterError``.
    public func heat(to temperature: Temperature, within time: Duration? = nil) async throws {
        try await perform(ThermostatVerb.heat(temperature.hundredths), time)
    }

    /// Sets the temperature to which it cools.
    ///
    /// - Throws: ``MatterError``.
    public func cool(to temperature: Temperature, within time: Duration? = nil) async throws {
        try await perform(ThermostatVerb.cool(temperature.hundredths), time)
    }

    /// Sets what it does: heat, cool, both by itself, or nothing.
    ///
    /// - Throws: ``MatterError``.
    public func set(mode: Thermostat.SystemMode, within time: Duration? = nil) async throws {
        try await perform(ThermostatVerb.mode(mode), time)
    }
}

/// A fan (Matter application cluster specification).
public struct FanDevice: DevicePart {
    /// FanControl.
    public static let cluster = FanControl.id
    /// The node.
    public let node: Node
    /// The endpoint.
    public let endpoint: EndpointID?

    /// The fan on an endpoint.
    public init(_ node: Node, at endpoint: EndpointID?) {
        self.node = node
        self.endpoint = endpoint
    }

    /// Sets the speed.
    ///
    /// - Parameter percent: 0 to 100; 0 switches it off.
    /// - Throws: ``MatterError``.
    public func set(percent: UInt8, within time: Duration? = nil) async throws {
        guard percent <= 100 else {
            throw MatterError(InteractionError(.invalidRequest, "the speed of a fan is 0 to 100 %"))
        }
        try await perform(FanVerb.percent(percent), time)
    }

    /// Sets the mode.
    ///
    /// - Throws: ``MatterError``.
    public func set(mode: FanControl.FanMode, within time: Duration? = nil) async throws {
        try await perform(FanVerb.mode(mode), time)
    }

    /// Sets the direction of the air.
    ///
    /// - Throws: ``MatterError``.
    public func set(direction: FanControl.AirflowDirection, within time: Duration? = nil) async throws {
        try await perform(FanVerb.airflow(direction), time)
    }
}
