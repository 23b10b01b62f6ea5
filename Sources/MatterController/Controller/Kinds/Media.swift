public import MatterModel

/// Players and speakers (Matter application cluster specification 6.10).
enum MediaKind: DeviceKindDeclaration {
    static let name = "media"
    private typealias Attribute = MediaPlayback.Attribute

    static var repeatable: [ClusterID: Set<String>] {
        [
            MediaPlayback.id: ["Play", "Pause", "Stop"], 0x0504: ["ChangeChannelByNumber"],
            0x0507: ["SelectInput", "RenameInput"], 0x050B: ["SelectOutput", "RenameOutput"],
        ]
    }

    static let kind = DeviceKind(
        name, "Players and speakers.", example: "volume tv 30%", trait: "is a media player",
        synonyms: ["tv", "player", "speaker"],
        readings: [
            Reading(MediaPlayback.id, Attribute.currentState, "state"),
            Reading(MediaPlayback.id, Attribute.playbackSpeed, "speed"),
            Reading(MediaPlayback.id, Attribute.duration, "length", .unit(.milliseconds)),
            Reading(LevelControl.id, LevelControl.Attribute.currentLevel, "volume", on: .speaker),
            Reading(OnOff.id, OnOff.Attribute.onOff, "sound on", on: .speaker),
        ],
        glance: [Reading(MediaPlayback.id, Attribute.currentState, "playback", glance: .words)],
        also: [LevelControl.id],
        verbs: [
            .init("play", "Play.", synonyms: ["play"]) { _ in MediaVerb.play },
            .init("pause", "Pause.") { _ in MediaVerb.pause },
            .init("stop", "Stop.") { _ in MediaVerb.stop },
            .init("next", "Skip to what comes next.") { _ in MediaVerb.next },
            .init("previous", "Go back to what was before.") { _ in MediaVerb.previous },
            .init("volume", "Set the volume.", value: .level, synonyms: ["volume"]) { level, _ in Verb.volume(level) },
        ])
}

/// Plays media (Matter application cluster specification 6.10.7).
public enum MediaVerb: String, DeviceVerb {
    /// A button of the player.
    case play, pause, stop, next, previous

    /// The cluster that is controlled.
    public var cluster: ClusterID { MediaPlayback.id }

    /// The commands for a device with these facts.
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
