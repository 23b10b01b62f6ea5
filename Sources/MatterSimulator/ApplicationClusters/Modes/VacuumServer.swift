import MatterBase
import MatterModel

/// RVC Operational State (Matter application cluster specification 7.4): a vacuum cleaner that runs, pauses and drives home.
///
/// Its modes are beside it. A person types `stuck` or `ok`.
struct VacuumServer: ClusterServer {
    private typealias Attribute = RvcOperationalState.Attribute
    private typealias Command = RvcOperationalState.Command

    enum State {
        static let stopped: UInt8 = 0
        static let running: UInt8 = 1
        static let paused: UInt8 = 2
        static let error: UInt8 = 3
        static let seekingCharger: UInt8 = 0x40
        static let docked: UInt8 = 0x42
    }

    private enum Failure {
        static let none: UInt8 = 0
        static let unableToStart: UInt8 = 1
        static let invalidInState: UInt8 = 3
        static let stuck: UInt8 = 0x41
    }

    /// Mode tags of RVC Run Mode and RVC Clean Mode (7.2.7, 7.3.7).
    enum Tag {
        static let idle: UInt16 = 0x4000
        static let cleaning: UInt16 = 0x4001
        static let mapping: UInt16 = 0x4002
        static let deepClean: UInt16 = 0x4000
        static let vacuum: UInt16 = 0x4001
        static let mop: UInt16 = 0x4002
    }

    private static let home = "home"
    private static let wayHome = Duration.seconds(2)

    let id = RvcOperationalState.id
    let acceptedCommands: [CommandID] = [Command.pause, Command.resume, Command.goHome]
    let initialAttributes: [AttributeID: TLVValue] = [
        Attribute.phaseList: .null, Attribute.currentPhase: .null, Attribute.countdownTime: .null,
        Attribute.operationalStateList: .array(
            of: [State.stopped, State.running, State.paused, State.error, State.seekingCharger, State.docked].map {
                .structure([
                    TLVElement(RvcOperationalState.OperationalStateStruct.Field.operationalStateID, .number($0))
                ])
            }),
        Attribute.operationalState: .number(State.docked), Attribute.operationalError: failure(Failure.none),
    ]

    init() {}

    /// The endpoint's modes of running and of cleaning.
    static var modes: [any ClusterServer] {
        [
            ModeServer(
                RvcRunMode.id,
                [.init("Idle", Tag.idle), .init("Cleaning", Tag.cleaning), .init("Mapping", Tag.mapping)]
            ) { tags, context in
                // From one job to another the way leads over Idle.
                let isIdle = context.number(RvcRunMode.Attribute.currentMode, as: UInt8.self) == 0
                return isIdle || tags.contains(Tag.idle) ? nil : ModeServer.Status.invalidInMode
            },
            ModeServer(
                0x0055, [.init("Vacuum", Tag.vacuum), .init("Mop", Tag.mop), .init("Deep clean", Tag.deepClean)]
            ) { _, context in
                let mode: UInt8? = context.sibling(RvcRunMode.id)?.number(RvcRunMode.Attribute.currentMode)
                return mode ?? 0 == 0 ? nil : ModeServer.Status.cleaningInProgress
            },
        ]
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let state: UInt8 = context.number(Attribute.operationalState) ?? State.stopped
        switch (command.id, state) {
        case (Command.pause, State.running), (Command.pause, State.seekingCharger):
            context.cancel(Self.home)
            set(State.paused, context)
        case (Command.resume, State.paused): set(State.running, context)
        case (Command.pause, State.paused), (Command.resume, State.running): break
        case (Command.goHome, State.stopped...State.paused): goHome(context)
        case (Command.resume, State.error), (Command.goHome, State.error): return answer(Failure.unableToStart)
        default: return answer(Failure.invalidInState)
        }
        return answer(Failure.none)
    }

    mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {
        guard let signal = signal as? ModeServer.Changed else { return }
        context.cancel(Self.home)
        set(signal.tags.contains(Tag.idle) ? State.stopped : State.running, context)
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) { set(State.docked, context) }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        switch words {
        case ["stuck"]:
            context.cancel(Self.home)
            context[Attribute.operationalError] = Self.failure(Failure.stuck)
            set(State.error, context)
            context.emit(
                event: RvcOperationalState.Event.operationalError,
                [TLVElement(RvcOperationalState.OperationalError.Field.errorState, Self.failure(Failure.stuck))])
        case ["ok"]:
            context[Attribute.operationalError] = Self.failure(Failure.none)
            set(State.paused, context)
        default: return false
        }
        return true
    }

    private func goHome(_ context: ClusterContext) {
        set(State.seekingCharger, context)
        context.signal(ModeServer.Changed(tags: [Tag.idle]), to: RvcRunMode.id)
        context.schedule(Self.home, after: Self.wayHome)
    }

    private func set(_ state: UInt8, _ context: ClusterContext) { context[Attribute.operationalState] = .number(state) }

    private func answer(_ failure: UInt8) -> CommandAnswer {
        .response(
            Command.operationalCommandResponse,
            [
                TLVElement(
                    RvcOperationalState.OperationalCommandResponse.Field.commandResponseState, Self.failure(failure))
            ])
    }

    /// ErrorStateStruct.
    private static func failure(_ number: UInt8) -> TLVValue {
        .structure([TLVElement(RvcOperationalState.ErrorStateStruct.Field.errorStateID, .number(number))])
    }
}
