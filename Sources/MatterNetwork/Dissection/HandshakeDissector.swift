import MatterCrypto
import MatterModel

/// Says in words what a message of the secure channel holds (Matter core specification 4.11, 4.14): its clear fields and, with
/// the keys of the handshake, those that Sigma2 and Sigma3 encrypt.
struct HandshakeDissector {
    /// Names the node that a Sigma1 asks for.
    let destinations: @Sendable (_ destinationID: [UInt8], _ initiatorRandom: [UInt8]) -> String?
    /// `nil` if they are not at hand.
    var secrets: HandshakeSecrets?

    /// - Returns: `nil` for a Sigma1 without one.
    static func initiatorRandom(of sigma1: [UInt8]) -> [UInt8]? { (try? Sigma1(decoding: sigma1))?.initiatorRandom }

    func dissect(_ opcode: SecureChannelOpcode, _ payload: [UInt8]) -> (items: [MessageItem], fault: String?) {
        switch opcode {
        case .standaloneAck: return ([], payload.isEmpty ? nil : "\(payload.count) bytes where nothing belongs")
        case .statusReport: return status(payload)
        case .messageCounterSyncRequest, .messageCounterSyncResponse, .checkIn:
            return ([MessageItem("payload", ["bytes": .uint(UInt64(payload.count))])], nil)
        case .pbkdfParamRequest, .pbkdfParamResponse, .pake1, .pake2, .pake3, .sigma1, .sigma2, .sigma3,
            .sigma2Resume:
            do throws(TLVError) {
                let element = try TLVElement(
                    decoding: payload, limits: TLVLimits(elements: 512), allowTrailing: true, text: .repaired,
                    tags: .asWritten)
                guard let members = element.value.members else { return ([], "the message is not a structure") }
                return (items(opcode, members), element.value.tagFault.map(\.reason))
            } catch {
                return ([], error.message)
            }
        }
    }

    private func items(_ opcode: SecureChannelOpcode, _ members: [TLVElement]) -> [MessageItem] {
        var items: [MessageItem] = []
        var facts = JSONObject()
        for member in members {
            guard case .context(let tag) = member.tag else {
                facts[member.tag.description] = JSONValue(member.value)
                continue
            }
            let name = Self.names[opcode]?[tag] ?? "\(tag)"
            if name == Self.parameters, let fields = member.value.members {
                items.append(MessageItem("session", Self.facts(fields, Self.parameterNames)))
            } else if name == Self.pbkdf, let fields = member.value.members {
                items.append(MessageItem("pbkdf", Self.facts(fields, [1: "iterations", 2: "salt"])))
            } else {
                facts[name] = JSONValue(member.value)
            }
        }
        if opcode == .sigma1 {
            let all = TLVValue.structure(members)
            if case .octets(let destination)? = all.field(3), case .octets(let random)? = all.field(1),
                let node = destinations(destination, random)
            {
                facts["node"] = .string(node)
            }
        }
        return [MessageItem("handshake", facts)] + items + proof(opcode, members)
    }

    /// The contents that a Sigma2 or a Sigma3 encrypts, if there are keys.
    private func proof(_ opcode: SecureChannelOpcode, _ members: [TLVElement]) -> [MessageItem] {
        let (tag, nonce): (UInt8, [UInt8])
        let key: SecretBytes?
        switch opcode {
        case .sigma2: (tag, nonce, key) = (4, CASEKeySchedule.sigma2Nonce, secrets?.sigma2)
        case .sigma3: (tag, nonce, key) = (1, CASEKeySchedule.sigma3Nonce, secrets?.sigma3)
        default: return []
        }
        guard let key, case .octets(let encrypted)? = TLVValue.structure(members).field(tag) else { return [] }
        guard let plaintext = try? AES128CCM(key: key).open(encrypted, nonce: nonce, aad: []),
            let proof = try? SigmaProof(decoding: plaintext, fromResponder: opcode == .sigma2)
        else { return [MessageItem("encrypted", ["text": .string("the key of this handshake does not open it")])] }
        func item(_ name: String, _ certificate: [UInt8]) -> MessageItem {
            let text = CertificateText.describe(certificate) ?? "\(certificate.count) bytes that are not a certificate"
            return MessageItem(name, ["certificate": .string(text)])
        }
        var facts: JSONObject = ["signature": JSONValue(.octets(proof.signature))]
        facts["resumptionId"] = proof.resumptionID.map { JSONValue(.octets($0)) }
        return [item("noc", proof.noc)] + (proof.icac.map { [item("icac", $0)] } ?? []) + [MessageItem("proof", facts)]
    }

    private static func facts(_ members: [TLVElement], _ names: [UInt8: String]) -> JSONObject {
        var facts = JSONObject()
        for member in members {
            if case .context(let tag) = member.tag, let name = names[tag] {
                facts[name] = JSONValue(member.value)
            } else {
                facts[member.tag.description] = JSONValue(member.value)
            }
        }
        return facts
    }

    private func status(_ payload: [UInt8]) -> (items: [MessageItem], fault: String?) {
        guard let report = try? StatusReport(decoding: payload) else {
            return ([], "a status report of \(payload.count) bytes")
        }
        let general = StatusReport.GeneralCode(rawValue: report.generalCode).map { "\($0)" } ?? "\(report.generalCode)"
        let code = report.secureChannelCode.map { "\($0)" } ?? "\(report.protocolCode)"
        var facts: JSONObject = ["general": .string(general), "code": .string(code)]
        if let wait = report.busyWait { facts["waitMs"] = .uint(UInt64(wait.wholeMilliseconds)) }
        return ([MessageItem("status", facts)], nil)
    }

    private static let parameters = "sessionParameters"
    private static let pbkdf = "pbkdfParameters"

    private static let names: [SecureChannelOpcode: [UInt8: String]] = [
        .pbkdfParamRequest: [
            1: "initiatorRandom", 2: "initiatorSessionId", 3: "passcodeId", 4: "hasPbkdfParameters", 5: parameters,
        ],
        .pbkdfParamResponse: [
            1: "initiatorRandom", 2: "responderRandom", 3: "responderSessionId", 4: pbkdf, 5: parameters,
        ],
        .pake1: [1: "pA"], .pake2: [1: "pB", 2: "cB"], .pake3: [1: "cA"],
        .sigma1: [
            1: "initiatorRandom", 2: "initiatorSessionId", 3: "destinationId", 4: "initiatorEphPubKey", 5: parameters,
            6: "resumptionId", 7: "initiatorResumeMic",
        ],
        .sigma2: [
            1: "responderRandom", 2: "responderSessionId", 3: "responderEphPubKey", 4: "encrypted2", 5: parameters,
        ],
        .sigma3: [1: "encrypted3"],
        .sigma2Resume: [1: "resumptionId", 2: "resumeMic", 3: "responderSessionId", 4: parameters],
    ]

    /// Matter core specification 4.13.1.
    private static let parameterNames: [UInt8: String] = [
        1: "idleIntervalMs", 2: "activeIntervalMs", 3: "activeThresholdMs", 4: "dataModelRevision",
        5: "interactionModelRevision", 6: "specificationVersion", 7: "maxPathsPerInvoke", 8: "supportedTransports",
        9: "maxTcpMessageSize",
    ]
}
