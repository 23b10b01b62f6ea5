public import MatterCrypto

/// Something small to remember of a node, which may be lost.
public protocol NodeNote: Sendable {
    /// The name of the folder in the fabric's.
    static var folder: String { get }

    /// A note as it is kept.
    ///
    /// - Throws: if it is garbled.
    init(_ fields: RecordFields) throws
    /// The note as it is kept.
    var json: JSONObject { get }
}

/// The notes of one kind: a file `FOLDER/ID` for each node, in the fabric's folder.
public struct NodeNoteStore<Note: NodeNote>: Sendable {
    private let state: StateDirectory
    private let folder: FabricFolder

    /// The notes of a fabric's nodes.
    ///
    /// - Parameter identity: the fabric that must have the name when something is noted; `nil` for any.
    public init(_ state: StateDirectory, fabric: String, identity: CompressedFabricID? = nil) {
        self.state = state
        folder = FabricFolder(state: state, name: fabric, identity: identity)
    }

    private func record(of node: NodeID) -> String { "\(folder.path)/\(Note.folder)/\(node)" }

    /// - Returns: `nil` if there is none, or if it is damaged.
    public func load(_ node: NodeID) -> Note? {
        let file = record(of: node)
        guard let contents = try? state.read(file), let fields = try? RecordFields(contents, file) else { return nil }
        return try? Note(fields)
    }

    /// Without waiting for the disk: what is lost with the machine was noted before its end.
    ///
    /// - Throws: `StoreError`, or ``RecordError`` if the fabric is gone.
    public func note(_ note: Note, of node: NodeID) throws {
        try folder.check()
        try state.write(
            record(of: node), JSONValue.object(note.json).utf8(), keepingPrevious: false, durability: .relaxed)
    }

    package func forget(_ node: NodeID) throws(StoreError) {
        _ = try state.delete(record(of: node))
    }
}
