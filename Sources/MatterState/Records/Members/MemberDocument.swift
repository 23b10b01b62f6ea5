import MatterCrypto
import MatterModel

/// The documents that travel between an administrator and the holder of the authority's key: JSON with a format and a version.
enum MemberDocument {
    /// More than the answer of a large house, and little enough to parse without thought.
    static let largest = 16 << 20

    /// The members of a document of this format, in a version that is understood.
    ///
    /// - Throws: ``MemberError`` `newerVersion`, or with `code`.
    static func fields(
        _ octets: [UInt8], format: String, version newest: Int, _ code: MemberError.Code
    ) throws(MemberError) -> RecordFields {
        guard octets.count <= largest else { throw MemberError(code, "the file is too large for a \(format)") }
        do {
            let fields = try RecordFields(octets, "the file")
            guard try fields.string("format") == format else {
                throw MemberError(code, "the file is JSON, but not a \(format)")
            }
            let version: Int = try fields.integer("version")
            guard version <= newest else {
                throw MemberError(
                    .newerVersion, "the file was made by a newer version of this program (format \(version))")
            }
            return fields
        } catch let error as MemberError {
            throw error
        } catch {
            throw MemberError(code, "the file is not a \(format): \(error)")
        }
    }

    /// Whether bytes are a document of a format, whatever else is wrong with them.
    static func isDocument(_ octets: [UInt8], format: String) -> Bool {
        guard octets.count <= largest, let json = try? JSONValue(parsing: octets) else { return false }
        return json["format"]?.stringValue == format
    }

    /// The time as documents have it.
    static func text(_ time: Int64) -> String {
        PointInTime.text(UInt64(clamping: time) * 1000, as: .posixMilliseconds) ?? ""
    }

    static func time(_ fields: RecordFields, _ key: String) throws(RecordError) -> Int64 {
        guard let time = PointInTime.parse(try fields.string(key), as: .posixMilliseconds) else {
            throw fields.wrong(key, "a time")
        }
        return Int64(clamping: time / 1000)
    }
}
