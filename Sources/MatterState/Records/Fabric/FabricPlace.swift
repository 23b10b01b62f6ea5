/// The state directory in which a fabric is used: a copy of it that is used elsewhere is told by that.
package struct FabricPlace: Equatable, Sendable {
    /// The machine and the folder.
    package var folder: FabricOrigin
    /// The name of the machine; `nil` if it has none.
    package var host: String?
    /// Other machines that use the same folder over the network, by the digests of their ids.
    package var sharers: [String] = []

    init(_ folder: FabricOrigin, host: String?) {
        self.folder = folder
        self.host = host
    }

    init(_ fields: RecordFields) throws(RecordError) {
        folder = try FabricOrigin(fields)
        host = try fields.optionalString("host")
        sharers = try fields.strings("sharers")
    }

    var json: JSONValue {
        guard case .object(var object) = folder.json else { return folder.json }
        object["host"] = host.map { .string($0) }
        if !sharers.isEmpty { object["sharers"] = .array(sharers.map { .string($0) }) }
        return .object(object)
    }

    /// Whether the fabric may be used in a folder as before.
    func includes(_ here: FabricOrigin) -> Bool {
        if folder.isSamePlace(as: here) { return true }
        guard let machine = here.machine, folder.inode == here.inode else { return false }
        return sharers.contains(machine)
    }
}

/// The place where a fabric was used before it came here.
public struct FabricProvenance: Equatable, Sendable {
    /// The way on which a fabric came here.
    public enum Way: String, Sendable, CaseIterable {
        /// The state directory, or a backup of the folder, was copied or moved.
        case copy
        /// An export or a backup was read.
        case export
    }

    /// The way on which it came here.
    public let way: Way
    /// The name of the machine; `nil` if that is not known.
    public let host: String?
    /// Whether it is this machine, and another folder; `nil` if that is not known.
    public let isSameMachine: Bool?
    /// When the copy was noticed, or the export was made, in seconds since 1970.
    public let at: Int64
}

extension FabricProvenance {
    init(_ fields: RecordFields) throws(RecordError) {
        let word = try fields.string("way")
        // A way of a later version is no export that we have read.
        self.init(
            way: Way(rawValue: word) ?? .copy, host: try fields.optionalString("host"),
            isSameMachine: try fields.optionalBool("sameMachine"), at: try fields.time("at"))
    }

    var json: JSONValue {
        var object: JSONObject = ["way": .string(way.rawValue), "at": .int(at)]
        object["host"] = host.map { .string($0) }
        object["sameMachine"] = isSameMachine.map { .bool($0) }
        return .object(object)
    }
}
