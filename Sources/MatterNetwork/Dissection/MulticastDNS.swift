package import MatterModel

/// Says in words what a message of multicast DNS holds (RFC 1035, RFC 6762), however broken it is.
package enum MulticastDNS {
    /// The port of multicast DNS.
    package static let port: UInt16 = 5353
    private static let mostRecords = 512
    private static let mostLabels = 128
    private static let longestName = 255

    /// - Returns: a title, what the message says, and what is wrong with it.
    package static func dissect(_ message: [UInt8]) -> (title: String, items: [MessageItem], fault: String?) {
        var cursor = OctetCursor(message)
        guard cursor.skip(2), let flags: UInt16 = cursor.integer(isBigEndian: true),
            let questions: UInt16 = cursor.integer(isBigEndian: true),
            let answers: UInt16 = cursor.integer(isBigEndian: true),
            let authorities: UInt16 = cursor.integer(isBigEndian: true),
            let additional: UInt16 = cursor.integer(isBigEndian: true)
        else { return ("DNS", [], "a DNS message of \(message.count) bytes") }
        let title = flags & 0x8000 == 0 ? "DNS query" : "DNS response"
        var items: [MessageItem] = []
        for _ in 0..<questions {
            guard items.count < mostRecords else { return (title, items, "more than \(mostRecords) records") }
            guard let name = name(&cursor, message), let type: UInt16 = cursor.integer(isBigEndian: true),
                let kind: UInt16 = cursor.integer(isBigEndian: true)
            else { return (title, items, "a question is cut off, or its name runs in circles") }
            items.append(
                MessageItem("question", path: name, ["type": .string(Self.title(type))] + unicast(kind)))
        }
        for (kind, count) in [("answer", answers), ("authority", authorities), ("additional", additional)] {
            for _ in 0..<count {
                guard items.count < mostRecords else { return (title, items, "more than \(mostRecords) records") }
                guard let item = record(kind, &cursor, message) else {
                    return (title, items, "a record is cut off, or its name runs in circles")
                }
                items.append(item)
            }
        }
        return (title, items, cursor.remaining == 0 ? nil : "\(cursor.remaining) bytes after the last record")
    }

    private static func unicast(_ kind: UInt16) -> JSONObject { kind & 0x8000 == 0 ? [:] : ["unicast": .bool(true)] }

    private static func record(_ kind: String, _ cursor: inout OctetCursor, _ message: [UInt8]) -> MessageItem? {
        guard let name = name(&cursor, message), let type: UInt16 = cursor.integer(isBigEndian: true), cursor.skip(2),
            let lifetime: UInt32 = cursor.integer(isBigEndian: true),
            let length: UInt16 = cursor.integer(isBigEndian: true), cursor.remaining >= Int(length)
        else { return nil }
        var data = OctetCursor(message, from: cursor.position, to: cursor.position + Int(length))
        cursor.skip(Int(length))
        var facts: JSONObject = ["type": .string(title(type))]
        if type != 41 { facts["ttlSeconds"] = .uint(UInt64(lifetime)) }
        for member in content(type, &data, message).members { facts[member.key] = member.value }
        return MessageItem(kind, path: name.isEmpty ? "." : name, facts)
    }

    private static func content(_ type: UInt16, _ data: inout OctetCursor, _ message: [UInt8]) -> JSONObject {
        let size = data.remaining
        switch type {
        case 1, 28:
            guard let octets = data.octets(type == 1 ? 4 : 16), let address = PeerAddress(octets: octets, port: 0)
            else {
                return ["broken": .uint(UInt64(size))]
            }
            return ["address": .string(address.host)]
        case 12, 5, 2: return name(&data, message).map { ["target": .string($0)] } ?? ["broken": .uint(UInt64(size))]
        case 33:
            guard data.skip(4), let port: UInt16 = data.integer(isBigEndian: true), let host = name(&data, message)
            else {
                return ["broken": .uint(UInt64(size))]
            }
            return ["host": .string(host), "port": .uint(UInt64(port))]
        case 16: return texts(&data)
        default: return ["bytes": .uint(UInt64(size))]
        }
    }

    /// The pairs of a TXT record; values that are no text in hexadecimal digits.
    private static func texts(_ data: inout OctetCursor) -> JSONObject {
        var pairs = JSONObject()
        while let length = data.octet(), pairs.members.count < 64 {
            guard let octets = data.octets(Int(length)) else {
                pairs["broken"] = .bool(true)
                return pairs
            }
            guard !octets.isEmpty else { continue }
            let key = String(decoding: octets.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            let value = Array(octets.drop { $0 != UInt8(ascii: "=") }.dropFirst())
            let isText = value.allSatisfy { (0x20...0x7E).contains($0) }
            pairs[key] = .string(isText ? String(decoding: value, as: UTF8.self) : "hex:" + Hex.encode(value))
        }
        return pairs
    }

    /// A name with its labels, which may stand earlier in the message. Pointers only lead back, so that it ends.
    private static func name(_ cursor: inout OctetCursor, _ message: [UInt8]) -> String? {
        var labels: [String] = []
        var total = 0
        var place = cursor
        var jumped = false
        var earliest = cursor.position
        while let length = place.octet() {
            switch length >> 6 {
            case 0:
                guard length > 0 else {
                    if !jumped { cursor = place }
                    return labels.joined(separator: ".")
                }
                guard let octets = place.octets(Int(length)), labels.count < mostLabels else { return nil }
                total += octets.count + 1
                guard total <= longestName else { return nil }
                labels.append(String(decoding: octets, as: UTF8.self))
            case 3:
                guard let low = place.octet() else { return nil }
                let target = Int(length & 0x3F) << 8 | Int(low)
                guard target < earliest else { return nil }
                if !jumped { cursor = place }
                jumped = true
                earliest = target
                place = OctetCursor(message, from: target)
            default: return nil
            }
        }
        return nil
    }

    private static func title(_ type: UInt16) -> String {
        switch type {
        case 1: "A"
        case 2: "NS"
        case 5: "CNAME"
        case 12: "PTR"
        case 16: "TXT"
        case 28: "AAAA"
        case 33: "SRV"
        case 41: "OPT"
        case 47: "NSEC"
        case 255: "ANY"
        default: "TYPE\(type)"
        }
    }
}

private func + (one: JSONObject, other: JSONObject) -> JSONObject {
    var sum = one
    for member in other.members { sum[member.key] = member.value }
    return sum
}
