public import ArgumentParser

/// What stands at the place of a parameter. It is declared once, by the type of the parameter or beside it, and completion,
/// suggestions and pages read it from there.
public enum ParameterKind: Equatable, Sendable {
    /// What a path is for.
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

    /// A node, or an endpoint of one.
    case node
    /// The same, or a group.
    case nodeOrGroup
    /// Nodes, and behind them a value: the words that it may be, as far as they can be listed.
    case nodesAndValue([String])
    /// The verb of a kind of device, nodes, and behind them the value of the verb.
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
    /// A time: `10s`.
    case duration
    /// A number, decimal or hexadecimal.
    case number
}

extension ParameterKind {
    private static let separator: Character = "\u{1F}"

    /// The kind as one word, for the parser, which hands it on.
    var text: String {
        switch self {
        case .nodesAndValue(let words): (["nodesAndValue"] + words).joined(separator: String(Self.separator))
        case .path(let use): "path\(Self.separator)\(use.rawValue)"
        default: "\(self)"
        }
    }

    private static let plain: [ParameterKind] = [
        .node, .nodeOrGroup, .deviceWords, .nodeOrPath, .settings, .condition, .fields, .accessEntry, .room,
        .deviceType, .cluster,
        .group, .fabric, .profile, .file, .folder, .contents, .simulatedTypes,
        .duration, .number,
    ]

    /// - Parameter text: see ``text``; `nil` for another one.
    init?(text: String) {
        let parts = text.split(separator: Self.separator, omittingEmptySubsequences: false).map(String.init)
        switch parts.first {
        case "nodesAndValue": self = .nodesAndValue(Array(parts.dropFirst()))
        case "path":
            guard let use = parts.last.flatMap(PathUse.init(rawValue:)) else { return nil }
            self = .path(use)
        default:
            guard let kind = Self.plain.first(where: { $0.text == text }) else { return nil }
            self = kind
        }
    }
}

extension CompletionKind {
    /// Says what a parameter is. The parser's own completion scripts, which would run this text, are not used.
    public static func kind(_ kind: ParameterKind) -> CompletionKind { .shellCommand(kind.text) }
}
