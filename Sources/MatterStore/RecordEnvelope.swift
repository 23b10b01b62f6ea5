/// How a record lies on the disk: one line that says what it is, and its contents.
///
///     {"matterctl":1,"length":27,"crc32":"9a0b1c2d"}
///     {"node":1,"name":"kitchen"}
///
/// The number after `matterctl` is the version of the format; it stands first in every version, so that an old program
/// knows a newer record when it sees one. The checksum covers the line up to the length, and the contents.
package enum RecordEnvelope {
    /// Why a file is not a record that can be used.
    package enum Fault: Error, Equatable, Sendable {
        /// With what is wrong, in words that follow “the file”.
        case damaged(String)
        case newerVersion(Int)
    }

    private static let opening = Array(#"{"matterctl":"#.utf8)
    private static let longestHeader = 128

    package static func encode(_ contents: [UInt8], version: Int) -> [UInt8] {
        let covered = Array("\(String(decoding: opening, as: UTF8.self))\(version),\"length\":\(contents.count),".utf8)
        let end = Array("\"crc32\":\"\(hexDigits(CRC32.checksum(covered, contents[...])))\"}\n".utf8)
        // One array, so that there is one to wipe.
        var octets: [UInt8] = []
        octets.reserveCapacity(covered.count + end.count + contents.count)
        octets += covered
        octets += end
        octets += contents
        return octets
    }

    /// The contents of a record.
    ///
    /// - Parameter newest: the newest version that the caller understands.
    package static func decode(_ octets: [UInt8], newest: Int) throws(Fault) -> [UInt8] {
        guard !octets.isEmpty else { throw .damaged("is empty") }
        guard let end = octets.prefix(longestHeader).firstIndex(of: 0x0A) else {
            throw .damaged("does not begin with the header of a record")
        }
        var header = Scanner(octets[..<end])
        guard header.skip(opening), let version = header.number(maximum: Int(Int32.max)), header.skip(",") else {
            throw .damaged("does not begin with the header of a record")
        }
        guard header.skip("\"length\":"), let length = header.number(maximum: Int.max / 16), header.skip(",") else {
            throw otherHeader(version, newest: newest)
        }
        let covered = octets[..<header.position]
        guard header.skip("\"crc32\":\""), let checksum = header.take(8), header.skip("\"}"), header.isAtEnd else {
            throw otherHeader(version, newest: newest)
        }
        let contents = octets[(end + 1)...]
        guard contents.count >= length else {
            throw .damaged("is truncated: \(contents.count) of \(length) bytes are left")
        }
        guard contents.count == length else { throw .damaged("has \(contents.count - length) bytes too many") }
        guard hexDigits(CRC32.checksum(covered, contents)).utf8.elementsEqual(checksum) else {
            throw .damaged("has been altered: its checksum does not fit")
        }
        guard version <= newest else { throw .newerVersion(version) }
        return Array(contents)
    }

    /// A header of another shape belongs to a newer version, or is damaged.
    private static func otherHeader(_ version: Int, newest: Int) -> Fault {
        version > newest ? .newerVersion(version) : .damaged("has a damaged header")
    }

    private static func hexDigits(_ number: UInt32) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

/// Takes fixed texts and numbers from the front of some bytes.
struct Scanner {
    private let octets: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ octets: ArraySlice<UInt8>) {
        self.octets = octets
        position = octets.startIndex
    }

    var isAtEnd: Bool { position == octets.endIndex }

    mutating func skip(_ text: String) -> Bool {
        skip(Array(text.utf8))
    }

    mutating func skip(_ text: [UInt8]) -> Bool {
        guard octets[position...].starts(with: text) else { return false }
        position += text.count
        return true
    }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard octets.endIndex - position >= count else { return nil }
        defer { position += count }
        return octets[position..<(position + count)]
    }

    /// A decimal number without leading zeros.
    mutating func number(maximum: Int) -> Int? {
        let digits = octets[position...].prefix { 0x30...0x39 ~= $0 }
        guard let first = digits.first, first != 0x30 || digits.count == 1, digits.count <= 18 else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard number <= maximum else { return nil }
        position = digits.endIndex
        return number
    }
}
