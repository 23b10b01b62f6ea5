import ArgumentParser
import MatterController

/// The nodes for which an entry of a ``CommandPolicy`` allows its command. A node has to meet all that the entry names.
///
/// A node is judged as a whole, because a command that reaches it reaches all of it: a bridge is in a room if all that is behind it
/// is, and has a type if each of its endpoints has.
struct NodeLimit: Equatable, Sendable {
    /// Names, and ids in digits; `nil` for any.
    var nodes: [String]?
    /// The rooms; `nil` for any.
    var rooms: [String]?
    /// The numbers of device types; `nil` for any.
    var types: Set<UInt32>?

    private static let members: Set<String> = ["command", "nodes", "rooms", "types"]

    /// - Returns: `nil` for what is not understood as a whole; the reason is told by `fault`.
    init(_ entry: JSONObject, fault: (String) -> CommandLineError) throws(CommandLineError) {
        if let other = entry.members.first(where: { !Self.members.contains($0.key) }) {
            throw fault("the member '\(other.key)' of an entry is not known")
        }
        nodes = try Self.texts(entry["nodes"], fault)
        rooms = try Self.texts(entry["rooms"], fault)
        guard let names = try Self.texts(entry["types"], fault) else {
            guard nodes != nil || rooms != nil else { throw fault("an entry limits its command to nothing") }
            return
        }
        var types: Set<UInt32> = []
        for name in names {
            if let number = NameRule.parseNumber(name).flatMap({ UInt32(exactly: $0) }) {
                types.insert(number)
            } else if let type = try? Catalogue.standard.deviceType(named: name) {
                types.insert(type.id.rawValue)
            } else {
                throw fault("the device type '\(name)' is not known")
            }
        }
        self.types = types
    }

    private static func texts(
        _ value: JSONValue?, _ fault: (String) -> CommandLineError
    ) throws(CommandLineError) -> [String]? {
        guard let value else { return nil }
        guard case .array(let entries) = value else { throw fault("a limit is not a list") }
        var texts: [String] = []
        for entry in entries {
            switch entry {
            case .string(let text): texts.append(text)
            case .int(let number) where number >= 0: texts.append("\(number)")
            case .uint(let number): texts.append("\(number)")
            default: throw fault("a limit has an entry that is neither a text nor a number")
            }
        }
        return texts
    }

    /// Whether the command may reach a node.
    func admits(_ node: NodeRecord) -> Bool {
        let id = "\(node.nodeID.rawValue)"
        if let nodes, !nodes.contains(where: { $0 == id || node.name == $0 }) { return false }
        if let rooms {
            let own = [node.room] + node.bridged.map(\.room)
            guard own.allSatisfy({ room in rooms.contains { Room.isSame($0, room) } }) else { return false }
        }
        if let types {
            // The root node tells nothing of what a device is.
            let endpoints = node.endpoints.filter { $0.number != 0 }
            guard !endpoints.isEmpty, endpoints.allSatisfy({ !types.isDisjoint(with: $0.deviceTypes) }) else {
                return false
            }
        }
        return true
    }
}

extension CommandPolicy {
    /// The nodes to which the command under way is limited, where it is; see ``CommandContext``.
    @TaskLocal static var limits: NodeLimits?

    /// Looks at the nodes of a command before it begins.
    ///
    /// - Throws: `policy.refused` if it is about another node, or is of a kind that cannot be limited; ``CommandFailure`` if what it
    ///   names cannot be found.
    func check(_ command: any ParsableCommand, within limits: NodeLimits) throws {
        let named: [NodeRecord]?
        let network = command as? any NetworkCommand
        do {
            named = try network.flatMap { try Self.nodes(of: $0) }
        } catch {
            throw CommandFailure(
                error: error, target: network?.target, isJSON: network?.options.state.output.json ?? false)
        }
        guard let named else {
            throw CommandLineError(
                .policyRefused, "'\(limits.command)' cannot be limited to nodes, as \(Self.path) does",
                hint: .step("policy.see"))
        }
        for node in named { try limits.check(node) }
    }

    /// The nodes that a command names; `nil` for one that is not about nodes alone.
    private static func nodes(of command: any NetworkCommand) throws -> [NodeRecord]? {
        let controller = try command.options.state.controller()
        if let everyday = command as? any EverydayCommand {
            let query = everyday.everyday.selection.query(everyday.nodes)
            return try controller.nodes.targets(of: query, in: .standard).map(\.node)
        }
        return try command.target.map { [try controller.nodes.place(of: $0.word).node] }
    }
}

/// The limits of a command: a node has to be within one of them.
struct NodeLimits: Equatable, Sendable {
    let command: String
    let limits: [NodeLimit]

    /// - Throws: `policy.refused`.
    func check(_ node: NodeRecord) throws(CommandLineError) {
        guard !limits.contains(where: { $0.admits(node) }) else { return }
        throw CommandLineError(
            .policyRefused, "'\(command)' is not allowed for \(NodeTarget(node).text) by \(CommandPolicy.path)",
            hint: .step("policy.see"))
    }
}
