import MatterCrypto
import MatterModel

/// Operational Credentials: attestation, and membership of fabrics (Matter core specification 11.18). What changes the
/// table of fabrics is in `OperationalCredentialsServer+Fabrics.swift`.
struct OperationalCredentialsServer: ClusterServer {
    typealias Attribute = NodeOperationalCredentials.Attribute

    typealias Command = NodeOperationalCredentials.Command
    static let commands = [
        Command.attestationRequest, Command.certificateChainRequest, Command.csrRequest, Command.addNOC,
        Command.updateNOC, Command.updateFabricLabel, Command.removeFabric, Command.addTrustedRootCertificate,
        Command.setVIDVerificationStatement, Command.signVIDVerificationRequest,
    ]

    let id = NodeOperationalCredentials.id
    private let limits: NodeLimits

    init(_ limits: NodeLimits) { self.limits = limits }

    var initialAttributes: [AttributeID: TLVValue] {
        [
            Attribute.nocs: .array([]), Attribute.fabrics: .array([]),
            Attribute.supportedFabrics: .uint(UInt64(limits.fabrics)), Attribute.commissionedFabrics: .uint(0),
            Attribute.trustedRootCertificates: .array([]), Attribute.currentFabricIndex: .uint(0),
        ]
    }

    var acceptedCommands: [CommandID] { Self.commands }
    /// They answer in their own words, in an order of their own.
    var selfCheckedCommands: Set<CommandID> { Set(Self.commands).subtracting([Command.updateFabricLabel]) }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        let fabrics = context.node.fabrics.all
        switch attribute {
        case Attribute.nocs: return .array(of: fabrics.map(Self.noc))
        case Attribute.fabrics: return .array(of: fabrics.map(Self.descriptor))
        case Attribute.commissionedFabrics: return .uint(UInt64(fabrics.count))
        case Attribute.trustedRootCertificates:
            var roots = fabrics.map(\.operational.root.tlv)
            if let pending = context.node.failSafe?.root?.tlv, !roots.contains(pending) { roots.append(pending) }
            return .array(of: roots.map { .octets($0) })
        case Attribute.currentFabricIndex: return .uint(UInt64(context.caller.fabricIndex))
        default: return nil
        }
    }

    private static func noc(_ fabric: FabricEntry) -> TLVValue {
        NodeOperationalCredentials.NOC(
            noc: fabric.operational.noc.tlv, icac: fabric.operational.icac?.tlv, vvsc: fabric.vvsc,
            fabricIndex: fabric.index
        ).tlv
    }

    private static func descriptor(_ fabric: FabricEntry) -> TLVValue {
        let operational = fabric.operational
        return NodeOperationalCredentials.FabricDescriptor(
            rootPublicKey: operational.root.publicKey.x963, vendorID: fabric.vendorID,
            fabricID: operational.fabric.fabricID.rawValue, nodeID: operational.nodeID.rawValue, label: fabric.label,
            vidVerificationStatement: fabric.vidVerificationStatement, fabricIndex: fabric.index
        ).tlv
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        switch command.id {
        case Command.attestationRequest: try attest(command, context)
        case Command.certificateChainRequest: try certificate(command, context)
        case Command.csrRequest: try requestCSR(command, context)
        case Command.addNOC: try addNOC(command, context)
        case Command.updateNOC: try updateNOC(command, context)
        case Command.updateFabricLabel: try updateLabel(command, context)
        case Command.removeFabric: try removeFabric(command, context)
        case Command.addTrustedRootCertificate: try addTrustedRoot(command, context)
        case Command.setVIDVerificationStatement: try setStatement(command, context)
        default: try signVIDVerification(command, context)
        }
    }

    // MARK: Attestation

    private func challenge(_ context: ClusterContext) throws(ClusterFailure) -> [UInt8] {
        guard let challenge = context.caller.attestationChallenge else { throw .unsupportedAccess }
        return challenge.copyBytes()
    }

    private func attest(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) -> CommandAnswer {
        let nonce = try command.decoded(as: NodeOperationalCredentials.AttestationRequest.self).attestationNonce
        guard nonce.count == AttestationElements.nonceCount else { throw .invalidCommand }
        let challenge = try challenge(context)
        guard
            let answer = try? context.node.configuration.attestation.respond(
                nonce: nonce, attestationChallenge: challenge)
        else { throw .failure }
        context.node.reportCommissioning("attestation")
        return .response(
            NodeOperationalCredentials.AttestationResponse(
                attestationElements: answer.elements, attestationSignature: answer.signature))
    }

    private func certificate(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let request: NodeOperationalCredentials.CertificateChainRequest = try command.decoded()
        let type = request.certificateType.rawValue
        guard let certificate = context.node.configuration.attestation.certificate(type: type) else {
            throw .invalidCommand
        }
        return .response(NodeOperationalCredentials.CertificateChainResponse(certificate: certificate))
    }

    private func requestCSR(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) -> CommandAnswer {
        let request: NodeOperationalCredentials.CSRRequest = try command.decoded()
        let nonce = request.csrNonce
        let isForUpdate = request.isForUpdateNOC ?? false
        guard nonce.count == NOCSRElements.nonceCount else { throw .invalidCommand }
        guard !(isForUpdate && context.caller.isPASE) else { throw .invalidCommand }
        var failSafe = try armed(context)
        guard !failSafe.hasNOCCommand else { throw .constraintError }
        let challenge = try challenge(context)
        let node = context.node
        guard let key = try? P256PrivateKey.generate(node.random), let csr = try? CertificateSigningRequest(key: key),
            let elements = try? NOCSRElements(csr: csr, nonce: nonce),
            var signature = try? elements.sign(
                with: node.configuration.attestation.key, attestationChallenge: challenge)
        else { throw .failure }
        failSafe.pendingKey = (key, isForUpdate)
        node.failSafe = failSafe
        if node.configuration.faults.hasWrongNOCSRSignature {
            signature[signature.count - 1] ^= 1
            node.report(.fault("wrong-nocsr-signature"))
        }
        node.reportCommissioning("csr", [("forUpdate", .bool(isForUpdate))])
        return .response(
            NodeOperationalCredentials.CSRResponse(nocsrElements: elements.encoded, attestationSignature: signature))
    }

    /// The fail-safe, if it is the caller's.
    func armed(_ context: ClusterContext) throws(ClusterFailure) -> FailSafe {
        guard let failSafe = context.node.failSafe, failSafe.fabricIndex == context.caller.fabricIndex else {
            throw .failsafeRequired
        }
        return failSafe
    }
}
