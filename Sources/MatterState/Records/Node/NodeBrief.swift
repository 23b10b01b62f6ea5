/// The facts that completion needs about a node: its names and what it can do.
public struct NodeBrief: Equatable, Sendable {
    /// The id of the node on its fabric.
    public let nodeID: NodeID
    /// The name; `nil` if it has none.
    public let name: String?
    /// The room; `nil` if none is known.
    public let room: String?
    /// Its endpoints, as they were read last.
    public let endpoints: [NodeRecord.Endpoint]

    init(_ node: NodeRecord) {
        nodeID = node.nodeID
        name = node.name
        room = node.room
        endpoints = node.endpoints
    }
}

extension NodeStore {
    /// The facts that completion needs of all nodes, by id. Records that are damaged are left out where that shows; their checksums are
    /// not looked at, because a shell that waits has no time for it.
    public func briefs() -> [NodeBrief] {
        var briefs: [NodeBrief] = []
        try? state.contents(in: folder) { file, octets, count in
            let brief =
                NodeBrief(scanning: octets, count)
                ?? (try? RecordEnvelope.decode(Array(octets.prefix(count)), newest: 1)).flatMap { contents in
                    (try? NodeRecord(decoding: contents, file)).map { NodeBrief($0) }
                }
            if let brief { briefs.append(brief) }
        }
        return briefs
    }
}

extension NodeBrief {
    /// From the text of a record; `nil` for one that has more than plain values, which has to be decoded.
    ///
    /// - Parameter count: how many of the bytes are the record; all, if `nil`.
    init?(scanning octets: [UInt8], _ count: Int? = nil) {
        let count = count ?? octets.count
        guard let end = octets.prefix(count).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        var scanner = RecordScanner(octets, end + 1..<count)
        var (id, name, room): (UInt64?, String?, String?)
        var endpoints: [NodeRecord.Endpoint] = []
        let isWhole = scanner.object { key, scanner in
            switch key {
            case "nodeId": id = scanner.number()
            case "name": name = scanner.string()
            case "room": room = scanner.string()
            case "endpoints":
                return scanner.list { scanner in
                    guard let endpoint = NodeRecord.Endpoint(&scanner) else { return false }
                    endpoints.append(endpoint)
                    return true
                }
            default: return scanner.skip()
            }
            return true
        }
        guard isWhole, let id else { return nil }
        self.nodeID = NodeID(id)
        self.name = name
        self.room = room
        self.endpoints = endpoints
    }
}

extension NodeRecord.Endpoint {
    fileprivate init?(_ scanner: inout RecordScanner) {
        var number: UInt64?
        var (types, clusters): ([UInt32], [UInt32]) = ([], [])
        func numbers(_ scanner: inout RecordScanner, _ found: inout [UInt32]) -> Bool {
            scanner.list { scanner in
                guard let number = scanner.number().flatMap({ UInt32(exactly: $0) }) else { return false }
                found.append(number)
                return true
            }
        }
        let isWhole = scanner.object { key, scanner in
            switch key {
            case "endpoint": number = scanner.number()
            case "deviceTypes": return numbers(&scanner, &types)
            case "serverClusters": return numbers(&scanner, &clusters)
            case "acceptedCommands": return scanner.skip()
            default: return false
            }
            return true
        }
        guard isWhole, let number = number.flatMap({ UInt16(exactly: $0) }) else { return nil }
        self.init(number: number, deviceTypes: types, serverClusters: clusters)
    }
}

/// Goes once over JSON that this program has written, without making values of what is not needed. It knows neither blanks nor
/// escapes: where there are any, the caller decodes the whole.
private struct RecordScanner {
    private let octets: [UInt8]
    private var place: Int
    private let end: Int

    /// - Parameter range: within the bytes.
    init(_ octets: [UInt8], _ range: Range<Int>) {
        self.octets = octets
        (place, end) = (range.lowerBound, range.upperBound)
    }

    private var next: UInt8? { place < end ? octets[place] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    /// The octets of a string; `nil` if it has an escape, or there is none.
    private mutating func text() -> ArraySlice<UInt8>? {
        guard take("\"") else { return nil }
        let start = place
        while let octet = next, octet != UInt8(ascii: "\""), octet != UInt8(ascii: "\\") { place += 1 }
        guard next == UInt8(ascii: "\"") else { return nil }
        place += 1
        return octets[start..<place - 1]
    }

    mutating func string() -> String? { text().flatMap { String(validating: $0, as: UTF8.self) } }

    mutating func number() -> UInt64? {
        let start = place
        var value: UInt64 = 0
        while let octet = next, 0x30...0x39 ~= octet, place - start < 20 {
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeToo) = product.addingReportingOverflow(UInt64(octet - 0x30))
            guard !isTooLarge, !isTooLargeToo else { return nil }
            value = sum
            place += 1
        }
        return place > start ? value : nil
    }

    /// - Parameter member: takes the value of a key; `false` ends all.
    mutating func object(_ member: (StaticKey, inout RecordScanner) -> Bool) -> Bool {
        guard take("{") else { return false }
        if take("}") { return true }
        repeat {
            guard let key = text(), take(":"), member(StaticKey(key), &self) else { return false }
        } while take(",")
        return take("}")
    }

    mutating func list(_ item: (inout RecordScanner) -> Bool) -> Bool {
        guard take("[") else { return false }
        if take("]") { return true }
        repeat { guard item(&self) else { return false } } while take(",")
        return take("]")
    }

    /// Leaves out a value, however deep it is.
    mutating func skip() -> Bool {
        var depth = 0
        repeat {
            switch next {
            case UInt8(ascii: "\""): guard text() != nil else { return false }
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                place += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                place += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { return false }
                place += 1
            case .some:
                while let octet = next, !",:]}[{\"".utf8.contains(octet) { place += 1 }
            case nil: return false
            }
        } while depth > 0
        return depth == 0
    }
}

/// A key that is compared with the names of members without being made a string.
private struct StaticKey {
    private let octets: ArraySlice<UInt8>

    init(_ octets: ArraySlice<UInt8>) { self.octets = octets }

    static func ~= (name: StaticString, key: StaticKey) -> Bool {
        // Most keys differ in their length.
        name.utf8CodeUnitCount == key.octets.count && name.withUTF8Buffer { key.octets.elementsEqual($0) }
    }
}
