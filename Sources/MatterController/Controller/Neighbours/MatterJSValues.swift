import FoundationEssentials
import MatterBase

/// A value as matter.js keeps it: JSON, in which what JSON lacks is a string that holds JSON itself.
struct MatterJSValue {
    let json: JSONValue

    init(_ json: JSONValue) { self.json = json }

    init?(parsing contents: [UInt8]) {
        guard let json = try? JSONValue(parsing: contents) else { return nil }
        self.json = json
    }

    /// The kind and the text of a value that is a string with JSON in it.
    private var special: (kind: String, value: JSONValue)? {
        guard let text = json.stringValue, text.hasPrefix("{\"__object__\""), let inner = try? JSONValue(parsing: text),
            let kind = inner["__object__"]?.stringValue, let value = inner["__value__"]
        else { return nil }
        return (kind, value)
    }

    var octets: [UInt8]? {
        guard let special, special.kind == "Uint8Array", let text = special.value.stringValue else { return nil }
        return try? Hex.decode(text)
    }

    /// A number of any kind: small ones are JSON, large ones and the ids of old versions are not.
    var number: UInt64? {
        if let special { return special.value.integer() ?? special.value.stringValue.flatMap { UInt64($0) } }
        return json.integer()
    }

    var text: String? { special == nil ? json.stringValue : nil }

    subscript(key: String) -> MatterJSValue? { json[key].map(MatterJSValue.init) }

    var items: [MatterJSValue]? { json.arrayValue?.map(MatterJSValue.init) }

    /// The value with numbers and texts as JSON has them, as far as records use them.
    var plain: JSONValue {
        switch json {
        case .array(let values): return .array(values.map { MatterJSValue($0).plain })
        case .object(let object):
            return .object(object.members.reduce(into: JSONObject()) { $0[$1.key] = MatterJSValue($1.value).plain })
        default: return special == nil ? json : number.map { .uint($0) } ?? .null
        }
    }
}

/// The contents of one folder of matter.js: values by context and key. All of its drivers have this model.
struct MatterJSValues {
    private(set) var contexts: [String: [String: MatterJSValue]] = [:]
    private(set) var faults: [String] = []
    /// Whether something was there that a driver of matter.js had written.
    private(set) var isStore = false

    private static let reserved: Set<String> = ["driver.json", "matter.lock", "matter.pid"]

    /// - Throws: ``NeighbourError`` if a library is missing that this kind of store needs.
    init(_ folder: StoreFolder) throws(NeighbourError) {
        let names = folder.names()
        if names.contains("wal") || names.contains(where: { $0.hasPrefix("snapshot.json") }) {
            isStore = true
            try readLog(folder)
        } else if let database = names.first(where: { Self.isDatabase(folder.path(of: $0)) }) {
            isStore = true
            try readDatabase(folder, database)
        } else {
            readFiles(folder, names)
        }
    }

    subscript(context: String) -> [String: MatterJSValue] { contexts[context] ?? [:] }

    private mutating func set(_ context: String, _ key: String, _ value: MatterJSValue) {
        contexts[context, default: [:]][key] = value
    }

    // MARK: One file for each value

    private mutating func readFiles(_ folder: StoreFolder, _ names: [String]) {
        for name in names where !Self.reserved.contains(name) && !name.hasSuffix(".tmp") {
            guard let plain = Self.decoded(name), let dot = plain.lastIndex(of: "."),
                StoreFolder.status(of: folder.path(of: name))?.isFile == true
            else { continue }
            let context = String(plain[..<dot])
            guard Self.isMeant(context) else { continue }
            guard let contents = folder.contents(name), let value = MatterJSValue(parsing: contents) else {
                faults.append("\(name) is damaged")
                continue
            }
            isStore = true
            set(context, String(plain[plain.index(after: dot)...]), value)
        }
    }

