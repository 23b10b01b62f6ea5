import JSON

/// How a record lies on the disk: one line that says what it is, and its contents.
///
///     {"matterctl":1,"length":27,"crc32":"9a0b1c2d"}
///     {"node":1,"name":"kitchen"}
///
/// The number after `matterctl` is the version of the format; it stands first in every version, so that an old program
/// knows a newer record when it sees one. The checksum covers the line up to the length, and the contents.
enum RecordEnvelope {
    /// Why a file is not a record that can be used.
    enum Fault: Error, Equatable, Sendable {
        /// With what is wrong, in words that follow “the file”.
        case damaged(String)
        case newerVersion(Int)
    }

    private static let key = "matterctl"
    private static let longestHeader = 128

    static func encode(_ contents: [UInt8], version: Int) -> [UInt8] {
        let header = header(version, contents[...])
        // One array, so that there is one to wipe.
        var octets: [UInt8] = []
        octets.reserveCapacity(header.count + contents.count)
        octets += header
        octets += contents
        return octets
    }

    /// The contents of a record.
    ///
    /// - Parameter newest: the newest version that the caller understands.
    static func decode(_ octets: [UInt8], newest: Int) throws(Fault) -> [UInt8] {
        try decodeAnyVersion(octets, newest: newest).contents
    }

    /// The contents of a record, and the version of its format.
    static func decodeAnyVersion(
        _ octets: [UInt8], newest: Int = .max
    ) throws(Fault) -> (version: Int, contents: [UInt8]) {
        guard !octets.isEmpty else { throw .damaged("is empty") }
        guard let end = octets.prefix(longestHeader).firstIndex(of: 0x0A),
            let header = (try? JSONValue(parsing: Array(octets[..<end])))?.objectValue,
            header.members.first?.key == key, let version: Int = header[key]?.integer(), (0...Int(Int32.max)) ~= version
        else { throw .damaged("does not begin with the header of a record") }
        // A header of another shape belongs to a newer version, or is damaged.
        guard let length: Int = header["length"]?.integer(), length >= 0, header["crc32"]?.stringValue?.utf8.count == 8,
            header.count == 3
        else { throw version > newest ? .newerVersion(version) : .damaged("has a damaged header") }
        let contents = octets[(end + 1)...]
        guard contents.count >= length else {
            throw .damaged("is truncated: \(contents.count) of \(length) bytes are left")
        }
        guard contents.count == length else { throw .damaged("has \(contents.count - length) bytes too many") }
        guard octets[...end].elementsEqual(Self.header(version, contents)) else {
            throw .damaged("has been altered: its checksum does not fit")
        }
        guard version <= newest else { throw .newerVersion(version) }
        return (version, Array(contents))
    }

    private static func header(_ version: Int, _ contents: ArraySlice<UInt8>) -> [UInt8] {
        var header: JSONObject = [key: .int(Int64(version)), "length": .int(Int64(contents.count))]
        let covered = JSONValue.object(header).utf8().dropLast() + [UInt8(ascii: ",")]
        header["crc32"] = .string(Hex.number(CRC32.checksum(covered, contents), digits: 8))
        return JSONValue.object(header).utf8() + [0x0A]
    }
}
