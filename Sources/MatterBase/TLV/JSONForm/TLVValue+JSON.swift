public import JSON

/// The plain JSON form of Interaction Model data whose schema is not known.
///
/// | TLV | JSON |
/// | --- | --- |
/// | integer | number; a decimal string where its magnitude exceeds 2^53 |
/// | floating point | number; `nan`, `inf`, `-inf` |
/// | bytes | `hex:` and upper-case digits |
/// | structure | object, the tags as keys: `{"0":1,"254":2}` |
/// | list | the same where all tags are there and differ; otherwise an array, tagged members as `{"TAG":value}` |
extension JSONValue {
    /// A TLV value as JSON: byte strings in hexadecimal digits, structures as objects with the tags as keys.
    public init(_ value: TLVValue) {
        self =
            switch value {
            case .int(let number): .id(signed: number)
            case .uint(let number): .id(number)
            case .bool(let flag): .bool(flag)
            // By its own shortest spelling, so that 17.9 stays 17.9.
            case .float(let number):
                .double(number.isFinite ? Double(number.description) ?? Double(number) : Double(number))
            case .double(let number): .double(number)
            case .string(let text): .string(text)
            case .octets(let octets): .string("hex:" + Hex.encode(octets, uppercase: true))
            case .null: .null
            case .structure(let members): .object(JSONObject(tagged: members))
            case .array(let members): .array(members.map { JSONValue($0.value) })
            case .list(let members):
                if Set(members.map(\.tag)).count == members.count, !members.contains(where: { $0.tag == .anonymous }) {
                    .object(JSONObject(tagged: members))
                } else {
                    .array(
                        members.map {
                            $0.tag == .anonymous ? JSONValue($0.value) : .object(JSONObject(tagged: [$0]))
                        })
                }
            }
    }
}

extension JSONObject {
    fileprivate init(tagged members: [TLVElement]) {
        var keys: Set<String> = []
        self.init(
            unique: members.map { Member(key: $0.tag.description, value: JSONValue($0.value)) }
                .filter { keys.insert($0.key).inserted })
    }
}

extension TLVValue {
    /// The value of plain JSON, for writing without a schema.
    ///
    /// Non-negative integers become unsigned, negative ones signed, fractions doubles, `hex:…` strings bytes, objects
    /// structures whose keys are context tags (0–255, written in ascending order). Where that guess is wrong, an
    /// object with the member `type` says exactly what is meant, in the form of ``TLVDocument``:
    /// `{"type":"int16","value":5}`, `{"type":"utf8","value":"hex:00"}`.
    ///
    /// - Throws: ``TLVError`` whose reason begins with the path of the value.
    public init(json: JSONValue) throws(TLVError) {
        try self.init(json: json, path: "$", depth: 0)
    }

    private init(json: JSONValue, path: String, depth: Int) throws(TLVError) {
        guard depth <= TLVLimits.standard.depth else { throw TLVError(.limitExceeded, "\(path): nested too deep") }
        switch json {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .int(let number): self = UInt64(exactly: number).map(TLVValue.uint) ?? .int(number)
        case .uint(let number): self = .uint(number)
        case .double(let number): self = .double(number)
        case .string(let text):
            guard text.hasPrefix("hex:") else {
                self = .string(text)
                return
            }
            do {
                self = .octets(try Hex.decode(text))
            } catch {
                throw TLVError(.invalidHex, "\(path): \(error.reason)")
            }
        case .array(let values):
            var members: [TLVElement] = []
            for (index, value) in values.enumerated() {
                members.append(
                    TLVElement(.anonymous, try .init(json: value, path: "\(path)[\(index)]", depth: depth + 1)))
            }
            self = .array(members)
        case .object(let object) where object["type"] != nil:
            do {
                self = try TLVElement(decoding: TLVDocument.octets(encoding: json)).value
            } catch {
                throw TLVError(error.code, path + error.reason.dropFirst())
            }
        case .object(let object):
            var members: [(tag: UInt8, value: TLVValue)] = []
            for member in object.members {
                guard let tag = UInt8(member.key), String(tag) == member.key else {
                    throw TLVError(.invalidJSON, "\(path): the keys of a structure are field numbers from 0 to 255")
                }
                members.append((tag, try .init(json: member.value, path: "\(path).\(tag)", depth: depth + 1)))
            }
            self = .structure(members.sorted { $0.tag < $1.tag }.map { TLVElement($0.tag, $0.value) })
        }
    }
}
