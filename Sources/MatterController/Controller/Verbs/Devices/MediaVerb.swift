public import MatterModel

/// Plays media (Matter application cluster specification 6.10.7).
public enum MediaVerb: String, DeviceVerb {
    /// A button of the player.
    case play, pause, stop, next, previous

    /// The cluster that is controlled.
    public var cluster: ClusterID { MediaPlayback.id }

    /// What is sent to a device of which these facts are known.
    ///
    /// - Throws: ``ControllerError`` if the device cannot do it.
    public func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        switch self {
        case .play: try request(MediaPlayback.Play(), to: .playing, facts)
        case .pause: try request(MediaPlayback.Pause(), to: .paused, facts)
        case .stop: try request(MediaPlayback.Stop(), to: .notPlaying, facts)
        case .next: try request(MediaPlayback.Next(), facts)
        case .previous: try request(MediaPlayback.Previous(), facts)
        }
    }

    private func request(
        _ command: some ClusterCommand, to state: MediaPlayback.PlaybackState? = nil, _ facts: DeviceFacts
    ) throws(ControllerError) -> DeviceRequest {
        try facts.require(type(of: command).id, "do '\(rawValue)'")
        return DeviceRequest(command, attribute: MediaPlayback.Attribute.currentState, goal: state?.tlv)
    }
}
