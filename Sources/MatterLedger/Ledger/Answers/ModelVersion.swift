import JSON

/// A software version of a product (Matter core specification, "Distributed Compliance Ledger").
public struct ModelVersion: Hashable, Sendable {
    /// The number of the version.
    public var version: UInt32
    /// The version in words; `nil` if the ledger does not say.
    public var text: String?
    /// Whether the vendor lets devices go to it.
    public var isValid: Bool
    /// Where the image is; `nil` if there is none to fetch.
    public var updateURL: String?
    /// Bytes of the image.
    public var updateSize: UInt64?
    /// The digest of the image; `nil` if the ledger does not say.
    package var updateChecksum: [UInt8]?
    /// The kind of that digest, as ``ImageDigest`` has it.
    package var updateChecksumType: UInt8
    /// Versions that may go to it.
    public var applicable: ClosedRange<UInt32>?
    /// Where its changes are told; `nil` if the ledger does not say.
    public var releaseNotesURL: String?
    /// The vendor's words about it; `nil` if there are none.
    public var firmwareInformation: String?

    init(_ fields: LedgerFields) throws(LedgerError) {
        version = try fields.integer("softwareVersion")
        text = try fields.text("softwareVersionString")
        isValid = try fields.flag("softwareVersionValid")
        updateURL = try fields.text("otaUrl")
        updateSize = try fields.positive("otaFileSize")
        let checksum = try fields.octets("otaChecksum")
        updateChecksum = checksum.isEmpty ? nil : checksum
        updateChecksumType = try fields.number("otaChecksumType")
        let least: UInt32 = try fields.number("minApplicableSoftwareVersion")
        let most: UInt32 = try fields.number("maxApplicableSoftwareVersion")
        applicable = least <= most ? least...most : nil
        releaseNotesURL = try fields.text("releaseNotesUrl")
        firmwareInformation = try fields.text("firmwareInformation")
    }
}

extension LedgerQuery where Answer == [UInt32] {
    /// The software versions of a product, in order.
    public static func versions(_ vendorID: UInt16, _ productID: UInt16) -> LedgerQuery {
        one(
            "/dcl/model/versions/\(vendorID)/\(productID)", "modelVersions",
            about: "the versions of model \(vendorID)/\(productID)"
        ) { fields throws(LedgerError) in
            var versions: [UInt32] = []
            for value in try fields.array("softwareVersions") {
                guard let version: UInt32 = value.id() else {
                    throw fields.wrong("softwareVersions", "a list of numbers")
                }
                versions.append(version)
            }
            return versions.sorted()
        }
    }
}

extension LedgerQuery where Answer == ModelVersion {
    /// The ledger's entry on a version of a product.
    public static func version(_ vendorID: UInt16, _ productID: UInt16, _ version: UInt32) -> LedgerQuery {
        one(
            "/dcl/model/versions/\(vendorID)/\(productID)/\(version)", "modelVersion",
            about: "version \(version) of model \(vendorID)/\(productID)"
        ) { fields throws(LedgerError) in
            let answer = try ModelVersion(fields)
            guard answer.version == version else { throw fields.wrong("softwareVersion", "\(version)") }
            return answer
        }
    }
}
