import JSON
package import MatterCredentials
import MatterCrypto
package import MatterStore

/// The access control list that was last shown of a node: a number that the user types stands for an entry of that one.
package struct SeenList: Equatable, Sendable {
    /// SHA-256 of the entries in their order.
    package var digest: [UInt8]
    /// When it was shown, in milliseconds since 1970.
    package var time: UInt64
    /// Whether a command showed it that was to change the list; otherwise one that was asked for it.
    package var isResult: Bool

    package init(digest: [UInt8], time: UInt64, isResult: Bool = false) {
        self.digest = digest
        self.time = time
        self.isResult = isResult
    }
}

/// The lists that were shown: `seen/ID` in the fabric's folder.
package struct SeenListStore: Sendable {
    private let state: StateDirectory
    private let folder: FabricFolder

    package init(_ state: StateDirectory, fabric: String, identity: CompressedFabricID? = nil) {
        self.state = state
        folder = FabricFolder(state: state, name: fabric, identity: identity)
    }

    private func record(of node: NodeID) -> String { "\(folder.path)/seen/\(node)" }

    /// - Returns: `nil` if none was shown, or if the record is damaged.
    package func load(_ node: NodeID) -> SeenList? {
        let file = record(of: node)
        guard let contents = try? state.read(file), let fields = try? RecordFields(contents, file),
            let digest = (try? fields.string("digest")).flatMap({ try? Hex.decode($0) }),
            let time: UInt64 = try? fields.integer("shown")
        else { return nil }
        return SeenList(digest: digest, time: time, isResult: (try? fields.optionalBool("result")) ?? false)
    }

    /// Without waiting for the disk: what is lost with the machine was shown before its end.
    ///
    /// - Throws: `StoreError`, or ``RecordError`` if the fabric is gone.
    package func note(_ list: SeenList, of node: NodeID) throws {
        try folder.check()
        let contents = JSONValue.object([
            "digest": .string(Hex.encode(list.digest)), "shown": .id(list.time), "result": .bool(list.isResult),
        ]).utf8()
        try state.write(record(of: node), contents, keepingPrevious: false, durability: .relaxed)
    }

    package func forget(_ node: NodeID) throws(StoreError) {
        _ = try state.delete(record(of: node))
    }
}
