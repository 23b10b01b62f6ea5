public import MatterCrypto

/// A firmware image: a header that says for which device it is, and what the device makes of the rest (Matter core specification 11.20.4).
///
/// It is served as a whole, header included.
public struct UpdateImage: Sendable {
    /// The most octets of an image that is served.
    package static let largest = 128 << 20
    private static let magic: UInt32 = 0x1BEE_F11E
    private static let prefixCount = 16
    private static let largestHeader = 4096

    /// The tags of the header.
    private enum Tag {
        static let vendorID: UInt8 = 0
        static let productID: UInt8 = 1
        static let version: UInt8 = 2
        static let versionText: UInt8 = 3
        static let payloadSize: UInt8 = 4
        static let leastVersion: UInt8 = 5
        static let mostVersion: UInt8 = 6
        static let digestType: UInt8 = 8
        static let digest: UInt8 = 9
    }

    /// The whole file.
    package let octets: [UInt8]
    /// The vendor of the device.
    package let vendorID: UInt16
    /// The product; 0 in some vendors' images, which are for several.
    package let productID: UInt16
    /// The version that the device has afterwards.
    public let version: UInt32
    /// That version in words.
    package let versionText: String
    /// Versions from which a device may go to it.
    package let applicable: ClosedRange<UInt32>

    /// - Throws: ``UpdateImageError`` for a file that is no image, or is damaged.
    package init(_ octets: [UInt8]) throws(UpdateImageError) {
        guard octets.count >= Self.prefixCount, octets.count <= Self.largest,
            Self.number(octets, 0, 4) == UInt64(Self.magic)
        else { throw UpdateImageError(.damaged, "the file is not a firmware image") }
        guard Self.number(octets, 4, 8) == UInt64(octets.count) else {
            throw UpdateImageError(
                .damaged, "the image says that it has \(Self.number(octets, 4, 8)) octets, and has \(octets.count)")
        }
        let headerCount = Int(Self.number(octets, 12, 4))
        guard headerCount <= Self.largestHeader, Self.prefixCount + headerCount <= octets.count else {
            throw UpdateImageError(.damaged, "the header of the image is cut off")
        }
        let payload = Array(octets.dropFirst(Self.prefixCount + headerCount))
        let header = octets[Self.prefixCount..<Self.prefixCount + headerCount]
        let size: UInt64
        let digestType: UInt8
        let digest: [UInt8]
        do {
            let fields = try TLVFields(decoding: Array(header), "the header of the image")
            vendorID = try fields.unsigned(Tag.vendorID)
            productID = try fields.unsigned(Tag.productID)
            version = try fields.unsigned(Tag.version)
            versionText = try fields.string(Tag.versionText)
            size = try fields.unsigned(Tag.payloadSize)
            let least = try fields.optionalUnsigned(Tag.leastVersion, as: UInt32.self) ?? 0
            let most = try fields.optionalUnsigned(Tag.mostVersion, as: UInt32.self) ?? .max
            guard least <= most else { throw UpdateImageError(.damaged, "no version may go to that of the image") }
            applicable = least...most
            digestType = try fields.unsigned(Tag.digestType)
            digest = try fields.octets(Tag.digest)
        } catch let error as UpdateImageError {
            throw error
        } catch {
            throw UpdateImageError(.damaged, "the header of the image is damaged: \(error)")
        }
        guard size == UInt64(payload.count) else {
            throw UpdateImageError(
                .damaged, "the image says that its payload has \(size) octets, and it has \(payload.count)")
        }
        guard let kind = ImageDigest(rawValue: digestType), let real = kind.digest(of: payload) else {
            throw UpdateImageError(.damaged, "the digest of the image is of an unknown kind (\(digestType))")
        }
        guard real == digest else {
            throw UpdateImageError(.damaged, "the digest in the image is not that of its payload")
        }
        self.octets = octets
    }

    private static func number(_ octets: [UInt8], _ place: Int, _ count: Int) -> UInt64 {
        octets[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
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

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind { .issuerFailed }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// The fault, in words for people.
    public var reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
