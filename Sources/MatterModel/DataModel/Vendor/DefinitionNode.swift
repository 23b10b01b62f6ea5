import JSON

/// A value in a file of definitions that knows where it stands, so that every complaint names the place.
struct DefinitionNode {
    let json: JSONValue
    /// `clusters[0].attributes[2].type`
    let path: String
    let source: String

    func fault(_ reason: String, suggestions: [String] = []) -> DataModelError {
        DataModelError(
            .badDefinitions, "\(source): \(path.isEmpty ? "" : "\(path): ")\(reason)", place: path,
            suggestions: suggestions)
    }

    private func child(_ json: JSONValue, _ suffix: String) -> DefinitionNode {
        DefinitionNode(
            json: json, path: path.isEmpty && suffix.hasPrefix(".") ? String(suffix.dropFirst()) : path + suffix,
            source: source)
    }

    // MARK: Objects

    func object(knowing keys: Set<String>) throws(DataModelError) -> DefinitionNode {
        guard let object = json.objectValue else { throw fault("an object is needed here") }
        for key in object.keys where !keys.contains(key) {
            throw child(.null, ".\(TerminalText.escaped(String(key.prefix(60))))").fault(
                "this key is unknown", suggestions: Suggestions.nearest(to: key, among: keys.sorted()))
        }
        return self
    }

    subscript(key: String) -> DefinitionNode? {
        json[key].map { child($0, ".\(key)") }
    }

    func required(_ key: String) throws(DataModelError) -> DefinitionNode {
        guard let node = self[key] else { throw fault("the key '\(key)' is missing") }
        return node
    }

    /// The members of an object with names of the file's own choice.
    func members() throws(DataModelError) -> [(key: String, node: DefinitionNode)] {
        guard let object = json.objectValue else { throw fault("an object is needed here") }
        return object.members.map { ($0.key, child($0.value, ".\(TerminalText.escaped(String($0.key.prefix(60))))")) }
    }

    func items(_ key: String) throws(DataModelError) -> [DefinitionNode] {
        guard let node = self[key] else { return [] }
        guard let items = node.json.arrayValue else { throw node.fault("an array is needed here") }
        return items.enumerated().map { node.child($0.element, "[\($0.offset)]") }
    }

    // MARK: Scalars

    func text() throws(DataModelError) -> String {
        guard let text = json.stringValue else { throw fault("a string is needed here") }
        return text
    }

    func text(_ key: String) throws(DataModelError) -> String? {
        guard let node = self[key] else { return nil }
        return try node.text()
    }

    func flag(_ key: String) throws(DataModelError) -> Bool {
        guard let node = self[key] else { return false }
        guard let flag = node.json.boolValue else { throw node.fault("true or false is needed here") }
        return flag
    }

    /// An integer, or a string with its hexadecimal digits (`"0x131BFC00"`).
    func number<T: FixedWidthInteger>(_ type: T.Type = T.self) throws(DataModelError) -> T {
        if let number: T = json.integer() { return number }
        if let text = json.stringValue, text.hasPrefix("0x"),
            let number = NumberText.unsigned(text).flatMap({ T(exactly: $0) })
        {
            return number
        }
        throw fault("a whole number from \(T.min) to \(T.max) is needed here")
    }

    func number<T: FixedWidthInteger>(_ key: String, _ type: T.Type = T.self) throws(DataModelError) -> T? {
        guard let node = self[key] else { return nil }
        return try node.number()
    }

    func strings(_ key: String) throws(DataModelError) -> [String] {
        var strings: [String] = []
        for item in try items(key) { strings.append(try item.text()) }
        return strings
    }

    func ids<ID: DataModelID<UInt32>>(_ key: String) throws(DataModelError) -> [ID] {
        var numbers: [ID] = []
        for item in try items(key) { numbers.append(ID(try item.number())) }
        return numbers
    }

    /// One of some words.
    func word<T>(_ key: String, _ words: [String: T]) throws(DataModelError) -> T? {
        guard let node = self[key] else { return nil }
        let text = try node.text()
        guard let value = words[text] else {
            throw node.fault(
                "\(quoted(text)) is none of \(words.keys.sorted().joined(separator: ", "))",
                suggestions: Suggestions.nearest(to: text, among: words.keys.sorted()))
        }
        return value
    }

    /// A name that can be typed on the command line.
    ///
    /// - Parameter mayBeNumber: whether it may begin with a digit, as values of enums do.
    func name(mayBeNumber: Bool = false) throws(DataModelError) -> String {
        let text = try text()
        guard (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/*?:=,|\"\\".utf8.contains($0) }),
            mayBeNumber || !(0x30...0x39 ~= (text.utf8.first ?? 0)), text.utf8.first != UInt8(ascii: "-"),
            !NameKey(text).octets.isEmpty
        else {
            throw fault(
                "\(quoted(text)) cannot be a name: 1 to 64 printable characters without blanks and / * ? : = , |"
                    + (mayBeNumber ? "" : ", not beginning with a digit"))
        }
        return text
    }

    func name(_ key: String, mayBeNumber: Bool = false) throws(DataModelError) -> String {
        try required(key).name(mayBeNumber: mayBeNumber)
    }
}

/// Finds ids and names that are used twice.
struct UniquenessCheck<ID: Hashable> {
    private var ids: Set<ID> = []
    private var names: Set<NameKey> = []

    mutating func add(id: ID, _ name: String, aliases: [String] = [], at node: DefinitionNode) throws(DataModelError) {
        guard ids.insert(id).inserted else { throw node.fault("the id \(id) is used twice") }
        for name in [name] + aliases {
            guard names.insert(NameKey(name)).inserted else {
                throw node.fault("the name \(quoted(name)) is used twice")
            }
        }
    }
}
