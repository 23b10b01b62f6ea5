package import MatterDataModel

/// Moves a blind, a shutter or a curtain (Matter application cluster specification 5.3.7).
package enum CoverVerb: DeviceVerb {
    case open, close, stop
    /// In steps of 0.01 %: 0 is open, 10000 is closed.
    case position(UInt16)
    /// In steps of 0.01 %: 0 lets the most light in, 10000 the least.
    case tilt(UInt16)

    package var cluster: ClusterID { WindowCovering.id }

    package func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        typealias Command = WindowCovering.Command
        let lift = WindowCovering.Attribute.targetPositionLiftPercent100ths
        let slats = WindowCovering.Attribute.targetPositionTiltPercent100ths
        let main = facts.has(WindowCovering.Feature.lift) ? lift : slats
        switch self {
        case .open: return DeviceRequest(Command.upOrOpen, attribute: main)
        case .close: return DeviceRequest(Command.downOrClose, attribute: main)
        case .stop: return DeviceRequest(Command.stopMotion, attribute: main)
        case .position(let position):
            try facts.require(
                [WindowCovering.Feature.lift, WindowCovering.Feature.positionAwareLift], "position that can be set")
            try facts.require(Command.goToLiftPercentage, "move to a position, only open and close")
            return DeviceRequest(Command.goToLiftPercentage, [position.tlv], attribute: lift)
        case .tilt(let tilt):
            try facts.require(
                [WindowCovering.Feature.tilt, WindowCovering.Feature.positionAwareTilt], "tilt that can be set")
            try facts.require(Command.goToTiltPercentage, "tilt to a position")
            return DeviceRequest(Command.goToTiltPercentage, [tilt.tlv], attribute: slats)
        }
    }
}
