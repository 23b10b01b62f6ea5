public import MatterState

/// The state of a node, or of a device behind a bridge, at a glance.
public struct DeviceStatus: Sendable {
    /// As it is known now.
    public let node: NodeRecord
    /// The devices behind the node, if it is a bridge.
    public let device: BridgedEndpoint?
    /// Whether the node answers us, or its bridge reaches the device.
    public let isReachable: Bool
    /// Its reports, beside the battery and whether it is reachable.
    public let readings: [TakenReading]
    /// The battery that is lowest; `nil` if there is none.
    public let battery: TakenReading?
    /// Why the node gave no answer.
    public let failure: (any Error)?
    /// How long the node, or its bridge, was waited for in vain; `nil` if it answered.
    public let silence: Duration?
    /// How long ago the node was last heard, where its state is told from memory; `nil` if it was asked.
    public let heard: Duration?

    /// The room; `nil` if none is known.
    public var room: String? { device?.room ?? node.room }

    /// The values of a node, each for the device that it is about; the node itself comes first.
    init(
        _ node: NodeRecord, failure: (any Error)?, silence: Duration?, heard: Duration?, device: BridgedEndpoint?,
        _ taken: [TakenReading]
    ) {
        func value(_ name: String) -> TakenReading? { taken.first { $0.reading.name == name } }
        self.node = node
        self.device = device
        self.failure = failure
        self.silence = silence
        self.heard = heard
        battery = value("battery")
        let isNear = device == nil || value("reachable")?.report.value != .bool(false)
        isReachable = failure == nil && isNear
        readings = taken.filter { !["battery", "reachable", "firmware"].contains($0.reading.name) }
    }

    /// The devices of a node: itself, and those behind it.
    static func all(
        _ node: NodeRecord, _ taken: [TakenReading], failure: (any Error)? = nil, silence: Duration? = nil,
        heard: Duration? = nil
    ) -> [DeviceStatus] {
        func values(at endpoints: [NodeRecord.Endpoint]) -> [TakenReading] {
            taken.filter { taken in endpoints.contains { $0.number == taken.report.path.endpoint.rawValue } }
        }
        let own = values(at: node.endpoints.filter { $0.bridged == nil })
        return [DeviceStatus(node, failure: failure, silence: silence, heard: heard, device: nil, own)]
            + node.bridged.map {
                DeviceStatus(
                    node, failure: failure, silence: silence, heard: heard, device: $0, values(at: [$0.endpoint]))
            }
    }

    /// Whether an attribute tells the state of a device, here or where its kind is shown.
    public static func tells(_ path: ConcreteAttributePath) -> Bool {
        states[path.cluster]?.contains(path.attribute) ?? false
    }

    private static let states: [ClusterID: Set<AttributeID>] = {
        // Which scene the state is that of is no state of its own.
        let kinds = DeviceKind.all.filter { $0 != SceneKind.self }
        let readings = Reading.state.filter { $0.name != "firmware" } + kinds.flatMap { $0.kind.readings }
        return readings.reduce(into: [:]) { $0[$1.cluster, default: []].insert($1.attribute) }
    }()

    // MARK: For people

    /// `on 50%`, `locked`, `21.50 °C, heat to 22.00 °C`; of several endpoints each with its number. Empty if nothing is
    /// known.
    public var text: String {
        // An old state of a node that does not answer would be taken for its state now.
        guard failure == nil else { return "" }
        let endpoints = node.endpoints.compactMap { endpoint -> (number: UInt16, text: String)? in
            let own = readings.filter { $0.report.path.endpoint.rawValue == endpoint.number }
            let text = Self.text(own, isContact: endpoint.deviceTypes.contains(DeviceTypeID.contactSensor.rawValue))
            return text.isEmpty ? nil : (endpoint.number, text)
        }
        return endpoints.map { endpoints.count > 1 ? "\($0.number): \($0.text)" : $0.text }.joined(separator: "; ")
    }

    private static func text(_ readings: [TakenReading], isContact: Bool) -> String {
        func raw(_ name: String) -> TLVValue? { readings.first { $0.reading.name == name }?.report.value }
        return readings.compactMap { taken -> String? in
            guard let value = taken.report.value, value != .null else { return nil }
            switch taken.reading.name {
            case "on":
                // A light that is off keeps its level.
                guard value == .bool(true) else { return "off" }
                return raw("level").flatMap(percent).map { "on \($0)" } ?? "on"
            case "level": return raw("on") == nil ? percent(value) : nil
            case "state":
                return isContact ? TakenReading.contact(value) : (value == .bool(true) ? "yes" : "no")
            default: return taken.reading.glance(value, measured: taken.measured, raw)
            }
        }.joined(separator: ", ")
    }

    private static func percent(_ level: TLVValue) -> String? {
        level.integer(as: UInt8.self).map(Int.init).map { "\(($0 * 100 + 127) / 254)%" }
    }
}
