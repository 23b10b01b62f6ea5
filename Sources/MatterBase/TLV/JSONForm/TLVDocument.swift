public import JSON

/// The exact JSON form of one TLV encoding: every element with the form of its tag, its type and width, and its
/// value, so that the very same bytes can be made from it again (Matter core specification, appendix A).
///
///     {"tagControl":"anonymous","type":"structure","members":[
///       {"tagControl":"context","type":"uint16","tag":1,"value":500}]}
///
/// `tagControl` is one of `anonymous`, `context`, `common2`, `common4`, `implicit2`, `implicit4`, `full6`, `full8`;
/// `tag` a number, or `{"vendor","profile","number"}` for the full forms. `type` is one of `int8` … `int64`, `uint8` …
/// `uint64`, `true`, `false`, `float32`, `float64`, `utf8-N`, `bytes-N` (N bytes of length), `null`, `structure`,
/// `array`, `list`. Integers beyond 2^53 are decimal strings, bytes are hexadecimal, non-finite numbers are `nan`,
/// `inf` or `-inf` (`nan:` and the bits in hexadecimal for any but the usual NaN).
public enum TLVDocument {
    /// Decodes exactly one element.
    ///
    /// - Throws: ``TLVError`` for everything that ``TLVElement/init(decoding:limits:allowTrailing:)`` refuses.
    public static func json(decoding octets: [UInt8], limits: TLVLimits = .standard) throws(TLVError) -> JSONValue {
        // The strict decoder knows all rules, unique tags among them; after it, the tokens only need noting down.
        _ = try TLVElement(decoding: octets, limits: limits)
        var reader = TLVReader(octets, limits: limits)
        var open: [(head: JSONObject, members: [JSONValue])] = []
        while let token = try reader.next() {
            var finished: JSONObject
            if token.type == .endOfContainer {
                guard let container = open.popLast() else { break }
                finished = container.head
                finished["members"] = .array(container.members)
            } else {
                finished = head(of: token)
                if token.type.isContainer {
                    open.append((finished, []))
                    continue
                }
                finished["value"] = value(of: token.type, bits: token.bits, try reader.value(of: token))
            }
            guard !open.isEmpty else { return .object(finished) }
            open[open.count - 1].members.append(.object(finished))
        }
        throw TLVError(.truncated, "an empty encoding", offset: 0)
    }

    private static func head(of token: TLVReader.Token) -> JSONObject {
        var head: JSONObject = ["tagControl": .string(token.tagControl.name), "type": .string(token.type.name)]
        switch token.tag {
        case .anonymous: break
        case .context(let number): head["tag"] = .uint(UInt64(number))
        case .commonProfile(let number), .implicitProfile(let number): head["tag"] = .uint(UInt64(number))
        case .fullyQualified(let vendor, let profile, let number):
            head["tag"] = [
                "vendor": .uint(UInt64(vendor)), "profile": .uint(UInt64(profile)), "number": .uint(UInt64(number)),
            ]
        }
        return head
    }

    private static func value(of type: TLVElementType, bits: UInt64, _ value: TLVValue) -> JSONValue? {
        switch value {
        case .int(let number): .id(signed: number)
        case .uint(let number): .id(number)
        case .float(let number) where number.isNaN && bits != UInt64(Float.nan.bitPattern):
            .string("nan:" + String(bits, radix: 16))
        case .double(let number) where number.isNaN && bits != Double.nan.bitPattern:
            .string("nan:" + String(bits, radix: 16))
        case .float(let number): .double(Double(number))
        case .double(let number): .double(number)
        case .string(let text): .string(text)
        case .octets(let octets): .string(Hex.encode(octets))
        case .bool, .null, .structure, .array, .list: nil
        }
    }
}

// MARK: - Names

extension TLVTagControl {
    /// The name in the exact JSON form.
    var name: String {
        switch self {
        case .anonymous: "anonymous"
        case .context: "context"
        case .commonProfile2: "common2"
        case .commonProfile4: "common4"
        case .implicitProfile2: "implicit2"
        case .implicitProfile4: "implicit4"
        case .fullyQualified6: "full6"
        case .fullyQualified8: "full8"
        }
    }
}

extension TLVElementType {
    /// The name in the exact JSON form.
    var name: String {
        switch self {
        case .int8, .int16, .int32, .int64: "int\(8 * fieldLength)"
        case .uint8, .uint16, .uint32, .uint64: "uint\(8 * fieldLength)"
        case .boolFalse: "false"
        case .boolTrue: "true"
        case .float32, .float64: "float\(8 * fieldLength)"
        case .utf8Length1, .utf8Length2, .utf8Length4, .utf8Length8: "utf8-\(fieldLength)"
        case .octetsLength1, .octetsLength2, .octetsLength4, .octetsLength8: "bytes-\(fieldLength)"
        case .null: "null"
        case .structure: "structure"
        case .array: "array"
        case .list: "list"
        case .endOfContainer: "end"
        }
    }
}
