public import JSON

extension TLVDocument {
    /// Makes the bytes that an exact JSON form describes.
    ///
    /// For documents written by hand, `tagControl` may be left out (it follows from `tag`), and the types `int`,
    /// `uint`, `utf8`, `bytes` (the smallest width that holds the value) and `bool` with a `value` are understood.
    ///
    /// - Throws: ``TLVError`` whose reason begins with the path of the element, such as `$.members[2]`.
    public static func octets(encoding json: JSONValue, limits: TLVLimits = .standard) throws(TLVError) -> [UInt8] {
        var encoder = TLVDocumentEncoder(limits: limits)
        try encoder.element(json, "$", depth: 0)
        do {
            _ = try TLVElement(decoding: encoder.octets, limits: limits)
        } catch {
            // Tag rules are checked by the decoder; its offset leads back to the element.
            let path = encoder.starts.last { $0.offset <= error.offset ?? 0 }?.path ?? "$"
            throw TLVError(error.code, "\(path): \(error.reason)")
        }
        return encoder.octets
    }
}

private struct TLVDocumentEncoder {
    let limits: TLVLimits
    var octets: [UInt8] = []
    /// Where each element begins.
    var starts: [(offset: Int, path: String)] = []

    init(limits: TLVLimits) {
        self.limits = limits
    }

    mutating func element(_ json: JSONValue, _ path: String, depth: Int) throws(TLVError) {
        guard depth <= limits.depth, starts.count < limits.elements else {
            throw TLVError(.limitExceeded, "\(path): nested too deep, or too many elements")
        }
        starts.append((octets.count, path))
        guard let object = json.objectValue else { throw fault(path, "an element is an object") }
        for key in object.keys where !["tagControl", "tag", "type", "value", "members"].contains(key) {
            throw fault(path, "unknown member; expected tagControl, tag, type, value or members")
        }
        guard let typeName = object["type"]?.stringValue else { throw fault(path, "an element needs a type") }
        let (control, tag) = try tag(object, path)
        let (type, contents) = try contents(typeName, object["value"], path)
        octets.append(control.rawValue | type.rawValue)
        octets += tag
        octets += contents
        guard type.isContainer else {
            guard object["members"] == nil else { throw fault(path, "\(typeName) has no members") }
            return
        }
        guard let members = object["members"]?.arrayValue else {
            throw fault(path, "\(typeName) needs members, an array")
        }
        for (index, member) in members.enumerated() {
            try element(member, "\(path).members[\(index)]", depth: depth + 1)
        }
        octets.append(TLVElementType.endOfContainer.rawValue)
    }

    private func fault(_ path: String, _ reason: String) -> TLVError {
        TLVError(.invalidJSON, "\(path): \(reason)")
    }

    private func integer<T: FixedWidthInteger>(_ json: JSONValue?, _ path: String, as type: T.Type) throws(TLVError)
        -> T
    {
        guard let number = json?.id(as: type) else {
            throw fault(path, "\(T.isSigned ? "an integer" : "an unsigned integer") of \(T.bitWidth) bits is needed")
        }
        return number
    }

