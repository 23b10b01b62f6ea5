import MatterCrypto
package import MatterRecords
import MatterTLV

/// What a number in an access control list stands for: an entry of the list that the user was shown.
extension SeenList {
    /// - Parameter time: when it is shown, in milliseconds since 1970.
    package init(_ entries: [AccessControlEntry], time: UInt64) {
        var hash = SHA256()
        for entry in entries { hash.update(SHA256.hash(TLVElement(.anonymous, entry.unplaced.tlv).encoded())) }
        self.init(digest: hash.digest(), time: time)
    }

    /// Whether numbers of a command mean entries of a list: they do if that list is the one that was shown, and was before the
    /// command began. A list that another command has shown since may be one that the user has not seen.
    ///
    /// - Parameters:
    ///   - shown: `nil` if none was ever shown.
    ///   - began: milliseconds since 1970.
    package func isMeant(after shown: SeenList?, commandBegan began: UInt64) -> Bool {
        guard let shown else { return true }
        return shown.digest == digest && shown.time < began
    }
}

extension Controller {
    package func seenLists() throws -> SeenListStore {
        let fabric = try fabric()
        return SeenListStore(options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
    }
}
