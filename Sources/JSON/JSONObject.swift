/// The members of a JSON object in the order in which they were added (RFC 8259).
///
/// Keys are unique. Look-up is linear: objects here are small, and the parser checks for duplicates by itself.
public struct JSONObject: Hashable, Sendable {
    /// One member: a key with its value.
    public struct Member: Hashable, Sendable {
        /// The key.
        public var key: String
        /// The value.
        public var value: JSONValue

        // memberwise: package
    }

    /// The members, in the order in which they were added.
    public private(set) var members: [Member] = []

    /// An object without members.
    public init() {}

    /// Members whose keys are known to differ.
    package init(unique members: [Member]) {
        self.members = members
    }

    package var keys: [String] { members.map(\.key) }
    package var count: Int { members.count }
    package var isEmpty: Bool { members.isEmpty }

    /// The value of a key. Setting appends a new key and replaces the value of an old one in place; `nil` removes it.
    public subscript(key: String) -> JSONValue? {
        get { members.first { $0.key == key }?.value }
        set {
            let index = members.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// The members of a literal, in their order.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        for (key, value) in members { self[key] = value }
    }
}
