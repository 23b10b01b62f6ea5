public import ArgumentParser

/// The kind of a parameter. It is declared once, by the type of the parameter or beside it, and completion,
/// suggestions and pages read it from there.
public enum ParameterKind: Equatable, Sendable {
    /// The purpose of a path.
    public enum PathUse: String, Sendable {
        /// Attributes, commands and events.
        case any
        /// Attributes that can be read.
        case read
        /// Attributes that can be written.
        case write
        /// Commands.
        case invoke
        /// Events.
        case event
    }

    /// A node as a whole.
    case node
    /// The same, or a group.
    case nodeOrGroup
    /// A node, or an endpoint of one: `hall`, `hall/2`.
    case endpoint
    /// The same, or a group.
    case endpointOrGroup
    /// Nodes or endpoints, and behind them a value: the words that it may be, as far as they can be listed.
    case nodesAndValue([String])
    /// The verb of a kind of device, nodes or endpoints, and behind them the value of the verb.
    case deviceWords
    /// Nodes, and behind them paths.
    case nodeOrPath
    /// A path.
    case path(PathUse)
    /// Paths with values behind them, or `PATH=VALUE`.
    case settings
    /// `PATH=VALUE`.
    case condition
    /// `NAME=VALUE` for the fields of a command.
    case fields
    /// A node, or `entry:N` of its access control list.
    case accessEntry
    /// A room.
    case room
    /// A device type.
    case deviceType
    /// A cluster.
    case cluster
    /// A group.
    case group
    /// A fabric.
    case fabric
    /// A job.
    case job
    /// A member of the fabric.
    case member
    /// An account at a vendor's service.
    case profile
    /// The name of a file.
    case file
    /// The name of a folder.
    case folder
    /// `@FILE`: what is in a file.
    case contents
    /// Types of virtual devices, with commas.
    case simulatedTypes
    /// A fault of virtual devices.
    case simulatedFault
    /// A time: `10s`.
    case duration
    /// A number, decimal or hexadecimal.
    case number
}

extension ParameterKind {
    private static let separator: Character = "\u{1F}"

    /// Those without values, by their words. They are written out, because a word that is made by reflection costs every command
    /// more than its network does.
    private static let plain: [(kind: ParameterKind, word: String)] = [
        (.node, "node"), (.nodeOrGroup, "nodeOrGroup"), (.endpoint, "endpoint"), (.endpointOrGroup, "endpointOrGroup"),
        (.deviceWords, "deviceWords"), (.nodeOrPath, "nodeOrPath"),
        (.settings, "settings"), (.condition, "condition"), (.fields, "fields"), (.accessEntry, "accessEntry"),
        (.room, "room"), (.deviceType, "deviceType"), (.cluster, "cluster"), (.group, "group"), (.fabric, "fabric"),
        (.job, "job"), (.member, "member"),
        (.profile, "profile"), (.file, "file"), (.folder, "folder"), (.contents, "contents"),
        (.simulatedTypes, "simulatedTypes"), (.simulatedFault, "simulatedFault"), (.duration, "duration"),
        (.number, "number"),
    ]

    /// The kind as one word, for the parser, which hands it on.
    var text: String {
        switch self {
        case .nodesAndValue(let words): (["nodesAndValue"] + words).joined(separator: String(Self.separator))
        case .path(let use): "path\(Self.separator)\(use.rawValue)"
        default: Self.plain.first { $0.kind == self }?.word ?? ""
        }
    }

    /// - Parameter text: see ``text``; `nil` for another one.
    init?(text: String) {
        let parts = text.split(separator: Self.separator, omittingEmptySubsequences: false).map(String.init)
        switch parts.first {
        case "nodesAndValue": self = .nodesAndValue(Array(parts.dropFirst()))
        case "path":
            guard let use = parts.last.flatMap(PathUse.init(rawValue:)) else { return nil }
            self = .path(use)
        default:
            guard let plain = Self.plain.first(where: { $0.word == text }) else { return nil }
            self = plain.kind
        }
    }
}

extension CompletionKind {
    /// Says what a parameter is. The parser's own completion scripts, which would run this text, are not used.
    public static func kind(_ kind: ParameterKind) -> CompletionKind { .shellCommand(kind.text) }
}
