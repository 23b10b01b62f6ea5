import MatterCrypto

/// The header of a firmware image: for which devices it is, and the digest of the rest (Matter core specification 11.20.4).
public struct UpdateHeader: Hashable, Sendable {
    /// The most octets before the payload.
    static let longest = prefixCount + largestFields
    private static let magic: UInt32 = 0x1BEE_F11E
    private static let prefixCount = 16
    private static let largestFields = 4096

    /// The tags of the header.
    private enum Tag {
        static let vendorID: UInt8 = 0
        static let productID: UInt8 = 1
        static let version: UInt8 = 2
        static let versionText: UInt8 = 3
        static let payloadSize: UInt8 = 4
        static let leastVersion: UInt8 = 5
        static let mostVersion: UInt8 = 6
        static let releaseNotesURL: UInt8 = 7
        static let digestType: UInt8 = 8
        static let digest: UInt8 = 9
    }

    /// The id of the vendor of the device.
    public let vendorID: UInt16
    /// The id of the product; 0 in some vendors' images, which are for several.
    public let productID: UInt16
    /// The version that the device has afterwards.
    public let version: UInt32
    /// That version in words.
    public let versionText: String
    /// Versions from which a device may go to it.
    public let applicable: ClosedRange<UInt32>
    /// Where its changes are told; `nil` if the image does not say.
    public let releaseNotesURL: String?
    /// The octet of the file at which the payload begins.
    let payloadStart: Int
    let digestKind: ImageDigest
    let digest: [UInt8]

    /// Reads the header of an image.
    ///
    /// - Parameters:
    ///   - beginning: the file, or at least its first ``longest`` octets.
    ///   - size: octets of the whole file.
    /// - Throws: ``UpdateImageError`` for a file that is no image, or is damaged. The payload is not looked at.
    init(_ beginning: [UInt8], of size: Int) throws(UpdateImageError) {
        guard beginning.count >= Self.prefixCount, size <= UpdateImage.largest,
            Self.number(beginning, 0, 4) == UInt64(Self.magic)
        else { throw UpdateImageError(.damaged, "the file is not a firmware image") }
        guard Self.number(beginning, 4, 8) == UInt64(size) else {
            throw UpdateImageError(
                .damaged, "the image says that it has \(Self.number(beginning, 4, 8)) octets, and has \(size)")
        }
        let count = Int(Self.number(beginning, 12, 4))
        guard count <= Self.largestFields, Self.prefixCount + count <= min(size, beginning.count) else {
            throw UpdateImageError(.damaged, "the header of the image is cut off")
        }
        payloadStart = Self.prefixCount + count
        let payloadSize: UInt64
        let digestType: UInt8
        do {
            let fields = try TLVFields(
                decoding: Array(beginning[Self.prefixCount..<payloadStart]), "the header of the image")
            vendorID = try fields.unsigned(Tag.vendorID)
            productID = try fields.unsigned(Tag.productID)
            version = try fields.unsigned(Tag.version)
            versionText = try fields.string(Tag.versionText)
            payloadSize = try fields.unsigned(Tag.payloadSize)
            let least = try fields.optionalUnsigned(Tag.leastVersion, as: UInt32.self) ?? 0
            let most = try fields.optionalUnsigned(Tag.mostVersion, as: UInt32.self) ?? .max
            guard least <= most else { throw UpdateImageError(.damaged, "no version may go to that of the image") }
            applicable = least...most
            releaseNotesURL = try fields.optionalString(Tag.releaseNotesURL)
            digestType = try fields.unsigned(Tag.digestType)
            digest = try fields.octets(Tag.digest)
        } catch let error as UpdateImageError {
            throw error
        } catch {
            throw UpdateImageError(.damaged, "the header of the image is damaged: \(error)")
        }
        guard payloadSize == UInt64(size - payloadStart) else {
            throw UpdateImageError(
                .damaged,
                "the image says that its payload has \(payloadSize) octets, and it has \(size - payloadStart)")
        }
        guard let kind = ImageDigest(rawValue: digestType), kind.digest(of: []) != nil else {
            throw UpdateImageError(.damaged, "the digest of the image is of an unknown kind (\(digestType))")
        }
        digestKind = kind
    }

    private static func number(_ octets: [UInt8], _ place: Int, _ count: Int) -> UInt64 {
        octets[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Tells whether the image is for a product, and a device may go to it from a version.
    public func fits(vendorID: UInt16, productID: UInt16, version running: UInt32) -> Bool {
        self.vendorID == vendorID && (self.productID == productID || self.productID == 0) && running < version
            && applicable.contains(running)
    }
}
