import Glibc

/// A record that a program keeps for itself in the folder of a fabric: `fabrics/FABRIC/programs/NAME.json`. It goes when the
/// fabric goes.
///
/// The file belongs to one user, and is written at once or not at all. Its contents are the program's own.
public struct ProgramRecord: Sendable {
    private let state: StateDirectory
    private let folder: FabricFolder
    private let name: String

    /// - Parameter name: letters, digits, `_` and `-`.
    package init(_ state: StateDirectory, fabric: FabricRecord, name: String) {
        self.state = state
        folder = FabricFolder(state: state, name: fabric.name, identity: fabric.compressedFabricID)
        self.name = name
    }

    private var file: String { "\(folder.path)/programs/\(name).json" }

    /// The contents; `nil` if nothing was written yet.
    ///
    /// - Throws: ``StoreError`` if the file cannot be read, or is damaged.
    public func contents() throws -> [UInt8]? { try state.read(file) }

    /// Changes the contents while no other process does.
    ///
    /// - Parameter body: gets the contents, `nil` if nothing was written yet, and gives the new ones; `nil` leaves all as it is.
    /// - Throws: ``StoreError`` if the file cannot be read or written, ``RecordError`` if the fabric was removed, and what
    ///   `body` throws.
    public func change(_ body: ([UInt8]?) throws -> [UInt8]?) async throws {
        try await state.withLock("\(folder.path)/programs/\(name)") {
            try folder.check()
            if let contents = try body(try contents()) { try state.write(file, contents, keepingPrevious: false) }
        }
    }

    /// Removes the record, if there is one.
    ///
    /// - Throws: ``StoreError`` if the file cannot be removed.
    public func remove() throws { _ = try state.delete(file) }

    /// A text that differs after each change, and is cheap to get; `nil` as long as nothing is written, or if it cannot be seen.
    public var stamp: String? {
        var status = stat()
        // Each change makes a file of its own, which takes the place of the last one.
        guard lstat("\(state.path)/\(file)", &status) == 0 else { return nil }
        return "\(status.st_ino) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) \(status.st_size)"
    }
}
