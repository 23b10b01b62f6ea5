public import MatterCrypto

/// A firmware image: a header that says for which device it is, and what the device makes of the rest (Matter core specification 11.20.4).
///
/// It is served as a whole, header included.
public struct UpdateImage: Sendable {
    /// The most octets of an image that is served.
    package static let largest = 128 << 20

    /// The whole file.
    package let octets: [UInt8]
    /// Its beginning.
    package let header: UpdateHeader

    /// The vendor of the device.
    package var vendorID: UInt16 { header.vendorID }
    /// The product; 0 in some vendors' images, which are for several.
    package var productID: UInt16 { header.productID }
    /// The version that the device has afterwards.
    public var version: UInt32 { header.version }
    /// That version in words.
    package var versionText: String { header.versionText }
    /// Versions from which a device may go to it.
    package var applicable: ClosedRange<UInt32> { header.applicable }

    /// - Throws: ``UpdateImageError`` for a file that is no image, or is damaged.
    package init(_ octets: [UInt8]) throws(UpdateImageError) {
        header = try UpdateHeader(octets, of: octets.count)
        guard header.digestKind.digest(of: Array(octets.dropFirst(header.payloadStart))) == header.digest else {
            throw .wrongDigest
        }
        self.octets = octets
    }

    /// Compares the image with the ledger's entry that led to it. A wrong size there beside a right checksum is a common mistake of vendors, and
    /// the checksum decides.
    ///
    /// - Throws: ``UpdateImageError`` if it is another one.
    public func check(against entry: ModelVersion, vendorID: UInt16, productID: UInt16) throws(UpdateImageError) {
        guard self.vendorID == vendorID, self.productID == productID || self.productID == 0, version == entry.version
        else {
            throw UpdateImageError(
                .other,
                "the image is for product \(self.vendorID)/\(self.productID) and version \(version), "
                    + "not for \(vendorID)/\(productID) and \(entry.version)")
        }
        if let checksum = entry.updateChecksum {
            guard let kind = ImageDigest(rawValue: entry.updateChecksumType), let real = kind.digest(of: octets) else {
                throw UpdateImageError(
                    .other, "the ledger's checksum is of an unknown kind (\(entry.updateChecksumType))")
            }
            guard real == checksum else {
                throw UpdateImageError(.other, "the image does not have the ledger's checksum")
            }
        } else {
            guard self.productID == productID else {
                throw UpdateImageError(
                    .other, "the image is for several products, and the ledger has no checksum of it")
            }
            guard entry.updateSize == nil || entry.updateSize == UInt64(octets.count) else {
                throw UpdateImageError(
                    .other, "the image has \(octets.count) octets, and \(entry.updateSize ?? 0) in the ledger")
            }
        }
    }
}

/// Why a file is not served as firmware.
public struct UpdateImageError: CodedError, Equatable {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// The file is no sound image.
        case damaged = "update.damaged-image"
        /// The image is not the one of the ledger.
        case other = "update.other-image"
        /// There are as many images as are kept.
        case full = "update.store-full"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind { self == .full ? .localState : .issuerFailed }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// The fault, in words for people.
    public var reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    static var wrongDigest: UpdateImageError {
        UpdateImageError(.damaged, "the digest in the image is not that of its payload")
    }
}
