import MatterModel

/// Media Playback (Matter application cluster specification 6.10) of a player with a list of five titles.
struct MediaPlaybackServer: ClusterServer {
    private typealias Attribute = MediaPlayback.Attribute
    private typealias Command = MediaPlayback.Command

    private typealias State = MediaPlayback.PlaybackState
    private typealias Status = MediaPlayback.Status

    private static let titles = 5

    let id = MediaPlayback.id
    let acceptedCommands: [CommandID] = [
        Command.play, Command.pause, Command.stop, Command.startOver, Command.previous, Command.next,
    ]
    let initialAttributes: [AttributeID: TLVValue] = [Attribute.currentState: State.notPlaying.tlv]
    private var title = 0

    init() {}

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let isStopped = context.number(Attribute.currentState) == State.notPlaying.rawValue
        switch command.id {
        case Command.play: set(.playing, context)
        case Command.stop: set(.notPlaying, context)
        case _ where isStopped: return answer(.invalidStateForCommand)
        case Command.pause: set(.paused, context)
        case Command.startOver: break
        case Command.next, Command.previous:
            let other = title + (command.id == Command.next ? 1 : -1)
            guard (0..<Self.titles).contains(other) else { return answer(.seekOutOfRange) }
            title = other
            context.report("title \(title + 1)", [("title", .number(UInt8(clamping: title + 1)))])
        default: throw .unsupportedCommand
        }
        return answer(.success)
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        let states: [Substring: State] = ["play": .playing, "pause": .paused, "stop": .notPlaying]
        guard words.count == 1, let state = words.first.flatMap({ states[$0] }) else { return false }
        set(state, context)
        return true
    }

    private func set(_ state: State, _ context: ClusterContext) { context[Attribute.currentState] = state.tlv }

    private func answer(_ status: Status) -> CommandAnswer {
        .response(MediaPlayback.PlaybackResponse(status: status))
    }
}

/// Keypad Input (6.7) that takes every key and prints it.
struct KeypadInputServer: ClusterServer {
    let id = KeypadInput.id
    let acceptedCommands: [CommandID] = [KeypadInput.Command.sendKey]

    init() {}

    var initialAttributes: [AttributeID: TLVValue] { [:] }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let key = try command.decoded(as: KeypadInput.SendKey.self).keyCode.rawValue
        context.report("key \(key)", [("key", .number(key))])
        return .response(KeypadInput.SendKeyResponse(status: .success))
    }
}
