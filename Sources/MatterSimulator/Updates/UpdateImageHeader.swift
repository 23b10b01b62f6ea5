import MatterCrypto

/// The beginning of a software image (Matter core specification 11.21.2).
struct UpdateImageHeader: Equatable, Sendable {
    /// The octets before the structure with the fields.
    static let fixedSize = 16
    private static let magic: [UInt8] = [0x1E, 0xF1, 0xEE, 0x1B]
    /// The most octets of the structure.
    private static let largestFields: UInt64 = 1024
    /// SHA-256, whole or truncated: octets by the type of the digest.
    private static let digestSizes: [UInt8: Int] = [1: 32, 2: 16, 3: 15, 4: 12, 5: 8, 6: 4]

    var vendorID: UInt16
    var productID: UInt16
    var softwareVersion: UInt32
    var softwareVersionString: String
    var payloadSize: UInt64
    /// The oldest version that can be updated with this image.
    var oldestApplicable: UInt32?
    /// The newest one.
    var newestApplicable: UInt32?
    private var digestType: UInt8
    private var digest: [UInt8]

    /// The size of an image that begins like this; `nil` while too little of it is there.
    ///
    /// - Throws: ``UpdateFailure`` for something other than an image.
    static func totalSize(_ beginning: [UInt8]) throws(UpdateFailure) -> UInt64? {
        guard beginning.count >= fixedSize else { return nil }
        guard beginning.starts(with: magic) else { throw UpdateFailure("the file is not a software image") }
        return number(beginning[4..<12])
    }

    /// The header of a complete image, whose digest is right.
    init(checking file: [UInt8]) throws(UpdateFailure) {
        guard let total = try Self.totalSize(file) else { throw UpdateFailure("the image is cut off") }
        let size = Self.number(file[12..<16])
        guard total == UInt64(file.count), size <= Self.largestFields, UInt64(Self.fixedSize) + size <= total else {
            throw UpdateFailure("an image of \(file.count) octets says that it has \(total)")
        }
        let payload = file.dropFirst(Self.fixedSize + Int(size))
        do throws(TLVError) {
            try self.init(fields: Array(file[Self.fixedSize..<payload.startIndex]))
        } catch {
            throw UpdateFailure("the header of the image does not decode: \(error)")
        }
        guard payloadSize == UInt64(payload.count) else {
            throw UpdateFailure("a payload of \(payload.count) octets instead of \(payloadSize)")
        }
        guard let count = Self.digestSizes[digestType], digest.count == count else {
            throw UpdateFailure("a digest of type \(digestType) cannot be checked")
        }
        guard SHA256.hash(Array(payload)).starts(with: digest) else {
            throw UpdateFailure("the digest of the image is wrong")
        }
    }

    private init(fields encoded: [UInt8]) throws(TLVError) {
        let fields = try TLVFields(try TLVElement(decoding: encoded).value, "the header of an image")
        vendorID = try fields.unsigned(0)
        productID = try fields.unsigned(1)
        softwareVersion = try fields.unsigned(2)
        softwareVersionString = try fields.string(3)
        payloadSize = try fields.unsigned(4)
        oldestApplicable = try fields.optionalUnsigned(5)
        newestApplicable = try fields.optionalUnsigned(6)
        digestType = try fields.unsigned(8)
        digest = try fields.octets(9)
    }

    /// A number, the least significant octet first.
    private static func number(_ octets: ArraySlice<UInt8>) -> UInt64 {
        octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// True if a device with a version can take this image.
    func isApplicable(to version: UInt32) -> Bool {
        version < softwareVersion && version >= oldestApplicable ?? 0 && version <= newestApplicable ?? .max
    }
}
