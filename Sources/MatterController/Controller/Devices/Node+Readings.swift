public import MatterState

/// A value that a device measures or tells of itself, as people say it.
public struct NodeReading: Sendable, Hashable {
    /// Where it comes from.
    public let endpoint: EndpointID
    /// Its quantity: `temperature`, `battery`, `contact`.
    public let name: String
    /// The value with its unit or as a word: `21.50 °C`, `occupied`.
    public let text: String
    /// The number or word for programs: `2150`.
    public let plain: String
    /// One step of the number, `0.01 °C`; `nil` if it has no unit.
    public let unit: String?
    /// The value, as the node said it.
    public let value: TLVValue

    init?(_ taken: TakenReading) {
        guard let value = taken.report.value else { return nil }
        endpoint = taken.report.path.endpoint
        name = taken.reading.name
        text = taken.reading.text(value, measured: taken.measured)
        plain = taken.reading.plain(value)
        unit = taken.reading.unit(measured: taken.measured)
        self.value = value
    }
}

/// The state of a node, or of a device behind a bridge, at a glance.
public struct DeviceState: Sendable {
    /// Its name; `nil` if it has no name.
    public let name: String?
    /// The room that it is in.
    public let room: String?
    /// The endpoint, of a device behind a bridge.
    public let endpoint: EndpointID?
    /// The state in words: `on 50%`, `locked`, `21.50 °C, heat to 22.00 °C`; empty if nothing is known.
    public let text: String
    /// Whether the node answers, or its bridge reaches the device.
    public let isReachable: Bool
    /// The charge of its battery, with the unit; `nil` if it has none or does not say.
    public let battery: String?
    /// Why the node gave no answer.
    public let failure: MatterError?

    init(_ status: DeviceStatus) {
        name = status.device?.title ?? status.node.name
        room = status.room
        endpoint = status.device.map { EndpointID($0.endpoint.number) }
        text = status.text
        isReachable = status.isReachable
        battery = status.battery.flatMap { NodeReading($0)?.text }
        failure = status.failure.map { MatterError($0) }
    }
}

extension Node {
    /// The node's measurements and states: sensors, motion, energy, thermostat and battery.
    ///
    /// - Returns: the values by endpoint.
    /// - Throws: ``MatterError`` `unsupported` if it measures nothing.
    public func readings(within time: Duration? = nil) async throws -> [NodeReading] {
        try await reportingErrors {
            var kinds: [Reading] = []
            // A thermostat is a thermometer too.
            for kind in [SensorKind.kind, ThermostatKind.kind, BatteryKind.kind].flatMap(\.readings)
            where !kinds.contains(where: { $0.cluster == kind.cluster && $0.attribute == kind.attribute }) {
                kinds.append(kind)
            }
            return try await controller.devices.readings(
                kinds, of: record, endpoint: nil, title: record.title, lack: "measures nothing", budget: Budget(time)
            ).compactMap { NodeReading($0) }
        }
    }

    /// The state of the node at a glance, and those of the devices behind it. A node that gives no answer is no error.
    ///
    /// - Throws: ``MatterError``.
    public func state(within time: Duration? = nil) async throws -> [DeviceState] {
        try await reportingErrors {
            try await controller.devices.status(of: record, budget: Budget(time)).map { DeviceState($0) }
        }
    }
}
