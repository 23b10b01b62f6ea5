public import JSON

extension ClusterDefinition {
    /// The definition in the schema of data-model.json: what `clusters NAME --json` prints, and what
    /// ``VendorDefinitions`` reads again. Absent flags are false, absent privileges the default ones.
    public var json: JSONValue {
        var object: JSONObject = ["id": .id(id), "name": .string(name), "label": .string(label)]
        object["aliases"] = strings(aliases)
        object["revision"] = revision.map { .uint(UInt64($0)) }
        object["origin"] = origin == .standard ? nil : .string(origin == .test ? "test" : "vendor")
        object["vendor"] = vendor.map { .uint(UInt64($0)) }
        object.set("provisional", isProvisional)
        object.set("deprecated", isDeprecated)
        object.set("internal", isInternal)
        object["notes"] = strings(notes)
        object["features"] = .array(features.map(\.json))
        object["attributes"] = .array(attributes.map(\.json))
        object["commands"] = .array((commands + responses).map(\.json))
        object["events"] = .array(events.map(\.json))
        object["enums"] = types(enums.map { ($0.name, $0.json) })
        object["bitmaps"] = types(bitmaps.map { ($0.name, $0.json) })
        object["structs"] = types(structs.map { ($0.name, $0.json) })
        return .object(object)
    }
}

private func strings(_ texts: [String]) -> JSONValue? {
    texts.isEmpty ? nil : .array(texts.map(JSONValue.string))
}

private func types(_ types: [(name: String, json: JSONValue)]) -> JSONValue? {
    guard !types.isEmpty else { return nil }
    var object = JSONObject()
    for type in types { object[type.name] = type.json }
    return .object(object)
}

extension JSONObject {
    fileprivate mutating func set(_ key: String, _ flag: Bool) {
        if flag { self[key] = true }
    }

    fileprivate mutating func set(_ key: String, _ privilege: AccessPrivilege, default usual: AccessPrivilege) {
        if privilege != usual { self[key] = .string(privilege.rawValue) }
    }

    fileprivate mutating func set(_ type: DataType) {
        self["type"] = .string(type.name)
        set("list", type.isList)
        set("nullable", type.isNullable)
        self["unit"] = type.unit.map { .string($0.text) }
        self["min"] = type.limits.minimum.map(JSONValue.int)
        self["max"] = type.limits.maximum.map(JSONValue.int)
        self["minLength"] = type.limits.minimumLength.map { .int(Int64($0)) }
        self["maxLength"] = type.limits.maximumLength.map { .int(Int64($0)) }
        self["minItems"] = type.limits.minimumItems.map { .int(Int64($0)) }
        self["maxItems"] = type.limits.maximumItems.map { .int(Int64($0)) }
    }

    fileprivate mutating func set(_ revisions: (since: UInt16?, until: UInt16?)) {
        self["sinceRevision"] = revisions.since.map { .uint(UInt64($0)) }
        self["untilRevision"] = revisions.until.map { .uint(UInt64($0)) }
    }
}

extension DefaultValue {
    fileprivate var json: JSONValue {
        switch self {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .int(let number): .int(number)
        case .double(let number): .double(number)
        case .string(let text): .string(text)
        }
    }
}

extension FeatureDefinition {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["bit": .int(Int64(bit))]
        object["code"] = code.map(JSONValue.string)
        object["name"] = .string(name)
        object.set("disallowed", isDisallowed)
        object.set("provisional", isProvisional)
        object.set("deprecated", isDeprecated)
        return .object(object)
    }
}

extension AttributeDefinition {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["id": .id(id), "name": .string(name)]
        object["aliases"] = strings(aliases)
        object.set(type)
        object["default"] = defaultValue?.json
        object.set("optional", isOptional)
        object.set("writable", isWritable)
        object.set("unreadable", !isReadable)
        object.set("read", readPrivilege, default: .view)
        object.set("write", writePrivilege, default: .operate)
        object.set("fabricScoped", isFabricScoped)
        object.set("fabricSensitive", isFabricSensitive)
        object.set("secret", isSecret)
        object.set("mustTimedWrite", mustTimedWrite)
        object.set("mustAtomicWrite", mustAtomicWrite)
        object.set("changesOmitted", changesOmitted)
        object.set("provisional", isProvisional)
        object.set("deprecated", isDeprecated)
        object.set((sinceRevision, untilRevision))
        object["notes"] = strings(notes)
        return .object(object)
    }
}

extension CommandDefinition {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["id": .id(id), "name": .string(name)]
        object["aliases"] = strings(aliases)
        object["direction"] = .string(isResponse ? "response" : "request")
        object["response"] = response.map(JSONValue.string)
        object.set("optional", isOptional)
        object.set("timed", isTimed)
        object.set("invoke", invokePrivilege, default: .operate)
        object.set("fabricScoped", isFabricScoped)
        object.set("largeMessage", isLargeMessage)
        object.set("bareFieldsOnWire", bareFieldsOnWire)
        object.set("provisional", isProvisional)
        object.set("deprecated", isDeprecated)
        object.set((sinceRevision, untilRevision))
        object["notes"] = strings(notes)
        object["fields"] = .array(fields.map(\.json))
        return .object(object)
    }
}

extension EventDefinition {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["id": .id(id), "name": .string(name), "priority": .string("\(priority)")]
        object.set("read", readPrivilege, default: .view)
        object.set("fabricSensitive", isFabricSensitive)
        object.set("optional", isOptional)
        object.set("provisional", isProvisional)
        object["fields"] = .array(fields.map(\.json))
        return .object(object)
    }
}

extension FieldDefinition {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["id": .uint(UInt64(id)), "name": .string(name)]
        object.set(type)
        object["default"] = defaultValue?.json
        object.set("optional", isOptional)
        object.set("fabricSensitive", isFabricSensitive)
        object.set("secret", isSecret)
        object.set("provisional", isProvisional)
        return .object(object)
    }
}

extension EnumDefinition {
    fileprivate var json: JSONValue {
        named("enum\(bits)", "values", values.map { ($0.number, $0.name, $0.label) }, isProvisional)
    }
}

extension BitmapDefinition {
    fileprivate var json: JSONValue {
        named("bitmap\(bits)", "masks", fields.map { ($0.mask, $0.name, $0.label) }, isProvisional)
    }
}

private func named(
    _ type: String, _ key: String, _ values: [(number: UInt64, name: String, label: String?)], _ isProvisional: Bool
) -> JSONValue {
    var names = JSONObject()
    var labels = JSONObject()
    for value in values {
        names[String(value.number)] = .string(value.name)
        if let label = value.label { labels[String(value.number)] = .string(label) }
    }
    var object: JSONObject = ["type": .string(type), key: .object(names)]
    if !labels.isEmpty { object["labels"] = .object(labels) }
    object.set("provisional", isProvisional)
    return .object(object)
}

extension StructDefinition {
    fileprivate var json: JSONValue {
        var object = JSONObject()
        object.set("fabricScoped", isFabricScoped)
        object.set("provisional", isProvisional)
        object["fields"] = .array(fields.map(\.json))
        return .object(object)
    }
}
