import FoundationEssentials
import Glibc

/// A folder of trusted certificates on disk: the `--trust` option's edge to the file system (Matter core
/// specification, 6.2.2).
public enum TrustDirectory {
    /// The sub-folder whose certificates are trusted to sign certification declarations.
    public static let signersFolder = "cd-signers"

    /// Reads the regular files of a folder in the order of their names, without descending but into ``signersFolder``;
    /// names with a leading dot are passed over.
    ///
    /// - Returns: the files, and what could not be read or is too long, for ``TrustStore``.
    /// - Throws: `attestation.unreadable-trust` if the folder itself cannot be read or has too many entries.
    package static func read(
        _ path: String
    ) throws(AttestationError) -> (files: [TrustFile], unreadable: [UnusableTrustFile]) {
        try read(path, purpose: .authorities)
    }

    private static func read(
        _ path: String, purpose: TrustFile.Purpose
    ) throws(AttestationError) -> (files: [TrustFile], unreadable: [UnusableTrustFile]) {
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            throw AttestationError(.unreadableTrust, "\(path) is not a folder that can be read")
        }
        guard names.count <= TrustStore.maximumCount else {
            throw AttestationError(.unreadableTrust, "\(path) has more than \(TrustStore.maximumCount) files")
        }
        var files: [TrustFile] = []
        var unreadable: [UnusableTrustFile] = []
        for name in names.sorted() where !name.hasPrefix(".") {
            let file = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
            if name == signersFolder, purpose == .authorities, isFolder(file) {
                let signers = try read(file, purpose: .declarationSigners)
                files += signers.files
                unreadable += signers.unreadable
            } else if let fault = fault(of: file) {
                unreadable.append(UnusableTrustFile(path: file, reason: fault))
            } else if let contents = FileManager.default.contents(atPath: file) {
                files.append(TrustFile(path: file, contents: Array(contents), purpose: purpose))
            } else {
                unreadable.append(UnusableTrustFile(path: file, reason: "the file cannot be read"))
            }
        }
        return (files, unreadable)
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Why a file is better not opened.
    static func fault(of path: String, largest: Int = TrustStore.maximumFileCount) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return "the file cannot be read" }
        guard status.st_mode & S_IFMT == S_IFREG else { return "not a regular file" }
        return status.st_size <= largest ? nil : "the file is longer than \(largest) bytes"
    }
}
