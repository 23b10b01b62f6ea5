/// The kinds of things that a path can end in (Matter core specification, chapter 7).
public enum ElementKind: String, Sendable, CaseIterable {
    /// An attribute.
    case attribute
    /// A command.
    case command
    /// An event.
    case event
}

/// `EP/CLUSTER/ELEMENT` in numbers; `nil` is a wildcard (Matter core specification, section 8.2.1.6).
public struct ElementPath: Hashable, Sendable {
    /// The endpoint; `nil` for all.
    public var endpoint: EndpointID?
    /// The cluster; `nil` for all.
    public var cluster: ClusterID?
    /// The number of the attribute, command or event.
    public var element: UInt32?

    /// A path in numbers.
    public init(endpoint: EndpointID?, cluster: ClusterID?, element: UInt32?) {
        self.endpoint = endpoint
        self.cluster = cluster
        self.element = element
    }

    /// True if any part is a wildcard.
    package var hasWildcard: Bool { endpoint == nil || cluster == nil || element == nil }
}

extension ElementPath: CustomStringConvertible {
    /// In numbers: `1/6/0`, `*/0x131BFC00/1`.
    public var description: String { "\(endpointText)/\(clusterText)/\(elementText)" }

    private var endpointText: String { endpoint.map(\.description) ?? "*" }

    private var clusterText: String {
        cluster.map { $0 > 0xFFFF ? hexadecimal($0) : String($0.rawValue) } ?? "*"
    }

    private var elementText: String { element.map { $0 > 0xFFFF ? hexadecimal($0) : String($0) } ?? "*" }

    /// In names as they can be typed, numbers where there is none: `1/on-off/on-off`.
    public func text(_ kind: ElementKind, in catalogue: Catalogue) -> String {
        let known = cluster.flatMap { catalogue.cluster($0) }
        let name: String? = element.flatMap { element in
            switch kind {
            case .attribute:
                known?.attribute(AttributeID(element))?.name
                    ?? catalogue.globalAttributes.first { $0.id.rawValue == element }?.name
            case .command: known?.command(CommandID(element))?.name
            case .event: known?.event(EventID(element))?.name
            }
        }
        let place = known.map { NameStyle.kebab($0.name) } ?? clusterText
        return "\(endpointText)/\(place)/\(name.map(NameStyle.kebab) ?? elementText)"
    }
}

// MARK: - Reading

extension ElementPath {
    /// Reads `EP/CLUSTER/ELEMENT`, each part a number (decimal or hexadecimal), a name or `*`; `EP/CLUSTER` means all
    /// of its attributes or events.
    ///
    /// - Parameters:
    ///   - kind: what ELEMENT is. A command's path has no wildcards and all three parts.
    ///   - catalogue: asked for only if a part is a name.
    /// - Throws: ``DataModelError`` with the nearest spellings of an unknown name.
    public init(
        _ text: String, _ kind: ElementKind, in catalogue: () throws(DataModelError) -> Catalogue
    ) throws(DataModelError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 || parts.count == 3, !parts.contains("") else {
            throw .malformedPath(
                text, "a path is EP/CLUSTER/\(kind.rawValue.uppercased()), for example \(kind.example)")
        }
        if kind == .command {
            guard parts.count == 3 else { throw .malformedPath(text, "name the command, for example \(kind.example)") }
            guard !parts.contains("*") else { throw .malformedPath(text, "a command has no wildcards") }
        }
        endpoint = try Self.endpoint(parts[0], in: text)
        // The definition is looked up only for a name: numbers need no catalogue.
        var definition: ClusterDefinition?
        switch try PathPart(parts[1], in: text) {
        case .wildcard: cluster = nil
        case .number(let number): cluster = ClusterID(number)
        case .name(let name):
            let found = try catalogue().cluster(named: name)
            definition = found
            cluster = found.id
        }
        switch parts.count == 3 ? try PathPart(parts[2], in: text) : .wildcard {
        case .wildcard: element = nil
        case .number(let number): element = number
        case .name(let name):
            element = try Self.element(name, kind, of: cluster, definition, in: catalogue())
        }
        if cluster == nil, let element, !(kind == .attribute && AttributeDefinition.isGlobal(AttributeID(element))) {
            throw .malformedPath(
                text,
                "with * for the cluster, \(kind.rawValue) \(element) must be * or an attribute that every cluster has")
        }
    }

