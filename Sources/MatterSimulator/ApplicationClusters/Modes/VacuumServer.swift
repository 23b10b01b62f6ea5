import MatterModel

/// RVC Operational State (Matter application cluster specification 7.4): a vacuum cleaner that runs, pauses and drives home.
///
/// Its modes are beside it. A person types `stuck` or `ok`.
struct VacuumServer: ClusterServer {
    private typealias Attribute = RvcOperationalState.Attribute
    private typealias Command = RvcOperationalState.Command

    private typealias State = RvcOperationalState.OperationalState
    private typealias Failure = RvcOperationalState.ErrorState

    /// Mode tags of RVC Run Mode and RVC Clean Mode (7.2.7, 7.3.7).
    enum Tag {
        static let idle = RvcRunMode.ModeTag.idle.rawValue
        static let cleaning = RvcRunMode.ModeTag.cleaning.rawValue
        static let mapping = RvcRunMode.ModeTag.mapping.rawValue
        static let deepClean = RvcCleanMode.ModeTag.deepClean.rawValue
        static let vacuum = RvcCleanMode.ModeTag.vacuum.rawValue
        static let mop = RvcCleanMode.ModeTag.mop.rawValue
    }

    private static let home = "home"
    private static let wayHome = Duration.seconds(2)

    let id = RvcOperationalState.id
    let acceptedCommands: [CommandID] = [Command.pause, Command.resume, Command.goHome]
    let initialAttributes: [AttributeID: TLVValue] = [
        Attribute.phaseList: .null, Attribute.currentPhase: .null, Attribute.countdownTime: .null,
        Attribute.operationalStateList: .array(
            of: [State.stopped, .running, .paused, .error, .seekingCharger, .docked].map {
                RvcOperationalState.OperationalStateStruct(operationalStateID: $0.rawValue).tlv
            }),
        Attribute.operationalState: State.docked.tlv, Attribute.operationalError: failure(.noError).tlv,
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
                RvcCleanMode.id,
                [.init("Vacuum", Tag.vacuum), .init("Mop", Tag.mop), .init("Deep clean", Tag.deepClean)]
            ) { _, context in
                let mode: UInt8? = context.sibling(RvcRunMode.id)?.number(RvcRunMode.Attribute.currentMode)
                return mode ?? 0 == 0 ? nil : RvcCleanMode.StatusCode.cleaningInProgress.rawValue
            },
        ]
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let state = context.number(Attribute.operationalState).map(State.init(rawValue:)) ?? .stopped
        switch (command.id, state) {
        case (Command.pause, .running), (Command.pause, .seekingCharger):
            context.cancel(Self.home)
            set(.paused, context)
        case (Command.resume, .paused): set(.running, context)
        case (Command.pause, .paused), (Command.resume, .running): break
        case (Command.goHome, .stopped), (Command.goHome, .running), (Command.goHome, .paused): goHome(context)
        case (Command.resume, .error), (Command.goHome, .error): return answer(.unableToStartOrResume)
        default: return answer(.commandInvalidInState)
        }
        return answer(.noError)
    }

    mutating func receive(_ signal: any ClusterSignal, _ context: ClusterContext) {
        guard let signal = signal as? ModeServer.Changed else { return }
        context.cancel(Self.home)
        set(signal.tags.contains(Tag.idle) ? .stopped : .running, context)
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) { set(.docked, context) }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        switch words {
        case ["stuck"]:
            context.cancel(Self.home)
            context[Attribute.operationalError] = Self.failure(.stuck).tlv
            set(.error, context)
            context.emit(RvcOperationalState.OperationalError(errorState: Self.failure(.stuck)))
        case ["ok"]:
            context[Attribute.operationalError] = Self.failure(.noError).tlv
            set(.paused, context)
        default: return false
        }
        return true
    }

    private func goHome(_ context: ClusterContext) {
        set(.seekingCharger, context)
        context.signal(ModeServer.Changed(tags: [Tag.idle]), to: RvcRunMode.id)
        context.schedule(Self.home, after: Self.wayHome)
    }

    private func set(_ state: State, _ context: ClusterContext) { context[Attribute.operationalState] = state.tlv }

    private func answer(_ failure: Failure) -> CommandAnswer {
        .response(RvcOperationalState.OperationalCommandResponse(commandResponseState: Self.failure(failure)))
    }

    private static func failure(_ failure: Failure) -> RvcOperationalState.ErrorStateStruct {
        RvcOperationalState.ErrorStateStruct(errorStateID: failure.rawValue)
    }
}
