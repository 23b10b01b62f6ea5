import MatterState

/// A firmware image that lies in a file of ours or of the user (own).
public struct FirmwareFile: Sendable {
    /// The facts that the image tells of itself.
    public let header: UpdateHeader
    let path: String
    let stamp: PlainFile.Stamp
    let size: Int
    private let followsLink: Bool

    private static let piece = 64 << 10

    /// Reads the header of a file.
    ///
    /// - Throws: ``UpdateImageError`` if it is no image; ``StoreError``.
    init(at path: String, followsLink: Bool) throws {
        let file = try PlainFile(path, followsLink: followsLink)
        header = try UpdateHeader(try file.read(UpdateHeader.longest), of: file.size)
        self.path = path
        self.followsLink = followsLink
        (stamp, size) = (file.stamp, file.size)
    }

    /// Compares the digest with the payload, piece by piece where that can be done.
    ///
    /// - Throws: ``UpdateImageError`` if it is another one; ``StoreError``.
    func check() throws {
        guard header.digestKind.isSHA256 else {
            _ = try image()
            return
        }
        let file = try PlainFile(path, followsLink: followsLink)
        _ = try file.read(header.payloadStart)
        var digest = SHA256()
        var rest = size - header.payloadStart
        while rest > 0 {
            let piece = try file.read(min(rest, Self.piece))
            guard !piece.isEmpty else { throw UpdateImageError.wrongDigest }
            digest.update(piece)
            rest -= piece.count
        }
        guard Array(digest.digest().prefix(header.digestKind.count)) == header.digest else {
            throw UpdateImageError.wrongDigest
        }
    }

    /// The whole image, whose digest is compared as it is read.
    ///
    /// - Throws: ``UpdateImageError`` if it is damaged, or has become another one; ``StoreError``.
    public func image() throws -> UpdateImage {
        let file = try PlainFile(path, followsLink: followsLink)
        // One more than there should be shows a file that has grown.
        let image = try UpdateImage(try file.read(min(file.size, UpdateImage.largest) + 1))
        guard image.header == header else {
            throw UpdateImageError(.damaged, "the image was exchanged meanwhile; ask again")
        }
        return image
    }
}
