import MatterNetwork

/// Smoke CO Alarm (Matter application cluster specification 2.11) for smoke and carbon monoxide, with a test of itself.
///
/// A person types `smoke`, `co`, `battery`, `fault`, `expired`, each with `off` behind it to end it, or `clear`.
struct SmokeAlarmServer: ClusterServer {
    private typealias Attribute = SmokeCoAlarm.Attribute
    private typealias State = SmokeCoAlarm.ExpressedState
    private typealias Alarm = SmokeCoAlarm.AlarmState

    /// The expressed semantics, the most important first (2.11.6.1).
    private static let states: [(attribute: AttributeID, state: State, counts: @Sendable (TLVValue) -> Bool)] = {
        let isAlarm = { @Sendable (value: TLVValue) in value != Alarm.normal.tlv }
        let isTrue = { @Sendable (value: TLVValue) in value == .bool(true) }
        return [
            (Attribute.smokeState, .smokeAlarm, isAlarm), (Attribute.coState, .coAlarm, isAlarm),
            (Attribute.testInProgress, .testing, isTrue), (Attribute.hardwareFaultAlert, .hardwareFault, isTrue),
            (Attribute.batteryAlert, .batteryAlert, isAlarm), (Attribute.endOfServiceAlert, .endOfService, isAlarm),
        ]
    }()

    private static let testTimer = "test"
    private static let testTime = Duration.seconds(3)

    let id = SmokeCoAlarm.id
    let featureMap: FeatureMap = [SmokeCoAlarm.Feature.smokeAlarm, SmokeCoAlarm.Feature.coAlarm]
    let acceptedCommands: [CommandID] = [SmokeCoAlarm.Command.selfTestRequest]
    let initialAttributes: [AttributeID: TLVValue] = [
        Attribute.expressedState: State.normal.tlv, Attribute.smokeState: Alarm.normal.tlv,
        Attribute.coState: Alarm.normal.tlv, Attribute.batteryAlert: Alarm.normal.tlv,
        Attribute.testInProgress: .bool(false), Attribute.hardwareFaultAlert: .bool(false),
        Attribute.endOfServiceAlert: SmokeCoAlarm.EndOfService.normal.tlv,
    ]

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        guard command.id == SmokeCoAlarm.Command.selfTestRequest else { throw .unsupportedCommand }
        // Not while there is an alarm, nor during a test (2.11.7.1).
        guard expressed(context) == .normal else { throw .busy }
        context[Attribute.testInProgress] = .bool(true)
        express(context)
        context.schedule(Self.testTimer, at: context.now + Self.testTime)
        return .success
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        context[Attribute.testInProgress] = .bool(false)
        context.emit(SmokeCoAlarm.SelfTestComplete())
        express(context)
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard let what = words.first, words.count == 1 || words.count == 2 && words[1] == "off" else { return false }
        let isOn = words.count == 1
        let alarm: Alarm = isOn ? .critical : .normal
        switch what {
        case "smoke":
            context[Attribute.smokeState] = alarm.tlv
            if isOn { context.emit(SmokeCoAlarm.SmokeAlarm(alarmSeverityLevel: alarm)) }
        case "co":
            context[Attribute.coState] = alarm.tlv
            if isOn { context.emit(SmokeCoAlarm.COAlarm(alarmSeverityLevel: alarm)) }
        case "battery":
            context[Attribute.batteryAlert] = (isOn ? Alarm.warning : .normal).tlv
            if isOn { context.emit(SmokeCoAlarm.LowBattery(alarmSeverityLevel: .warning)) }
        case "fault":
            context[Attribute.hardwareFaultAlert] = .bool(isOn)
            if isOn { context.emit(SmokeCoAlarm.HardwareFault()) }
        case "expired":
            context[Attribute.endOfServiceAlert] = (isOn ? SmokeCoAlarm.EndOfService.expired : .normal).tlv
            if isOn { context.emit(SmokeCoAlarm.EndOfServiceEvent()) }
        case "clear" where isOn:
            for attribute in [Attribute.smokeState, Attribute.coState] { context[attribute] = Alarm.normal.tlv }
        default: return false
        }
        express(context)
        return true
    }

    private func expressed(_ context: ClusterContext) -> State {
        State(rawValue: context.number(Attribute.expressedState) ?? 0)
    }

    /// That all is well again is an event.
    private func express(_ context: ClusterContext) {
        let before = expressed(context)
        let now = Self.states.first { context[$0.attribute].map($0.counts) ?? false }?.state ?? .normal
        context[Attribute.expressedState] = now.tlv
        if before != .normal, now == .normal { context.emit(SmokeCoAlarm.AllClear()) }
    }
}
