package import JSON
import MatterCredentials

/// Why a device's attestation was refused: a sentence for people, everything else for programs.
package struct AttestationRefusal: Error {
    /// How much of a name a sentence holds.
    private static let longestName = 40

    let report: AttestationReport

    /// The first failure with its number, as the reference implementation counts them.
    var reason: String {
        guard let result = report.result else { return "untrusted" }
        switch result {
        case .paaNotFound:
            let name = report.soughtName.map { name in
                let text = "\(name)"
                return text.count > Self.longestName ? " '\(text.prefix(Self.longestName))…'" : " '\(text)'"
            }
            return "its root authority\(name ?? "") is not trusted (\(result.rawValue))"
        default:
            return "\(result) (\(result.rawValue))"
        }
    }

    /// What was looked for, what there was, and every step.
    package var json: JSONValue {
        var object: JSONObject = [:]
        object["result"] = report.result.map { .string("\($0)") }
        object["code"] = report.result.map { .int(Int64($0.rawValue)) }
        object["step"] = report.failedStep.map { .string($0.rawValue) }
        object["vendorId"] = report.reported.vendorID.map { .uint(UInt64($0.rawValue)) }
        object["productId"] = report.reported.productID.map { .uint(UInt64($0)) }
        object["dac"] = report.dac.map(Self.json)
        object["pai"] = report.pai.map(Self.json)
        object["soughtName"] = report.soughtName.map { .string("\($0)") }
        object["soughtKeyId"] = report.soughtKeyIdentifier.map(Self.hexadecimal)
        object["paa"] = report.authority.map { authority in
            .object([
                "subject": .string("\(authority.subject)"), "keyId": Self.hexadecimal(authority.keyIdentifier),
                "origin": .string("\(authority.origin)"),
            ])
        }
        object["checks"] = .array(report.checks.map(Self.json))
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

    private static func json(_ check: AttestationCheck) -> JSONValue {
        var object: JSONObject = ["step": .string(check.step.rawValue)]
        switch check.outcome {
        case .passed: object["outcome"] = "passed"
        case .skipped: object["outcome"] = "skipped"
        case .failed(let result):
            object["outcome"] = "failed"
            object["code"] = .int(Int64(result.rawValue))
        }
        if !check.detail.isEmpty { object["detail"] = .string(check.detail) }
        return .object(object)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> JSONValue {
        .string("hex:" + Hex.encode(bytes, uppercase: true))
    }
}
