public import ArgumentParser
import MatterController

/// An attribute and its new value, as they are typed.
public struct AttributeSetting {
    /// The path of the attribute.
    public let path: ElementPath
    let target: ConcreteAttributePath
    let definition: AttributeDefinition?
    let word: String
    /// The value.
    public var parsed: ParsedValue

    /// The paths with their values: `PATH VALUE` or `PATH=VALUE`, several in turn. No path has a `=`.
    public static func pairs(_ words: [String]) throws(ValidationError) -> [(path: String, value: String)] {
        var pairs: [(path: String, value: String)] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if let sign = word.firstIndex(of: "=") {
                pairs.append((String(word[..<sign]), String(word[word.index(after: sign)...])))
            } else if let value = rest.popFirst() {
                pairs.append((word, value))
            } else {
                throw ValidationError("missing expected argument: the value for \(word)")
            }
        }
        return pairs
    }

    /// The setting that a path and a value mean.
    public init(_ word: (path: String, value: String), with parser: ValueParser) throws {
        let catalogue = parser.catalogue
        let path = try ElementPath(word.path, .attribute) { () throws(DataModelError) in catalogue }
        guard let endpoint = path.endpoint, let cluster = path.cluster,
            let attribute = path.element.map({ AttributeID($0) })
        else {
            throw CommandLineError(.usageWildcard, "a write needs one attribute, without wildcards")
        }
        self.path = path
        self.word = word.value
        target = ConcreteAttributePath(endpoint: endpoint, cluster: cluster, attribute: attribute)
        definition = catalogue.attribute(cluster: cluster, attribute)
        var parser = parser
        parser.cluster = catalogue.clusterName(cluster).map(NameStyle.kebab)
        parsed = try Self.parse(word.value, as: definition, at: word.path, parser)
    }

    private static func parse(
        _ value: String, as definition: AttributeDefinition?, at path: String, _ parser: ValueParser
    ) throws -> ParsedValue {
        func file() throws -> [UInt8] { try InputFile.contents(String(value.dropFirst())) }
        let place = definition.map { NameStyle.kebab($0.name) } ?? path
        guard let type = definition?.type else {
            let word = value.hasPrefix("@") ? String(decoding: try file(), as: UTF8.self) : value
            return ParsedValue(value: try parser.value(untyped: word, at: place))
        }
        if value.hasPrefix("@") { return try parser.value(file: try file(), as: type, at: place) }
        return try parser.value(word: value, as: type, at: place)
    }
}
