/// The name of a record, folder or lock: a relative path such as `nodes/5.json`.
///
/// Names are made of ASCII letters, digits, `_`, `-`, `.` and `%` only, so that none leads out of the state directory
/// and none is mistaken for a temporary file or a previous copy.
struct RecordName: Hashable, Sendable {
    let components: [String]

    /// The folder that lock files have for themselves.
    static let locks = "locks"
    /// The name of a record's previous copy.
    static let previousSuffix = ".bak"

    private static let longestComponent = 200
    private static let deepest = 8

    /// - Parameter isLock: locks may be named after anything; records must keep out of the folder of the locks.
    init(_ name: String, isLock: Bool = false) throws(StoreError) {
        components = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard components.count <= Self.deepest, components.allSatisfy(Self.isAllowed),
            isLock || components.first != Self.locks
        else {
            throw StoreError(
                .invalidName, "'\(Self.printable(name))' is not a valid record name")
        }
    }

    /// The folders that lead to the record.
    var folder: ArraySlice<String> { components.dropLast() }

    /// The file.
    var file: String { components.last ?? "" }

    /// The file for the lock of this name; no record has a `~` in its name.
    ///
    /// It is put together here, as the library's joining looks for conformances at its first call: 350,000 instructions for
    /// each command.
    var lockFile: String {
        var name = ""
        for component in components { name += name.isEmpty ? component : "~" + component }
        return name + ".lock"
    }

    static func isAllowed(_ component: String) -> Bool {
        !component.isEmpty && component.utf8.count <= longestComponent && !component.hasPrefix(".")
            && !component.hasSuffix(previousSuffix)
            && component.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }
    }

    private static func isPlain(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func printable(_ name: String) -> String {
        String(decoding: name.utf8.prefix(80).map { 0x20...0x7E ~= $0 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// A component for any text; different texts give different components.
    static func escaping(_ text: String) -> String {
        var component = ""
        for octet in text.utf8 {
            if isPlain(octet) {
                component.unicodeScalars.append(Unicode.Scalar(octet))
            } else {
                component += (octet < 16 ? "%0" : "%") + String(octet, radix: 16, uppercase: true)
            }
        }
        guard component.utf8.count > longestComponent else { return component.isEmpty ? "%" : component }
        // Too long for a file name: its beginning, and a hash (FNV-1a) behind a dot, which nothing else here has.
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return String(component.prefix(longestComponent - 20)) + "." + String(hash, radix: 16)
    }

    /// The text that ``escaping(_:)`` made into this component.
    static func unescaping(_ component: String) -> String? {
        var octets: [UInt8] = []
        var rest = component.utf8[...]
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "%") else {
                octets.append(octet)
                continue
            }
            guard let digits = String(rest.prefix(2)), let number = UInt8(digits, radix: 16) else { return nil }
            octets.append(number)
            rest = rest.dropFirst(2)
        }
        guard let text = String(validating: octets, as: UTF8.self), escaping(text) == component else { return nil }
        return text
    }
}
