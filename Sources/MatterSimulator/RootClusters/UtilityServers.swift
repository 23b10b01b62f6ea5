import MatterModel

/// User Label: names that people give to the device (Matter core specification 9.8).
struct UserLabelServer: ClusterServer {
    private static let mostLabels = 16
    private static let longest = 16

    let id = UserLabel.id

    var initialAttributes: [AttributeID: TLVValue] { [UserLabel.Attribute.labelList: .array([])] }
    var persistentAttributes: Set<AttributeID> { [UserLabel.Attribute.labelList] }

    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        guard let items = value.items else { throw .constraintError }
        guard items.count <= Self.mostLabels else { throw .resourceExhausted }
        guard
            items.allSatisfy({ item in
                guard let label = UserLabel.Label(tlv: item) else { return false }
                return [label.label, label.value].allSatisfy { $0.utf8.count <= Self.longest }
            })
        else { throw .constraintError }
        context[attribute] = value
    }
}

/// Time Synchronization without time zones: the device has the host's clock until an administrator sets it
/// (Matter core specification 11.17).
struct TimeSynchronizationServer: ClusterServer {
    typealias Attribute = TimeSynchronization.Attribute

    let id = TimeSynchronization.id

    var initialAttributes: [AttributeID: TLVValue] {
        [
            Attribute.utcTime: .null,
            Attribute.granularity: TimeSynchronization.Granularity.millisecondsGranularity.tlv,
            Attribute.timeSource: TimeSynchronization.TimeSource.none.tlv,
        ]
    }
    var acceptedCommands: [CommandID] { [TimeSynchronization.Command.setUTCTime] }
    var quietAttributes: Set<AttributeID> { [Attribute.utcTime] }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        attribute == Attribute.utcTime ? .optional(context.epochMicroseconds) : nil
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let request: TimeSynchronization.SetUTCTime = try command.decoded()
        // A time of no granularity is no time.
        guard request.granularity != .noTimeGranularity, let now = context.epochMicroseconds,
            let asked = Int64(exactly: request.utcTime)
        else {
            throw .cluster(TimeSynchronization.StatusCode.timeNotAccepted.rawValue)
        }
        let (difference, overflow) = asked.subtractingReportingOverflow(Int64(clamping: now))
        guard !overflow, abs(difference) < Int64.max / 4 else {
            throw .cluster(TimeSynchronization.StatusCode.timeNotAccepted.rawValue)
        }
        context.node.clockOffset += difference
        context[Attribute.granularity] = request.granularity.tlv
        context[Attribute.timeSource] = (request.timeSource ?? .admin).tlv
        context.touch(Attribute.utcTime)
        return .success
    }
}
