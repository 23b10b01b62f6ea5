import MatterBase

/// Everything the model says about one cluster (Matter core specification, chapter 7).
public struct ClusterDefinition: Sendable, Equatable {
    /// Where a definition comes from.
    public enum Origin: Sendable, Hashable {
        /// A cluster of the specification.
        case standard
        /// A cluster of the reference implementation's own tests.
        case test
        /// A cluster of a maker.
        case vendor
    }

    /// The number on the wire; vendors have their prefix in the upper half.
    public var id: ClusterID
    /// `OnOff`.
    public var name: String
    /// As printed: `On/Off`.
    public var label: String
    /// Other names that lead to it.
    public var aliases: [String]
    /// The newest revision in the model.
    public var revision: UInt16?
    /// Where the definition comes from.
    public var origin: Origin
    /// The id of the vendor who defined it; `nil` for the standard.
    public var vendor: UInt16?
    /// True if the specification has not settled it yet.
    package var isProvisional: Bool
    /// True if new devices leave it out.
    package var isDeprecated: Bool
    /// True if it is for the reference implementation's own use.
    package var isInternal: Bool
    /// Remarks of the definition's author.
    public var notes: [String]
    /// The features that its FeatureMap can name.
    public var features: [FeatureDefinition]
    /// The cluster's own attributes; see ``globalAttributes`` for those that every cluster has.
    public var attributes: [AttributeDefinition]
    /// AttributeList, FeatureMap and so on; FeatureMap names the features of this cluster.
    /// The commands that a client may invoke.
    public var commands: [CommandDefinition]
    /// The responses of a server; their ids are a number space of their own.
    package var responses: [CommandDefinition]
    /// The events of the cluster.
    public var events: [EventDefinition]
    /// The cluster's own enumerations.
    public var enums: [EnumDefinition]
    /// The cluster's own bitmaps.
    public var bitmaps: [BitmapDefinition]
    /// The cluster's own structures.
    package var structs: [StructDefinition]

    /// AttributeList, FeatureMap and so on; FeatureMap names the features of this cluster.
    public var globalAttributes: [AttributeDefinition] {
        GlobalDefinitions.shared.attributes.map { $0.naming(features: features) }
    }

    /// The attribute with an id, global ones included.
    public func attribute(_ id: AttributeID) -> AttributeDefinition? {
        attributes.first { $0.id == id }
            ?? GlobalDefinitions.shared.attributes.first { $0.id == id }?.naming(features: features)
    }

    /// The request command with an id.
    public func command(_ id: CommandID) -> CommandDefinition? {
        commands.first { $0.id == id }
    }

    /// The response command with an id.
    public func response(_ id: CommandID) -> CommandDefinition? {
        responses.first { $0.id == id }
    }

    /// The response to a request command; `nil` if the answer is a plain status.
    public func response(to command: CommandDefinition) -> CommandDefinition? {
        command.response.flatMap { name in responses.first { $0.name == name } }
    }

    /// The event with an id.
    public func event(_ id: EventID) -> EventDefinition? {
        events.first { $0.id == id }
    }

    /// The attribute with a name or alias, global ones included; case, blanks, hyphens and underscores do not matter.
    ///
    /// - Throws: ``DataModelError`` `unknownAttribute` with the nearest spellings.
    public func attribute(named name: String) throws(DataModelError) -> AttributeDefinition {
        let all = attributes + globalAttributes
        if let found = all.named(name, \.name, \.aliases) { return found }
        throw unknown(.unknownAttribute, "attribute", name, all.map(\.name) + all.flatMap(\.aliases))
    }

    /// The request command with a name or alias.
    ///
    /// - Throws: ``DataModelError`` `unknownCommand` with the nearest spellings.
    public func command(named name: String) throws(DataModelError) -> CommandDefinition {
        if let found = commands.named(name, \.name, \.aliases) { return found }
        throw unknown(.unknownCommand, "command", name, commands.map(\.name) + commands.flatMap(\.aliases))
    }

    /// The event with a name.
    ///
    /// - Throws: ``DataModelError`` `unknownEvent` with the nearest spellings.
    public func event(named name: String) throws(DataModelError) -> EventDefinition {
        let key = NameKey(name)
        if let found = events.first(where: { key.matches($0.name) }) { return found }
        throw unknown(.unknownEvent, "event", name, events.map(\.name))
    }

    private func unknown(
        _ code: DataModelError.Code, _ kind: String, _ name: String, _ known: [String]
    ) -> DataModelError {
        // A name of another kind is no typing error.
        let other = self.kind(of: NameKey(name))
        return DataModelError(
            code, "\(self.name) has no \(kind) \(quoted(name))\(other.map { ", but \($0) of that name" } ?? "")",
            place: name,
            suggestions: other == nil ? Suggestions.nearest(to: name, among: known).map(NameStyle.kebab) : [],
            advice: .step("clusters.one", NameStyle.kebab(self.name)))
    }

    /// The element with a name; `nil` without one.
    private func kind(of key: NameKey) -> String? {
        func isAmong(_ names: [String], _ aliases: [[String]] = []) -> Bool {
            names.contains(where: key.matches) || aliases.joined().contains(where: key.matches)
        }
        let all = attributes + globalAttributes
        if isAmong(all.map(\.name), all.map(\.aliases)) { return "an attribute" }
        if isAmong(commands.map(\.name), commands.map(\.aliases)) { return "a command" }
        return isAmong(events.map(\.name)) ? "an event" : nil
    }
}

extension Sequence {
    /// The element whose name or, failing that, one of whose aliases is meant by a text.
    func named(
        _ text: String, _ name: (Element) -> String, _ aliases: (Element) -> [String]
    ) -> Element? {
        let key = NameKey(text)
        return first { key.matches(name($0)) } ?? first { aliases($0).contains(where: key.matches) }
    }
}
