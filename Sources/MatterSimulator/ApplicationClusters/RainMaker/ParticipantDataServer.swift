import MatterModel

/// Espressif's cluster 0x131BFC03 of an event's badges: who carries it. One command sets what it brings and leaves the rest.
struct ParticipantDataServer: ClusterServer {
    /// Name, company, e-mail address, contact and event; the fields of the command have the same numbers.
    private static let attributes: ClosedRange<UInt8> = 0...4

    let id = RainMakerParticipantData.id
    let acceptedCommands: [CommandID] = [RainMakerParticipantData.Command.sendData]
    let persistentAttributes = Set(ParticipantDataServer.attributes.map { AttributeID(UInt32($0)) })
    let initialAttributes: [AttributeID: TLVValue] = Dictionary(
        uniqueKeysWithValues: ParticipantDataServer.attributes.map { (AttributeID(UInt32($0)), .string("")) })

    init() {}

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        guard command.id == RainMakerParticipantData.Command.sendData else { throw .unsupportedCommand }
        for tag in Self.attributes {
            if let text = command[tag] { context[AttributeID(UInt32(tag))] = text }
        }
        context.markUnsaved()
        return .success
    }
}