    /// A name without percent-encoding (RFC 3986, section 2.1); `nil` if it is not text.
    private static func decoded(_ name: String) -> String? {
        var octets: [UInt8] = []
        var rest = name.utf8[...]
        while let octet = rest.popFirst() {
            if octet == UInt8(ascii: "%"), rest.count >= 2,
                let coded = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                octets.append(coded)
                rest = rest.dropFirst(2)
            } else {
                octets.append(octet)
            }
        }
        return String(validating: octets, as: UTF8.self)
    }

    /// Whether values of a context are read: others may be anything.
    private static func isMeant(_ context: String) -> Bool {
        ["fabrics", "certificates", "credentials", "nodes", "values", "root"].contains {
            context == $0 || context.hasPrefix($0 + ".")
        } || context.hasPrefix("node-")
    }

    // MARK: A log of changes

    private mutating func readLog(_ folder: StoreFolder) throws(NeighbourError) {
        var done: (segment: UInt64, offset: UInt64)?
        for name in ["snapshot.json", "snapshot.json.gz"] {
            guard let contents = try Self.unpacked(folder.path(of: name)) else { continue }
            guard let json = try? JSONValue(parsing: contents), let data = json["data"]?.objectValue else {
                faults.append("\(name) is damaged")
                continue
            }
            for context in data.members {
                for value in context.value.objectValue?.members ?? [] {
                    set(context.key, value.key, MatterJSValue(value.value))
                }
            }
            if let id = json["commitId"], let segment = id["segment"]?.integer(as: UInt64.self),
                let offset = id["offset"]?.integer(as: UInt64.self)
            {
                done = (segment, offset)
            }
            break
        }
        let log = StoreFolder(path: folder.path(of: "wal"))
        let segments = log.names().compactMap { name -> (number: UInt64, name: String)? in
            let base = name.split(separator: ".").first.map(String.init) ?? ""
            guard name.hasSuffix(".jsonl") || name.hasSuffix(".jsonl.gz"), let number = UInt64(base, radix: 16) else {
                return nil
            }
            return (number, name)
        }.sorted { $0.number < $1.number }
        for segment in segments {
            if let done, segment.number < done.segment { continue }
            guard let contents = try Self.unpacked(log.path(of: segment.name)) else {
                faults.append("wal/\(segment.name) cannot be read")
                continue
            }
            let lines = contents.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for (number, line) in lines.enumerated() where !line.isEmpty {
                if let done, segment.number == done.segment, UInt64(number) <= done.offset { continue }
                guard let commit = try? JSONValue(parsing: Array(line)) else {
                    // A last line without an end was being written.
                    if number != lines.count - 1 || segment.name != segments.last?.name {
                        faults.append("wal/\(segment.name): line \(number + 1) is damaged")
                    }
                    continue
                }
                for change in commit["ops"]?.arrayValue ?? commit.arrayValue ?? [] { apply(change) }
            }
        }
    }

    private mutating func apply(_ change: JSONValue) {
        guard let context = change["key"]?.stringValue else { return }
        switch change["op"]?.stringValue {
        case "upd":
            for value in change["values"]?.objectValue?.members ?? [] {
                set(context, value.key, MatterJSValue(value.value))
            }
        case "del":
            if let keys = change["values"]?.arrayValue {
                for key in keys { contexts[context]?[key.stringValue ?? ""] = nil }
            } else if context.isEmpty {
                contexts = [:]
            } else {
                contexts = contexts.filter { $0.key != context && !$0.key.hasPrefix(context + ".") }
            }
        default: break
        }
    }

    private static func unpacked(_ path: String) throws(NeighbourError) -> [UInt8]? {
        guard StoreFolder.status(of: path)?.isFile == true else { return nil }
        return path.hasSuffix(".gz")
            ? try GzipFile.contents(path, largest: StoreFolder.largest) : StoreFolder.contents(at: path)
    }

    // MARK: A database

    private static func isDatabase(_ path: String) -> Bool {
        guard path.hasSuffix(".db") || path.hasSuffix(".sqlite"), let contents = StoreFolder.contents(at: path) else {
            return false
        }
        return contents.starts(with: Array("SQLite format 3\0".utf8))
    }

    private mutating func readDatabase(_ folder: StoreFolder, _ name: String) throws(NeighbourError) {
        let rows: [[SQLiteFile.Value]]
        do {
            rows = try SQLiteFile.rows(
                of: folder, name, "SELECT context, key, value_json FROM kvstore WHERE value_json IS NOT NULL")
        } catch let error {
            guard error.code != .libraryMissing else { throw error }
            faults.append("\(name) is damaged: \(error.reason)")
            return
        }
        for row in rows {
            guard case .text(let context) = row[0], case .text(let key) = row[1], case .text(let value) = row[2],
                Self.isMeant(context)
            else { continue }
            guard let value = MatterJSValue(parsing: Array(value.utf8)) else {
                faults.append("\(name): the value '\(key)' of '\(context)' is damaged")
                continue
            }
            set(context, key, value)
        }
    }
}
