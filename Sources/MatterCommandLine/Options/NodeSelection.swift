import ArgumentParser
import Glibc
import MatterController
import MatterCredentials
import MatterDataModel
import MatterErrors
import MatterRecords

/// Which nodes a command is about: named, by pattern, or by what they have in common.
struct NodeSelection: ParsableArguments {
    @Flag(help: "All nodes.") var all = false
    @Option(help: ArgumentHelp("The nodes of this room.", valueName: "ROOM")) var room: String?
    @Option(name: .customLong("type"), help: ArgumentHelp("The nodes with this device type.", valueName: "TYPE"))
    var deviceType: String?

    /// Whether nodes need not be named.
    var isGiven: Bool { all || room != nil || deviceType != nil }

    /// For commands that are about one node or several.
    func require(_ words: [String], _ options: NetworkOptions) throws {
        guard options.address == nil || meansOne(words) else { throw ValidationError("--address is for one node") }
        guard isGiven || !words.isEmpty else { throw ValidationError("name a node, or give --all, --room or --type") }
    }

    /// True if the words name one node, so that the result is not a list of nodes.
    func meansOne(_ words: [String]) -> Bool { words.count == 1 && !isGiven && !words.contains(where: Self.isPattern) }

    /// The nodes by id, each once.
    ///
    /// - Parameter words: ids, names, or patterns of names with `*` and `?`.
    func nodes(_ words: [String], of controller: Controller, in catalogue: Catalogue) async throws -> [NodeRecord] {
        if meansOne(words), let word = words.first {
            return [try await controller.record(of: word)]
        }
        let known = try await controller.nodes().sound().nodes
        var chosen: [NodeRecord] = words.isEmpty ? known : []
        for word in words where !Self.isPattern(word) { chosen.append(try await controller.record(of: word)) }
        for word in words where Self.isPattern(word) {
            let found = known.filter { fnmatch(word, $0.name ?? "", 0) == 0 }
            guard !found.isEmpty else { throw Self.none("has a name like '\(word)'") }
            chosen += found
        }
        if let room {
            chosen = chosen.filter { $0.room?.lowercased() == room.lowercased() }
            guard !chosen.isEmpty else { throw Self.none("is in the room '\(room)'") }
        }
        if let deviceType {
            let id = try Self.type(deviceType, catalogue)
            chosen = chosen.filter { $0.endpoints.contains { $0.deviceTypes.contains(id.rawValue) } }
            guard !chosen.isEmpty else { throw Self.none("is known to have the device type '\(deviceType)'") }
        }
        guard !chosen.isEmpty else { throw Self.none("has been commissioned") }
        var seen: Set<NodeID> = []
        return chosen.filter { seen.insert($0.nodeID).inserted }.sorted { $0.nodeID < $1.nodeID }
    }

    private static func isPattern(_ word: String) -> Bool { word.contains { $0 == "*" || $0 == "?" } }

    private static func type(_ text: String, _ catalogue: Catalogue) throws -> DeviceTypeID {
        if let number = NameRule.parseNumber(text), let id = UInt32(exactly: number) { return DeviceTypeID(id) }
        return try catalogue.deviceType(named: text).id
    }

    private static func none(_ what: String) -> CommandLineError {
        CommandLineError("node.unknown", "no node \(what)", hint: .step("node.see"), status: .notFound)
    }
}
