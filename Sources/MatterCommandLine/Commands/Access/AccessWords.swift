import MatterController

/// The words of access control: who, where, and whole lists.
struct AccessWords: Sendable {
    private static let entryPrefix = "entry:"

    private let controller: Controller
    private let catalogue: Catalogue

    init(_ controller: Controller, _ catalogue: Catalogue) {
        self.controller = controller
        self.catalogue = catalogue
    }

    /// A node by id or name, `cat:06D90001`, or `group:lights`.
    func subject(_ word: String) async throws -> AccessSubject {
        if let text = Self.text(of: word, after: "cat:") {
            let digits = text.lowercased().hasPrefix("0x") ? text.dropFirst(2) : text
            guard let tag = CASEAuthenticatedTag(hex: digits), tag.isValid else {
                throw Self.wrong(
                    "'\(text)' is not a tag: 8 hexadecimal digits, the last 4 of them the version, from 1 on")
            }
            return AccessSubject(id: tag.subject)
        }
        if let text = Self.text(of: word, after: "group:") {
            return AccessSubject(id: NodeID(UInt64(try await group(text))), authMode: .group)
        }
        // Nodes of other controllers have no record here.
        if let number = NameRule.parseNumber(word) { return AccessSubject(id: NodeID(number)) }
        return AccessSubject(id: try controller.nodes.record(of: word).nodeID)
    }

    /// A group by its id or name; one of another controller has no record here.
    func group(_ text: some StringProtocol) async throws -> UInt16 {
        guard let number = NameRule.parseNumber(String(text)) else {
            return try controller.context.groups().find(String(text)).group
        }
        guard let id = UInt16(exactly: number), id > 0 else {
            throw Self.wrong("'\(text)' is not a group id: 1 to 65535")
        }
        return id
    }

    /// The text after a prefix such as `group:`.
    static func text(of word: String, after prefix: String) -> Substring? {
        word.lowercased().hasPrefix(prefix) ? word.dropFirst(prefix.count) : nil
    }

    /// `1`, `1/on-off`, `*/on-off`, `dimmable-light`, `dimmable-light/on-off`.
    func target(_ word: String) throws -> AccessControlEntry.Target {
        let parts = word.split(separator: "/", omittingEmptySubsequences: false)
        guard let place = parts.first, !place.isEmpty, parts.count <= 2 else {
            throw Self.wrong("'\(word)' is not a target: EP, EP/CLUSTER, */CLUSTER or DEVICE-TYPE")
        }
        var target = AccessControlEntry.Target()
        if let cluster = parts.dropFirst().first, cluster != "*" {
            target.cluster = try ElementPath("*/\(cluster)", .attribute) { () throws(DataModelError) in catalogue }
                .cluster
        }
        if let number = NameRule.parseNumber(String(place)) {
            guard let endpoint = UInt16(exactly: number) else { throw Self.wrong("\(place) is not an endpoint") }
            target.endpoint = EndpointID(endpoint)
        } else if place != "*" {
            target.deviceType = try catalogue.deviceType(named: String(place)).id
        }
        guard target != .init() else { throw Self.wrong("leave --target out to mean the whole device") }
        return target
    }

    /// Whether a word names an entry by its number.
    static func isEntry(_ word: String) -> Bool { text(of: word, after: entryPrefix) != nil }

    /// `entry:2`
    func entry(_ word: String) throws -> Int {
        guard let number = Self.text(of: word, after: Self.entryPrefix).flatMap({ Int($0) }) else {
            throw Self.wrong("'\(word)' is not an entry: entry:N, with its number in acl ls")
        }
        return number
    }

    /// A whole list, as JSON or `@FILE`, and what may be wrong with it.
    func list(_ word: String) throws -> (entries: [AccessControlEntry], warnings: [String]) {
        let parser = ValueParser(catalogue: catalogue)
        let place = "acl"
        guard
            let type = catalogue.attribute(cluster: AccessControl.id, AccessControl.Attribute.acl)?.type
        else { throw Self.wrong("the catalogue has no access control list") }
        let parsed =
            word.hasPrefix("@")
            ? try parser.value(file: try InputFile.contents(String(word.dropFirst())), as: type, at: place)
            : try parser.value(word: word, as: type, at: place)
        return (try AccessControlEntry.list(parsed.value), parsed.warnings.map { "\($0)" })
    }

    private static func wrong(_ reason: String) -> CommandLineError { CommandLineError(.usageSubject, reason) }
}
