package import MatterTLV

/// Espressif's cluster 0x131BFC03 of an event's badges: who carries it. One command sets what it brings and leaves the rest.
package struct ParticipantDataServer: ClusterServer {
    /// Name, company, e-mail address, contact and event; the fields of the command have the same numbers.
    private static let attributes: ClosedRange<UInt8> = 0...4
    private static let sendData: UInt32 = 0

    package let id = ClusterID.rainMakerParticipantData
    package let acceptedCommands: [UInt32] = [ParticipantDataServer.sendData]
    package let persistentAttributes = Set(ParticipantDataServer.attributes.map { UInt32($0) })
    package let initialAttributes: [UInt32: TLVValue] = Dictionary(
        uniqueKeysWithValues: ParticipantDataServer.attributes.map { (UInt32($0), .string("")) })

    package init() {}

    package mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        guard command.id == Self.sendData else { throw .unsupportedCommand }
        for tag in Self.attributes {
            if let text = command[tag] { context[UInt32(tag)] = text }
        }
        context.markUnsaved()
        return .success
    }
}
