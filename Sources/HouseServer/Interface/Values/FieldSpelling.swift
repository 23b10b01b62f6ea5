internal import MatterController

/// The names of the official controller's Python, which Home Assistant's interface uses for fields of commands and events.
///
/// They follow from the names of the model. `chip.clusters` 2025.7.0, which python-matter-server stands on, has no exception;
/// it is compared in full by a test.
enum FieldSpelling {
    /// The key of the field that names a fabric, in structures whose definitions leave it out.
    static let fabricIndex: (tag: UInt8, key: String) = (254, "fabricIndex")

    /// Lower camel case that keeps acronyms: `nodeID`, `PAKEPasscodeVerifier`; a name that is one acronym is small: `ssid`.
    static func key(_ name: String) -> String {
        let octets = Array(name.utf8)
        func isUpper(_ index: Int) -> Bool {
            octets.indices.contains(index) && UInt8(ascii: "A")...UInt8(ascii: "Z") ~= octets[index]
        }
        guard isUpper(0) else { return name }
        if !octets.contains(where: { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }) { return name.lowercased() }
        if isUpper(1) { return name }
        return String(decoding: [octets[0] | 0x20] + octets.dropFirst(), as: UTF8.self)
    }

    /// The field that a client means by a key: a name in any case, or a decimal tag.
    static func definition(_ key: String, among fields: [FieldDefinition]) -> FieldDefinition? {
        if let found = fields.first(where: { isSame($0.name, key) }) { return found }
        guard let tag = tag(key) else { return nil }
        return fields.first { $0.id == tag }
    }

    /// The tag that a key spells in decimal digits.
    static func tag(_ key: String) -> UInt8? {
        key.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? UInt8(key) : nil
    }

    /// True if two names differ at most in the case of letters.
    static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { small($0) == small($1) }
    }

    private static func small(_ octet: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= octet ? octet | 0x20 : octet
    }
}
