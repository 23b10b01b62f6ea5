import MatterBase
package import MatterModel

/// Plays media (Matter application cluster specification 6.10.7).
package enum MediaVerb: String, DeviceVerb {
    case play, pause, stop, next, previous

    package var cluster: ClusterID { MediaPlayback.id }

    package func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        typealias Command = MediaPlayback.Command
        let command =
            switch self {
            case .play: Command.play
            case .pause: Command.pause
            case .stop: Command.stop
            case .next: Command.next
            case .previous: Command.previous
            }
        try facts.require(command, "do '\(rawValue)'")
        return DeviceRequest(command, attribute: MediaPlayback.Attribute.currentState, goal: goal?.tlv)
    }

    /// PlaybackStateEnum.
    private var goal: UInt8? {
        switch self {
        case .play: 0
        case .pause: 1
        case .stop: 2
        case .next, .previous: nil
        }
    }
}
