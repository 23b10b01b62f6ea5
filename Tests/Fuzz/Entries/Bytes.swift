import JSON
import MatterBase

extension FuzzEntry {
    /// TLV and JSON.
    static let bytes = [
        FuzzEntry("tlv") {
            Seeds.tlv
        } run: { bytes in
            var reader = TLVReader(bytes)
            var depth = Depth.deep
            do {
                while let token = try reader.next() { precondition(token.offset <= bytes.count) }
                precondition(reader.isAtEnd && reader.depth == 0)
            } catch {
                depth = .refused
            }
            guard let json = try? TLVDocument.json(decoding: bytes) else { return .refused }
            precondition(depth == .deep, "a document that the reader refuses")
            do {
                let again = try TLVDocument.octets(encoding: JSONValue(parsing: json.utf8()))
                let read = try TLVDocument.json(decoding: again)
                // As text: a value that is not a number equals nothing.
                precondition(read.utf8() == json.utf8(), "read otherwise than it was written")
            } catch {
                preconditionFailure("a document that cannot be written again: \(error)")
            }
            return .deep
        },
        FuzzEntry("json") {
            Seeds.json
        } run: { bytes in
            guard let value = try? JSONValue(parsing: bytes) else { return .refused }
            for text in [value.utf8(), value.utf8(.indented)] {
                precondition((try? JSONValue(parsing: text)) == value, "read otherwise than it was written")
            }
            if let octets = try? TLVDocument.octets(encoding: value) {
                precondition((try? TLVDocument.json(decoding: octets)) != nil, "encoded to TLV that is not valid")
            }
            if let plain = try? TLVValue(json: value) { _ = JSONValue(plain) }
            return .deep
        },
    ]
}
