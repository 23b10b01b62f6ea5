public import MatterModel

/// Valves (Matter application cluster specification 4.6).
enum ValveKind: DeviceKindDeclaration {
    static let name = "valve"
    private typealias Cluster = ValveConfigurationAndControl

    static var repeatable: [ClusterID: Set<String>] { [Cluster.id: ["Close"]] }

    static let kind = DeviceKind(
        name, "Valves of water and gas.", example: "open garden --for 10m --level 50%", trait: "is a valve",
        synonyms: ["tap", "sprinkler"],
        readings: [
            Reading(Cluster.id, Cluster.Attribute.currentState, "state"),
            Reading(Cluster.id, Cluster.Attribute.targetState, "moving to"),
            Reading(Cluster.id, Cluster.Attribute.currentLevel, "level"),
            Reading(Cluster.id, Cluster.Attribute.remainingDuration, "closes in"),
            Reading(Cluster.id, Cluster.Attribute.valveFault, "fault"),
        ],
        glance: [Reading(Cluster.id, Cluster.Attribute.currentState, "valve", glance: .words)],
        verbs: [
            .init(
                "open", "Open it.",
                options: [
                    .init(.time, "close by itself after this time"), .init(.level, "how far, 1%–100%"),
                ]
            ) { parameters in
                let seconds = parameters.time.map { UInt32(clamping: Int64(($0 / .seconds(1)).rounded(.up))) }
                return ValveVerb.open(seconds: seconds, level: parameters.level)
            },
            .init("close", "Close it.") { _ in ValveVerb.close },
        ])
}

/// Opens or closes a valve (Matter application cluster specification 4.6.8).
public enum ValveVerb: DeviceVerb {
    /// - Parameters:
    ///   - seconds: after which the valve closes by itself; `nil` for what the valve does by itself.
    ///   - level: 1 to 100 %; `nil` for the valve's own.
    case open(seconds: UInt32?, level: UInt8?)
    /// Closes it.
    case close

    /// The cluster that is controlled.
    public var cluster: ClusterID { ValveConfigurationAndControl.id }

    /// The commands for a device with these facts.
    ///
    /// - Throws: ``ControllerError`` if the device cannot do it.
    public func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        typealias State = ValveConfigurationAndControl.ValveState
        let state = ValveConfigurationAndControl.Attribute.currentState
        switch self {
        case .close:
            return DeviceRequest(ValveConfigurationAndControl.Close(), attribute: state, goal: State.closed.tlv)
        case .open(let seconds, let level):
            if let level {
                try facts.require(ValveConfigurationAndControl.Feature.level, "level that can be set")
                let step = facts.value(ValveConfigurationAndControl.levelStep) ?? 1
                guard level == 100 || step == 0 || level.isMultiple(of: step) else {
                    throw ControllerError(.outOfLimits, "the level of \(facts.title) goes in steps of \(step) %")
                }
            }
            // Without a duration the valve takes its own; null would let it open for good.
            return DeviceRequest(
                ValveConfigurationAndControl.Open(openDuration: seconds.map { .some($0) }, targetLevel: level),
                attribute: state, goal: State.open.tlv)
        }
    }
}