    private func littleEndian(_ number: some FixedWidthInteger, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

// MARK: - Tags

extension TLVDocumentEncoder {
    private func tag(_ object: JSONObject, _ path: String) throws(TLVError) -> (TLVTagControl, [UInt8]) {
        let json = object["tag"]
        let control = try control(object["tagControl"], tag: json, path)
        let place = path + ".tag"
        switch control {
        case .anonymous:
            guard json == nil else { throw fault(place, "an anonymous element has no tag") }
            return (control, [])
        case .context:
            return (control, [try integer(json, place, as: UInt8.self)])
        case .commonProfile2, .implicitProfile2:
            return (control, littleEndian(try integer(json, place, as: UInt16.self), 2))
        case .commonProfile4, .implicitProfile4:
            return (control, littleEndian(try integer(json, place, as: UInt32.self), 4))
        case .fullyQualified6, .fullyQualified8:
            let vendor = try integer(json?["vendor"], place + ".vendor", as: UInt16.self)
            let profile = try integer(json?["profile"], place + ".profile", as: UInt16.self)
            let number: [UInt8] =
                control == .fullyQualified6
                ? littleEndian(try integer(json?["number"], place + ".number", as: UInt16.self), 2)
                : littleEndian(try integer(json?["number"], place + ".number", as: UInt32.self), 4)
            return (control, littleEndian(vendor, 2) + littleEndian(profile, 2) + number)
        }
    }

    private func control(_ json: JSONValue?, tag: JSONValue?, _ path: String) throws(TLVError) -> TLVTagControl {
        if let json {
            guard let control = TLVTagControl.allCases.first(where: { $0.name == json.stringValue }) else {
                let names = TLVTagControl.allCases.map(\.name).joined(separator: ", ")
                throw fault(path + ".tagControl", "one of \(names) is needed")
            }
            return control
        }
        guard let tag else { return .anonymous }
        guard tag.objectValue != nil else { return .context }
        return tag["number"]?.id(as: UInt16.self) == nil ? .fullyQualified8 : .fullyQualified6
    }
}

// MARK: - Values

extension TLVDocumentEncoder {
    /// The element type, and the bytes of its length or value field with the contents of a string.
    private func contents(
        _ name: String, _ json: JSONValue?, _ path: String
    ) throws(TLVError) -> (TLVElementType, [UInt8]) {
        let place = path + ".value"
        switch name {
        case "int": return smallest(try integer(json, place, as: Int64.self))
        case "uint": return smallest(try integer(json, place, as: UInt64.self))
        case "bool":
            guard let flag = json?.boolValue else { throw fault(place, "true or false is needed") }
            return (flag ? .boolTrue : .boolFalse, [])
        case "utf8": return try string(json, narrowest: .utf8Length1, place)
        case "bytes": return try string(json, narrowest: .octetsLength1, place)
        default: break
        }
        guard name != "end", let type = TLVElementType.allCases.first(where: { $0.name == name }) else {
            throw fault(path + ".type", "no TLV type has this name")
        }
        switch type {
        case .int8: return (type, littleEndian(try integer(json, place, as: Int8.self), 1))
        case .int16: return (type, littleEndian(try integer(json, place, as: Int16.self), 2))
        case .int32: return (type, littleEndian(try integer(json, place, as: Int32.self), 4))
        case .int64: return (type, littleEndian(try integer(json, place, as: Int64.self), 8))
        case .uint8: return (type, littleEndian(try integer(json, place, as: UInt8.self), 1))
        case .uint16: return (type, littleEndian(try integer(json, place, as: UInt16.self), 2))
        case .uint32: return (type, littleEndian(try integer(json, place, as: UInt32.self), 4))
        case .uint64: return (type, littleEndian(try integer(json, place, as: UInt64.self), 8))
        case .float32, .float64: return (type, littleEndian(try bits(json, type, place), type.fieldLength))
        case .utf8Length1, .utf8Length2, .utf8Length4, .utf8Length8,
            .octetsLength1, .octetsLength2, .octetsLength4, .octetsLength8:
            return (type, try string(json, type, place))
        case .boolFalse, .boolTrue, .null, .structure, .array, .list, .endOfContainer:
            guard json == nil else { throw fault(place, "\(name) has no value") }
            return (type, [])
        }
    }

    private func smallest(_ number: Int64) -> (TLVElementType, [UInt8]) {
        if Int8(exactly: number) != nil { return (.int8, littleEndian(number, 1)) }
        if Int16(exactly: number) != nil { return (.int16, littleEndian(number, 2)) }
        if Int32(exactly: number) != nil { return (.int32, littleEndian(number, 4)) }
        return (.int64, littleEndian(number, 8))
    }

    private func smallest(_ number: UInt64) -> (TLVElementType, [UInt8]) {
        if number <= UInt8.max { return (.uint8, littleEndian(number, 1)) }
        if number <= UInt16.max { return (.uint16, littleEndian(number, 2)) }
        if number <= UInt32.max { return (.uint32, littleEndian(number, 4)) }
        return (.uint64, littleEndian(number, 8))
    }

    private func bits(_ json: JSONValue?, _ type: TLVElementType, _ place: String) throws(TLVError) -> UInt64 {
        if let text = json?.stringValue, text.hasPrefix("nan:") {
            guard let bits = UInt64(text.dropFirst(4), radix: 16), bits >> (8 * type.fieldLength) == 0,
                type == .float32
                    ? Float(bitPattern: UInt32(truncatingIfNeeded: bits)).isNaN : Double(bitPattern: bits).isNaN
            else { throw fault(place, "the bits of a NaN are needed after nan:") }
            return bits
        }
        guard let number = json?.doubleValue else { throw fault(place, "a number is needed") }
        guard type == .float32 else { return number.isNaN ? Double.nan.bitPattern : number.bitPattern }
        let narrow = number.isNaN ? Float.nan : Float(number)
        guard narrow.isInfinite == number.isInfinite else { throw fault(place, "this number does not fit 32 bits") }
        return UInt64(narrow.bitPattern)
    }

    private func string(
        _ json: JSONValue?, narrowest: TLVElementType, _ place: String
    ) throws(TLVError) -> (TLVElementType, [UInt8]) {
        let count = try stringContents(json, narrowest, place).count
        let step: UInt8 = count <= UInt8.max ? 0 : count <= UInt16.max ? 1 : 2
        let type = TLVElementType(rawValue: narrowest.rawValue + step) ?? narrowest
        return (type, try string(json, type, place))
    }

    private func string(_ json: JSONValue?, _ type: TLVElementType, _ place: String) throws(TLVError) -> [UInt8] {
        let contents = try stringContents(json, type, place)
        let width = type.fieldLength
        guard width == 8 || UInt64(contents.count) >> (8 * width) == 0 else {
            throw fault(place, "too long for a length field of \(width) bytes")
        }
        return littleEndian(contents.count, width) + contents
    }

    private func stringContents(_ json: JSONValue?, _ type: TLVElementType, _ place: String) throws(TLVError) -> [UInt8]
    {
        guard let text = json?.stringValue else { throw fault(place, "a string is needed") }
        guard type.rawValue >= TLVElementType.octetsLength1.rawValue else { return Array(text.utf8) }
        do {
            return try Hex.decode(text)
        } catch {
            throw TLVError(.invalidHex, "\(place): \(error.reason)")
        }
    }
}
