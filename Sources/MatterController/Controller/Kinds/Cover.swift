public import MatterModel

/// Blinds, shutters and curtains (Matter application cluster specification 5.3).
enum CoverKind: DeviceKindDeclaration {
    static let name = "cover"
    private typealias Attribute = WindowCovering.Attribute

    static var repeatable: [ClusterID: Set<String>] {
        [
            WindowCovering.id: [
                "UpOrOpen", "DownOrClose", "StopMotion", "GoToLiftValue", "GoToLiftPercentage", "GoToTiltValue",
                "GoToTiltPercentage",
            ]
        ]
    }

    static let kind = DeviceKind(
        name, "Blinds, shutters and curtains.",
        details: "Of a position and of slats, 0% is open and 100% is closed.",
        example: "bedroom 40%", trait: "is a blind",
        synonyms: ["blind", "blinds", "shade", "shutter", "curtain", "position"],
        readings: [
            Reading(WindowCovering.id, Attribute.currentPositionLiftPercent100ths, "position"),
            Reading(WindowCovering.id, Attribute.targetPositionLiftPercent100ths, "moving to"),
            Reading(WindowCovering.id, Attribute.currentPositionTiltPercent100ths, "tilt"),
        ],
        glance: [
            Reading(
                WindowCovering.id, Attribute.currentPositionLiftPercent100ths, "position",
                glance: .say { value, _ in
                    let position: Int? = value.integer()
                    return position.map { $0 == 0 ? "open" : $0 == 10000 ? "closed" : "\($0 / 100)% closed" }
                })
        ],
        verbs: [
            .init("position", "Move to a position.", value: .share, isUsual: true) { share, _ in
                CoverVerb.position(share)
            },
            .init("open", "Open it.", synonyms: ["open"]) { _ in CoverVerb.open },
            .init("close", "Close it.", synonyms: ["close"]) { _ in CoverVerb.close },
            .init("stop", "Stop it where it is.") { _ in CoverVerb.stop },
            .init("tilt", "Tilt the slats.", value: .share) { share, _ in CoverVerb.tilt(share) },
        ])
}

/// Moves a blind, a shutter or a curtain (Matter application cluster specification 5.3.7).
public enum CoverVerb: DeviceVerb {
    /// Opens it.
    case open, close, stop
    /// In steps of 0.01 %: 0 is open, 10000 is closed.
    case position(UInt16)
    /// In steps of 0.01 %: 0 lets the most light in, 10000 the least.
    case tilt(UInt16)

    /// The cluster that is controlled.
    public var cluster: ClusterID { WindowCovering.id }

    /// A motor may report its way in steps.
    private static let pause = Duration.seconds(6)

    /// The commands for a device with these facts.
    ///
    /// - Throws: ``ControllerError`` if the device cannot do it.
    public func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        typealias Command = WindowCovering.Command
        let lift = WindowCovering.Attribute.currentPositionLiftPercent100ths
        let slats = WindowCovering.Attribute.currentPositionTiltPercent100ths
        let main = facts.has(WindowCovering.Feature.lift) ? lift : slats
        func request(
            _ command: some ClusterCommand, _ attribute: AttributeID, goal: UInt16
        ) -> DeviceRequest {
            DeviceRequest(command, attribute: attribute, goal: goal.tlv, pause: Self.pause)
        }
        switch self {
        case .open: return request(WindowCovering.UpOrOpen(), main, goal: 0)
        case .close: return request(WindowCovering.DownOrClose(), main, goal: 10000)
        case .stop: return DeviceRequest(WindowCovering.StopMotion(), attribute: main)
        case .position(let position):
            try facts.require(
                [WindowCovering.Feature.lift, WindowCovering.Feature.positionAwareLift], "position that can be set")
            try facts.require(Command.goToLiftPercentage, "move to a position, only open and close")
            return request(
                WindowCovering.GoToLiftPercentage(liftPercent100thsValue: position), lift, goal: position)
        case .tilt(let tilt):
            try facts.require(
                [WindowCovering.Feature.tilt, WindowCovering.Feature.positionAwareTilt], "tilt that can be set")
            try facts.require(Command.goToTiltPercentage, "tilt to a position")
            return request(WindowCovering.GoToTiltPercentage(tiltPercent100thsValue: tilt), slats, goal: tilt)
        }
    }
}
