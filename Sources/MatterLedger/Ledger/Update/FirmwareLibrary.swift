public import MatterState
import Synchronization

/// Firmware images that are at hand without the ledger (own): those that were uploaded, in the state directory, and those in a folder of the
/// user, which is only read.
public final class FirmwareLibrary: Sendable {
    static let folder = "firmware"
    private static let suffix = ".ota"
    private static let lock = "firmware"

    /// How many images are kept, and read.
    struct Limits: Sendable {
        /// Uploaded images.
        var images = 32
        /// Bytes of all of them.
        var bytes = 1 << 30
        /// Files of the user's folder that are looked at.
        var files = 256
    }

    /// The judgement on a file, which counts until the file changes.
    private struct Judgement {
        var stamp: PlainFile.Stamp?
        /// The fault of the file; `nil` if its digest was compared.
        var fault: String?
    }

    private let state: StateDirectory
    private let userFolder: String?
    private let limits: Limits
    private let judgements = Mutex<[String: Judgement]>([:])

    /// The images of a state directory, and those in a folder of the user.
    ///
    /// - Parameter userFolder: the path of that folder; `nil` for none.
    public convenience init(_ state: StateDirectory, userFolder: String?) {
        self.init(state, userFolder: userFolder, Limits())
    }

    init(_ state: StateDirectory, userFolder: String?, _ limits: Limits) {
        (self.state, self.userFolder, self.limits) = (state, userFolder, limits)
    }

    // MARK: Uploads

    /// Removes the beginnings of uploads whose process is gone.
    ///
    /// - Throws: ``StoreError`` if the folder cannot be used.
    public func clear() throws { try state.clearDrafts(in: Self.folder) }

    /// Begins a file for an image that comes in pieces.
    ///
    /// - Throws: ``StoreError`` if it cannot be made.
    public func upload() throws -> FirmwareUpload { FirmwareUpload(try state.draft(in: Self.folder)) }

    /// Keeps an image that has come, if it is sound. One of the same vendor, product and version is replaced.
    ///
    /// - Throws: ``UpdateImageError`` if it is no sound image, or there are too many; ``StoreError``.
    public func keep(_ upload: FirmwareUpload) async throws -> UpdateHeader {
        let file = try FirmwareFile(at: upload.draft.path, followsLink: false)
        try file.check()
        try await state.withLock(Self.lock) {
            let name = Self.name(of: file.header)
            let others = try kept().filter { $0.name != name }
            guard others.count < limits.images else {
                throw full("\(others.count) images are kept, which is the most")
            }
            guard others.reduce(file.size, { $0 + $1.size }) <= limits.bytes else {
                throw full("the images would have more than \(limits.bytes >> 20) MiB")
            }
            try upload.draft.finish(as: name)
        }
        return file.header
    }

    private func full(_ reason: String) -> UpdateImageError {
        UpdateImageError(.full, "\(reason); remove some from \(state.path)/\(Self.folder)")
    }

    /// `FFF1-8001-00000002.ota`.
    private static func name(of header: UpdateHeader) -> String {
        let parts = [
            Hex.number(header.vendorID, digits: 4, uppercase: true),
            Hex.number(header.productID, digits: 4, uppercase: true),
        ]
        return "\(parts[0])-\(parts[1])-\(Hex.number(header.version, digits: 8, uppercase: true))\(suffix)"
    }

    private func kept() throws -> [(name: String, size: Int)] {
        guard let path = try state.path(ofFolder: Self.folder) else { return [] }
        return try PlainFile.names(in: path, suffix: Self.suffix).map { name in
            (name, try PlainFile("\(path)/\(name)", followsLink: false).size)
        }
    }

    // MARK: Looking

    /// The images to which a device of a product may go from its version, the newest first. Of one version, an uploaded one
    /// comes before one of the folder. Those that are damaged are left out.
    ///
    /// - Returns: the images; and what is wrong with files, told once for each file until it changes.
    public func images(
        vendorID: UInt16, productID: UInt16, version: UInt32
    ) -> (images: [FirmwareFile], faults: [String]) {
        var found: [FirmwareFile] = []
        var faults: [String] = []
        var seen: Set<String> = []
        for (path, isOurs) in places(&faults) {
            seen.insert(path)
            do {
                let file = try FirmwareFile(at: path, followsLink: !isOurs)
                guard !isOurs || path.hasSuffix("/\(Self.name(of: file.header))") else {
                    throw UpdateImageError(.damaged, "the image is not the one that its name says")
                }
                guard file.header.fits(vendorID: vendorID, productID: productID, version: version) else { continue }
                let known = judgements.withLock { $0[path] }
                if let known, known.stamp == file.stamp {
                    if known.fault == nil { found.append(file) }
                    continue
                }
                try file.check()
                judgements.withLock { $0[path] = Judgement(stamp: file.stamp) }
                found.append(file)
            } catch {
                let stamp = (try? PlainFile(path, followsLink: !isOurs))?.stamp
                note("\(path): \(error)", of: path, stamp, &faults)
            }
        }
        judgements.withLock { judgements in
            judgements = judgements.filter { seen.contains($0.key) || $0.key == userFolder }
        }
        let sorted = found.enumerated().sorted {
            ($0.element.header.version, $1.offset) > ($1.element.header.version, $0.offset)
        }
        return (sorted.map(\.element), faults)
    }

    /// Keeps a fault, and tells it if it is new.
    private func note(_ fault: String, of path: String, _ stamp: PlainFile.Stamp?, _ faults: inout [String]) {
        let isNew = judgements.withLock { judgements in
            defer { judgements[path] = Judgement(stamp: stamp, fault: fault) }
            return judgements[path]?.fault != fault || judgements[path]?.stamp != stamp
        }
        if isNew { faults.append(fault) }
    }

    /// The files that may be images, those of uploads first.
    private func places(_ faults: inout [String]) -> [(path: String, isOurs: Bool)] {
        func names(in path: String?, _ isOurs: Bool) -> [(path: String, isOurs: Bool)] {
            guard let path else { return [] }
            do {
                let names = try PlainFile.names(in: path, suffix: Self.suffix)
                judgements.withLock { $0[path] = nil }
                return names.prefix(limits.files).map { ("\(path)/\($0)", isOurs) }
            } catch {
                note("\(error)", of: path, nil, &faults)
                return []
            }
        }
        // Without the folder there was no upload.
        return names(in: (try? state.path(ofFolder: Self.folder)) ?? nil, true) + names(in: userFolder, false)
    }
}

/// An image that comes in pieces (own). It is gone if it is not kept.
public final class FirmwareUpload: Sendable {
    let draft: FileDraft

    init(_ draft: FileDraft) { self.draft = draft }

    /// Writes further bytes of it.
    ///
    /// - Throws: ``StoreError`` if the disk takes them not.
    public func append(_ octets: [UInt8]) throws { try draft.append(octets) }

    /// Removes it, unless it is kept.
    public func discard() { draft.discard() }
}
