import MatterBase
import MatterModel

/// Media Playback (Matter application cluster specification 6.10) of a player with a list of five titles.
struct MediaPlaybackServer: ClusterServer {
    private typealias Attribute = MediaPlayback.Attribute
    private typealias Command = MediaPlayback.Command

    private enum State {
        static let playing: UInt8 = 0
        static let paused: UInt8 = 1
        static let notPlaying: UInt8 = 2
    }

    private static let titles = 5
    private static let success: UInt8 = 0
    private static let invalidState: UInt8 = 1
    private static let seekOutOfRange: UInt8 = 5

    let id = MediaPlayback.id
    let acceptedCommands: [CommandID] = [
        Command.play, Command.pause, Command.stop, Command.startOver, Command.previous, Command.next,
    ]
    let initialAttributes: [AttributeID: TLVValue] = [Attribute.currentState: .number(State.notPlaying)]
    private var title = 0

    init() {}

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let isStopped = context.number(Attribute.currentState) == State.notPlaying
        switch command.id {
        case Command.play: set(State.playing, context)
        case Command.stop: set(State.notPlaying, context)
        case _ where isStopped: return answer(Self.invalidState)
        case Command.pause: set(State.paused, context)
        case Command.startOver: break
        case Command.next, Command.previous:
            let other = title + (command.id == Command.next ? 1 : -1)
            guard (0..<Self.titles).contains(other) else { return answer(Self.seekOutOfRange) }
            title = other
            context.report("title \(title + 1)", [("title", .number(UInt8(clamping: title + 1)))])
        default: throw .unsupportedCommand
        }
        return answer(Self.success)
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        let states: [Substring: UInt8] = ["play": State.playing, "pause": State.paused, "stop": State.notPlaying]
        guard words.count == 1, let state = words.first.flatMap({ states[$0] }) else { return false }
        set(state, context)
        return true
    }

    private func set(_ state: UInt8, _ context: ClusterContext) { context[Attribute.currentState] = .number(state) }

    private func answer(_ status: UInt8) -> CommandAnswer {
        .response(Command.playbackResponse, [TLVElement(MediaPlayback.PlaybackResponse.Field.status, .number(status))])
    }
}

/// Keypad Input (6.7) that takes every key and prints it.
struct KeypadInputServer: ClusterServer {
    private static let sendKey: CommandID = 0
    private static let sendKeyResponse: CommandID = 1

    let id: ClusterID = 0x0509
    let acceptedCommands: [CommandID] = [sendKey]

    init() {}

    var initialAttributes: [AttributeID: TLVValue] { [:] }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let key: UInt8 = try command.unsigned(KeypadInput.SendKey.Field.keyCode)
        context.report("key \(key)", [("key", .number(key))])
        return .response(Self.sendKeyResponse, [TLVElement(KeypadInput.SendKeyResponse.Field.status, .uint(0))])
    }
}
