package import MatterCrypto

extension AttestationReport: JSONConvertible {
    /// Everything that the examination brought to light; what could not be decoded is absent.
    public var json: JSONValue {
        var object: JSONObject = ["verdict": .string(verdict.rawValue)]
        guard verdict != .skipped else { return .object(object) }
        if let result, result != .success {
            object["result"] = .string("\(result)")
            object["code"] = .int(Int64(result.rawValue))
            object["step"] = failedStep.map { .string($0.rawValue) }
        }
        object["withdrawnSince"] = authorityWithdrawal.map { .string(X509Time.text($0.date)) }
        object["vendorId"] = reported?.vendorID.map { .uint(UInt64($0.rawValue)) }
        object["productId"] = reported?.productID.map { .uint(UInt64($0)) }
        object["dac"] = dac.map(Self.json)
        object["pai"] = pai.map(Self.json)
        object["soughtName"] = soughtName.map { .string("\($0)") }
        object["soughtKeyId"] = soughtKeyIdentifier.map(Self.hexadecimal)
        object["paa"] = authorityJSON
        object["declaration"] = declarationJSON
        object["revocation"] = revocation?.json
        object["checks"] = checks.json
        object["notes"] = notes.isEmpty ? nil : .array(notes.map { .string($0) })
        return .object(object)
    }

    /// The authority whose key signed, by its name, the identifier of its key and where it was found; `nil` if there is none.
    public var authorityJSON: JSONValue? { authority.map { Self.json($0.subject, $0.keyIdentifier, $0.origin) } }

    private var declarationJSON: JSONValue? {
        guard let elements = declarationElements else { return nil }
        var object: JSONObject = ["vendorId": .uint(UInt64(elements.vendorID.rawValue))]
        object["productIds"] = .array(elements.productIDs.map { .uint(UInt64($0)) })
        object["deviceType"] = .uint(UInt64(elements.deviceTypeID))
        object["certificateId"] = .string(elements.certificateID)
        object["certificationType"] = .uint(UInt64(elements.certificationType))
        object["signer"] = declarationSigner.map { Self.json($0.subject, $0.keyIdentifier, $0.origin) }
        object["authentic"] = .bool(isDeclarationAuthentic)
        return .object(object)
    }

    private static func json(_ certificate: AttestationCertificate) -> JSONValue {
        var object: JSONObject = ["subject": .string("\(certificate.subject)")]
        object["issuer"] = .string("\(certificate.issuer)")
        object["keyId"] = certificate.subjectKeyIdentifier.map(hexadecimal)
        object["serial"] = hexadecimal(certificate.serialNumber)
        object["validity"] = .string("\(certificate.validity)")
        return .object(object)
    }

    private static func json(_ subject: AttestationName, _ identifier: [UInt8], _ origin: TrustOrigin) -> JSONValue {
        .object(["subject": .string("\(subject)"), "keyId": hexadecimal(identifier), "origin": .string("\(origin)")])
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> JSONValue {
        .string("hex:" + Hex.encode(bytes, uppercase: true))
    }
}

extension AttestationCheck: JSONConvertible {
    /// The value as JSON.
    public var json: JSONValue {
        var object: JSONObject = ["step": .string(step.rawValue), "outcome": .string(outcomeName)]
        if let result {
            object["code"] = .int(Int64(result.rawValue))
            object["result"] = .string("\(result)")
        }
        object["expected"] = expected.map { .string($0) }
        object["found"] = found.map { .string($0) }
        object["origin"] = origin.map { .string("\($0)") }
        if !detail.isEmpty { object["detail"] = .string(detail) }
        return .object(object)
    }
}
