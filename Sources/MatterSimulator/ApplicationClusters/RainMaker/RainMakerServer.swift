import MatterCrypto
import MatterModel

/// The part that `--rainmaker` adds to a node.
package struct RainMakerOptions: Sendable, Equatable {
    package static let revisions: ClosedRange<UInt16> = 2...3
    /// Octets of a node id.
    package static let nodeIDLength = 1...39

    /// 2 or 3.
    package var revision: UInt16
    /// The node's name at RainMaker, up to 39 bytes.
    package var nodeID: String

    // memberwise: package, revision = 3
}

extension NodeConfiguration {
    /// Gives the root endpoint the RainMaker cluster.
    package mutating func add(_ options: RainMakerOptions) {
        moreRootServers = { [key = attestation.key] in [RainMakerServer(options, key: key)] }
    }
}

/// Espressif's RainMaker cluster 0x131BFC00 on the root endpoint: it tells the node's RainMaker id and proves it with a
/// signature of the device attestation key.
///
/// Revision 3 signs its own node id, whatever is written to Challenge, five times between two starts. Revision 2 signs what
/// is written, without a limit, or what the command SignData brings, five times; the command carries a bare string in place
/// of its fields, as the firmware has it, and the proper structure is taken as well. It has no FeatureMap.
struct RainMakerServer: ClusterServer {
    private typealias Attribute = RainMakerCluster.Attribute

    private typealias Command = RainMakerCluster.Command

    /// Of each kind that is limited, between two starts.
    private static let budget = 5
    /// The firmware keeps texts in 40 bytes with a NUL at the end.
    private static let longestText = 39
    private static let separator = "::"

    let id = RainMakerCluster.id
    let revision: UInt16?
    let missingGlobalAttributes: Set<AttributeID>
    let acceptedCommands: [CommandID]
    let persistentAttributes: Set<AttributeID> = [Attribute.status]
    let initialAttributes: [AttributeID: TLVValue]

    private let isLegacy: Bool
    private let key: P256PrivateKey
    private var writesLeft = RainMakerServer.budget
    private var signaturesLeft = RainMakerServer.budget
    private var configurationsLeft = RainMakerServer.budget

    /// - Parameter key: the device attestation key.
    init(_ options: RainMakerOptions, key: P256PrivateKey) {
        self.key = key
        isLegacy = options.revision <= 2
        revision = options.revision
        missingGlobalAttributes = isLegacy ? [GlobalAttribute.featureMap] : []
        acceptedCommands = isLegacy ? [Command.configuration, Command.signData] : []
        initialAttributes = [
            Attribute.status: .bool(false), Attribute.rmakerNodeId: .string(options.nodeID),
            Attribute.challengeResponse: .string(""), Attribute.challenge: .string(""),
        ]
    }

    /// The write is an order to sign; nothing of it is stored.
    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        guard attribute == Attribute.challenge, let text = value.text else { throw .unsupportedWrite }
        guard text.utf8.count <= Self.longestText else { throw .constraintError }
        if isLegacy { return try sign(text, context) }
        guard writesLeft > 0 else { throw .failure }
        writesLeft -= 1
        guard let fabric = context.node.fabrics[context.caller.fabricIndex] else { throw .failure }
        try sign(Hex.number(fabric.operational.nodeID.rawValue, digits: 16, uppercase: true), context)
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        switch command.id {
        case Command.configuration:
            try configure(try command.decoded(as: RainMakerCluster.Configuration.self).userIdAndSecretKey, context)
        case Command.signData:
            guard signaturesLeft > 0 else { throw .failure }
            // Some send the text itself, without a structure around it.
            let plain = command.fields.text
            let text = if let plain { plain } else { try command.decoded(as: RainMakerCluster.SignData.self).data }
            guard text.utf8.count <= Self.longestText else { throw .constraintError }
            signaturesLeft -= 1
            try sign(text, context)
        default: throw .unsupportedCommand
        }
        return .success
    }

    /// `USER::SECRET`: the classic way to tell whose the device is.
    private mutating func configure(_ text: String, _ context: ClusterContext) throws(ClusterFailure) {
        guard configurationsLeft > 0 else { throw .failure }
        configurationsLeft -= 1
        let parts = Self.parts(text)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.count <= Self.longestText }) else {
            throw .invalidCommand
        }
        context[Attribute.status] = .bool(true)
    }

    private static func parts(_ text: String) -> [Substring] {
        guard let middle = text.firstRange(of: separator) else { return [] }
        return [text[..<middle.lowerBound], text[middle.upperBound...]]
    }

    /// Puts the signature of a text into ChallengeResponse: lower-case hexadecimal of DER.
    private func sign(_ text: String, _ context: ClusterContext) throws(ClusterFailure) {
        guard let raw = try? key.sign(Array(text.utf8)), let signature = try? ECDSASignature.rawToDER(raw) else {
            throw .failure
        }
        let digits = Array("0123456789abcdef")
        let text = signature.reduce(into: "") { text, octet in
            text.append(digits[Int(octet >> 4)])
            text.append(digits[Int(octet & 15)])
        }
        context[Attribute.challengeResponse] = .string(text)
    }

}