    /// Reads a path with the compiled-in names.
    ///
    /// - Throws: ``DataModelError``.
    public init(_ text: String, _ kind: ElementKind) throws(DataModelError) {
        try self.init(text, kind) { () throws(DataModelError) in .standard }
    }

    private static func endpoint(_ part: String, in text: String) throws(DataModelError) -> EndpointID? {
        switch try PathPart(part, in: text) {
        case .wildcard: return nil
        case .number(let number):
            // 0xFFFF is no endpoint (section 7.6.3).
            guard let endpoint = UInt16(exactly: number), endpoint < UInt16.max else {
                throw .malformedPath(text, "an endpoint is a number from 0 to 65534")
            }
            return EndpointID(endpoint)
        case .name(let name):
            throw .malformedPath(text, "\(quoted(name)) is not the number of an endpoint")
        }
    }

    private static func element(
        _ name: String, _ kind: ElementKind, of cluster: ClusterID?, _ definition: ClusterDefinition?,
        in catalogue: Catalogue
    ) throws(DataModelError) -> UInt32 {
        if let definition = definition ?? cluster.flatMap({ catalogue.cluster($0) }) {
            switch kind {
            case .attribute: return try definition.attribute(named: name).id.rawValue
            case .command: return try definition.command(named: name).id.rawValue
            case .event: return try definition.event(named: name).id.rawValue
            }
        }
        let globals = catalogue.globalAttributes
        if kind == .attribute, let found = globals.named(name, \.name, \.aliases) { return found.id.rawValue }
        let whose = cluster.map { "cluster \(hexadecimal($0)) has no definition here" } ?? "not every cluster has"
        let code: DataModelError.Code =
            switch kind {
            case .attribute: .unknownAttribute
            case .command: .unknownCommand
            case .event: .unknownEvent
            }
        throw DataModelError(
            code,
            cluster == nil
                ? "\(whose) \(kind == .attribute ? "an" : "a") \(kind.rawValue) \(quoted(name))"
                : "\(whose), so \(quoted(name)) is unknown: give its number", place: name,
            suggestions: kind == .attribute
                ? Suggestions.nearest(to: name, among: globals.map(\.name)).map(NameStyle.kebab) : [])
    }
}

/// One part of a path.
private enum PathPart {
    case wildcard
    case number(UInt32)
    case name(String)

    init(_ part: String, in text: String) throws(DataModelError) {
        if part == "*" {
            self = .wildcard
        } else if part.utf8.first.map({ 0x30...0x39 ~= $0 }) ?? false {
            guard let number = NumberText.unsigned(part).flatMap({ UInt32(exactly: $0) }) else {
                throw .malformedPath(text, "\(quoted(part)) is not a number of up to 32 bits")
            }
            self = .number(number)
        } else {
            self = .name(part)
        }
    }
}

extension AttributeDefinition {
    /// True if every cluster has the attribute with this id.
    static func isGlobal(_ id: AttributeID) -> Bool { (firstGlobalID...0xFFFF).contains(id) }
}

extension ElementKind {
    fileprivate var example: String {
        switch self {
        case .attribute: "1/on-off/on-off"
        case .command: "1/on-off/toggle"
        case .event: "1/switch/initial-press"
        }
    }
}

extension DataModelError {
    fileprivate static func malformedPath(_ text: String, _ reason: String) -> DataModelError {
        DataModelError(.malformedPath, "path \(quoted(text)): \(reason)", place: text)
    }
}
