import JSON

/// The certification of a software version of a product (Matter core specification, "Distributed Compliance Ledger").
public struct LedgerCompliance: Hashable, Sendable {
    /// Whether a version of a product is certified.
    public enum Status: Int, Sendable, CaseIterable {
        /// How far certification has come.
        case development, provisional, certified, revoked
    }

    package var vendorID: UInt16
    package var productID: UInt16
    package var version: UInt32
    /// `nil` for a number of a later ledger.
    public var status: Status?
    /// Of the present status, RFC 3339.
    public var date: String?
    /// The event, in words for people.
    public var reason: String?
    /// The Alliance's number of the certification, as in the certification declaration.
    public var certificateID: String?
    /// The way of certification that was taken; `nil` if the ledger does not say.
    public var route: String?
    /// The transport that was certified; `nil` if the ledger does not say.
    public var transport: String?

    init(_ fields: LedgerFields) throws(LedgerError) {
        vendorID = try fields.integer("vid")
        productID = try fields.integer("pid")
        version = try fields.number("softwareVersion")
        status = Status(rawValue: try fields.number("softwareVersionCertificationStatus"))
        date = try fields.text("date")
        reason = try fields.text("reason")
        certificateID = try fields.text("cDCertificateId")
        route = try fields.text("certificationRoute")
        transport = try fields.text("transport")
    }
}

/// The lists of products by state.
package enum ComplianceState: String, Sendable, CaseIterable {
    case certified, provisional, revoked
}

private let standard = "matter"

extension LedgerQuery where Answer == LedgerCompliance {
    /// Whether a version of a product is certified.
    public static func compliance(_ vendorID: UInt16, _ productID: UInt16, _ version: UInt32) -> LedgerQuery {
        one(
            "/dcl/compliance/compliance-info/\(vendorID)/\(productID)/\(version)/\(standard)", "complianceInfo",
            about: "the certification of version \(version) of model \(vendorID)/\(productID)"
        ) { fields throws(LedgerError) in
            let answer = try LedgerCompliance(fields)
            guard answer.version == version else { throw fields.wrong("softwareVersion", "\(version)") }
            return answer
        }
    }
}

extension LedgerQuery where Answer == Bool {
    /// Whether a version is in a state now; an entry that says no was in it before.
    package static func state(
        _ state: ComplianceState, _ vendorID: UInt16, _ productID: UInt16, _ version: UInt32
    ) -> LedgerQuery {
        one(
            "/dcl/compliance/\(state)-models/\(vendorID)/\(productID)/\(version)/\(standard)", "\(state)Model",
            about: "whether version \(version) of model \(vendorID)/\(productID) is \(state)"
        ) { fields throws(LedgerError) in try fields.flag("value") }
    }
}

extension LedgerQuery where Answer == [LedgerCompliance] {
    /// All that a certification of the Alliance is for.
    package static func certification(_ certificateID: String) -> LedgerQuery {
        one(
            "/dcl/compliance/device-software-compliance/\(escaped(certificateID))", "deviceSoftwareCompliance",
            about: "certification \(certificateID)"
        ) { fields throws(LedgerError) in
            var answers: [LedgerCompliance] = []
            for entry in try fields.entries("complianceInfo") { answers.append(try LedgerCompliance(entry)) }
            return answers
        }
    }
}
