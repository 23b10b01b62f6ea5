import MatterController

/// The ids by which clients of the interface call credentials of networks (version 12). They are kept beside the fabric, without
/// secrets; a network without an id of its own is the usual entry.
struct NetworkEntries {
    static let usual = "default"
    private static let record = "house-networks"

    private let controller: Controller

    init(_ controller: Controller) { self.controller = controller }

    private func entries() throws -> JSONObject {
        try Self.decoded(controller.context.programRecord(Self.record).contents())
    }

    private static func decoded(_ contents: [UInt8]?) -> JSONObject {
        guard let contents, let json = try? JSONValue(parsing: contents), case .object(let object) = json else {
            return JSONObject()
        }
        return object
    }

    /// The key of a network: the ids of both kinds stand side by side.
    private static func key(_ network: StoredNetwork) -> String {
        "\(network.kind.rawValue) \(Hex.encode(network.id))"
    }

    /// The id of a network.
    func id(of network: StoredNetwork) throws -> String {
        if case .string(let id)? = try entries()[Self.key(network)] { return id }
        return Self.usual
    }

    /// Gives a network an id; another one of its kind that had it loses it.
    func set(_ id: String, _ network: StoredNetwork) async throws {
        try await change { entries in
            entries = Self.without(id, network.kind, entries)
            entries[Self.key(network)] = id == Self.usual ? nil : .string(id)
        }
    }

    /// Forgets an id.
    func remove(_ id: String, _ kind: StoredNetwork.Kind) async throws {
        try await change { entries in entries = Self.without(id, kind, entries) }
    }

    private static func without(_ id: String, _ kind: StoredNetwork.Kind, _ entries: JSONObject) -> JSONObject {
        var left = JSONObject()
        for member in entries.members
        where member.value != .string(id) || !member.key.hasPrefix("\(kind.rawValue) ") {
            left[member.key] = member.value
        }
        return left
    }

    private func change(_ body: (inout JSONObject) -> Void) async throws {
        try await controller.context.programRecord(Self.record).change { contents in
            var entries = Self.decoded(contents)
            body(&entries)
            return JSONValue.object(entries).utf8()
        }
    }
}
