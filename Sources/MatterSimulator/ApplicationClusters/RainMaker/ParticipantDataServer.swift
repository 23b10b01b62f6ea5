import MatterModel

/// Espressif's cluster 0x131BFC03 of an event's badges: who carries it. One command sets what it brings and leaves the rest.
struct ParticipantDataServer: ClusterServer {
    typealias Attribute = RainMakerParticipantData.Attribute

    private static let attributes = [
        Attribute.name, Attribute.companyName, Attribute.email, Attribute.contact, Attribute.eventName,
    ]

    let id = RainMakerParticipantData.id
    let acceptedCommands: [CommandID] = [RainMakerParticipantData.Command.sendData]
    let persistentAttributes = Set(ParticipantDataServer.attributes)
    let initialAttributes: [AttributeID: TLVValue] = Dictionary(
        uniqueKeysWithValues: ParticipantDataServer.attributes.map { ($0, .string("")) })

    init() {}

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        guard command.id == RainMakerParticipantData.Command.sendData else { throw .unsupportedCommand }
        let request: RainMakerParticipantData.SendData = try command.decoded()
        let given = [
            Attribute.name: request.name, Attribute.companyName: request.companyName, Attribute.email: request.email,
            Attribute.contact: request.contact, Attribute.eventName: request.eventName,
        ]
        for (attribute, text) in given {
            if let text { context[attribute] = .string(text) }
        }
        context.markUnsaved()
        return .success
    }
}
