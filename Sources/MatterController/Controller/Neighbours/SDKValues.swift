import FoundationEssentials
import MatterBase

/// The key-value store of the official SDK, in the forms of chip-tool and of the Python controller.
struct SDKValues {
    /// The identity protection key that both programs hand out, unless they are told another one.
    static let usualEpochKey = Array("temporary ipk 01".utf8)

    private(set) var values: [String: [UInt8]] = [:]
    private(set) var faults: [String] = []

    /// The keys whose values mean something here.
    private static let meant = ["f/", "g/", "Example", "LocalNodeId", "CommissionerCATs"]

    /// Reads an ini file: lines `key=value`, the value in base64, special characters of the key as `\xNN`.
    init(ini contents: [UInt8], file: String) {
        for line in String(decoding: contents, as: UTF8.self).split(whereSeparator: \.isNewline) {
            guard let equals = line.firstIndex(of: "="), !line.hasPrefix(";"), !line.hasPrefix("[") else { continue }
            let key = Self.unescaped(line[..<equals].trimming())
            guard Self.meant.contains(where: key.hasPrefix) else { continue }
            take(key, line[line.index(after: equals)...].trimming(), file)
        }
    }

    /// Reads the member `sdk-config` of a `chip.json`.
    init(object: JSONObject, file: String) {
        for member in object.members {
            guard Self.meant.contains(where: member.key.hasPrefix) else { continue }
            take(member.key, member.value.stringValue ?? "?", file)
        }
    }

    private mutating func take(_ key: String, _ text: String, _ file: String) {
        guard let data = Data(base64Encoded: text) else {
            faults.append("\(file): the value of '\(key)' is not base64")
            return
        }
        values[key] = Array(data)
    }

    private static func unescaped(_ text: String) -> String {
        var octets: [UInt8] = []
        let source = Array(text.utf8)
        var place = 0
        while place < source.count {
            if source[place...].starts(with: [0x5C, 0x78]), place + 4 <= source.count,
                let octet = UInt8(String(decoding: source[place + 2..<place + 4], as: UTF8.self), radix: 16)
            {
                octets.append(octet)
                place += 4
            } else {
                octets.append(source[place])
                place += 1
            }
        }
        return String(decoding: octets, as: UTF8.self)
    }

    subscript(key: String) -> [UInt8]? { values[key].flatMap { $0.isEmpty ? nil : $0 } }

    /// The members of a structure of the SDK's own.
    func fields(_ key: String) -> TLVFields? { self[key].flatMap { try? TLVFields(decoding: $0, key) } }

    /// The numbers of the fabrics: `f/NUMBER/…`.
    var fabricIndices: [UInt8] {
        Set(
            values.keys.compactMap { key -> UInt8? in
                let parts = key.split(separator: "/")
                guard parts.count == 3, parts[0] == "f", parts[2] == "r" || parts[2] == "n" else { return nil }
                return UInt8(parts[1], radix: 16)
            }
        ).sorted()
    }

    /// The nodes that a session was resumed with.
    func nodeIDs(of fabric: UInt8) -> [UInt64] {
        let folder = "f/\(String(fabric, radix: 16))/s/"
        var ids = Set(
            values.keys.filter { $0.hasPrefix(folder) }.compactMap { UInt64($0.dropFirst(folder.count), radix: 16) })
        if let list = self["g/sri"], let sessions = try? TLVElement(decoding: list).value.items {
            for session in sessions {
                // A structure of the SDK's own: the fabric's number and the node's id.
                guard let session = try? TLVFields(session, "g/sri"), session[1]?.integer(as: UInt8.self) == fabric,
                    let id = session[2]?.integer(as: UInt64.self)
                else { continue }
                ids.insert(id)
            }
        }
        return ids.sorted()
    }

    /// The certificate authority whose entries have a number behind their names.
    func authority(_ suffix: String) -> SDKAuthority? {
        let authority = SDKAuthority(
            rootKey: self["ExampleOpCredsCAKey" + suffix], root: self["ExampleCARootCert" + suffix],
            intermediateKey: self["ExampleOpCredsICAKey" + suffix],
            intermediate: self["ExampleCAIntermediateCert" + suffix])
        return authority.rootKey == nil && authority.intermediateKey == nil ? nil : authority
    }

    /// The words behind `ExampleOpCredsCAKey` in the names of entries.
    var authoritySuffixes: [String] {
        let name = "ExampleOpCredsCAKey"
        return values.keys.filter { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }.sorted()
    }
}

/// The certificate authority of the SDK's example controllers.
struct SDKAuthority {
    var rootKey: [UInt8]?
    var root: [UInt8]?
    var intermediateKey: [UInt8]?
    var intermediate: [UInt8]?

    /// The keys that mean something beside an intermediate certificate, or without one.
    func keys(_ intermediate: [UInt8]?) -> [[UInt8]] {
        [rootKey, intermediate == nil ? nil : intermediateKey].compactMap { $0 }
    }
}

extension Substring {
    fileprivate func trimming() -> String {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
