public import MatterModel

/// Robots that clean the floor (Matter application cluster specification 7.2 to 7.4).
enum VacuumKind: DeviceKindDeclaration {
    static let name = "vacuum"
    private typealias Cluster = RvcOperationalState

    static var repeatable: [ClusterID: Set<String>] {
        [Cluster.id: ["Pause", "GoHome"], 0x0150: ["SelectAreas"]]
    }

    static let kind = DeviceKind(
        name, "Vacuum cleaners.", example: "start robot", trait: "is a vacuum cleaner",
        synonyms: ["robot", "hoover"],
        readings: [
            Reading(Cluster.id, Cluster.Attribute.operationalState, "state", .named("OperationalStateEnum")),
            Reading(Cluster.id, Cluster.Attribute.operationalError, "error", .named("ErrorStateEnum")),
            Reading(Cluster.id, Cluster.Attribute.countdownTime, "time left"),
        ],
        glance: [
            Reading(
                Cluster.id, Cluster.Attribute.operationalState, "cleaner", .named("OperationalStateEnum"),
                glance: .words)
        ],
        verbs: [
            .init("start", "Start to clean.", synonyms: ["clean"]) { _ in VacuumVerb.start },
            .init("pause", "Pause.") { _ in VacuumVerb.pause },
            .init("resume", "Go on after a pause.") { _ in VacuumVerb.resume },
            .init("home", "Drive to the dock.", aliases: ["dock"]) { _ in VacuumVerb.home },
            .init("stop", "Stop.") { _ in VacuumVerb.stop },
        ])
}

/// Tells a vacuum cleaner what to do (Matter application cluster specification 7.2 and 7.4).
public enum VacuumVerb: DeviceVerb {
    /// The vacuum cleaner's task.
    case start, stop, pause, resume, home

    /// The cluster that is controlled.
    public var cluster: ClusterID {
        switch self {
        case .start, .stop: RvcRunMode.id
        case .pause, .resume, .home: RvcOperationalState.id
        }
    }

    /// The commands for a device with these facts.
    ///
    /// - Throws: ``ControllerError`` if the device cannot do it.
    public func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        typealias Command = RvcOperationalState.Command
        let state = RvcOperationalState.Attribute.operationalState
        switch self {
        case .start: return try ModeVerb(cluster, "Cleaning").request(facts)
        case .stop: return try ModeVerb(cluster, "Idle").request(facts)
        case .pause:
            try facts.require(Command.pause, "pause")
            return DeviceRequest(RvcOperationalState.Pause(), attribute: state)
        case .resume:
            try facts.require(Command.resume, "resume")
            return DeviceRequest(RvcOperationalState.Resume(), attribute: state)
        case .home:
            try facts.require(Command.goHome, "go home")
            return DeviceRequest(RvcOperationalState.GoHome(), attribute: state)
        }
    }
}
