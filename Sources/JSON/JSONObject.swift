/// The members of a JSON object in the order in which they were added.
///
/// Keys are unique. Look-up is linear: objects here are small, and the parser checks for duplicates by itself.
package struct JSONObject: Hashable, Sendable {
    package struct Member: Hashable, Sendable {
        package var key: String
        package var value: JSONValue

        // memberwise: package
    }

    package private(set) var members: [Member] = []

    package init() {}

    /// Members whose keys are known to differ.
    package init(unique members: [Member]) {
        self.members = members
    }

    package var keys: [String] { members.map(\.key) }
    package var count: Int { members.count }
    package var isEmpty: Bool { members.isEmpty }

    /// The value of a key. Setting appends a new key and replaces the value of an old one in place; `nil` removes it.
    package subscript(key: String) -> JSONValue? {
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
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        for (key, value) in members { self[key] = value }
    }
}
