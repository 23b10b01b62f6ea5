import MatterCrypto

/// The folder of one fabric, for the stores that keep something in it.
struct FabricFolder: Sendable {
    private let state: StateDirectory
    private let name: String
    /// The fabric that has to be there when something is added; `nil` if any will do.
    private let identity: CompressedFabricID?

    init(state: StateDirectory, name: String, identity: CompressedFabricID?) {
        self.state = state
        self.name = name
        self.identity = identity
    }

    var path: String { FabricStore.folder(of: name) }

    /// Finds out, before something is added, whether the fabric is still there.
    ///
    /// - Throws: ``RecordError`` `fabricGone` if it was removed, or another one of that name made since.
    func check() throws {
        guard let identity else { return }
        guard try FabricStore(state).fabric(named: name)?.compressedFabricID != identity else { return }
        throw RecordError(
            .fabricGone, "the fabric '\(name)' was removed while this command ran",
            hint: .step("fabric.see-others"))
    }
}
