import JSON

extension Emulator {
    /// The effect of faults on a correct answer.
    func misshaped(_ response: EmulatorResponse, _ faults: [EmulatorFault]) -> EmulatorResponse {
        var response = response
        for fault in faults {
            switch fault.kind {
            case .truncated: response.body = Array(response.body.prefix(response.body.count / 2))
            case .lost: response.isCutOff = true
            case .html: response.body = Array("<html><body>Sign in to the network</body></html>".utf8)
            case .empty: response.body = []
            case .stringCode:
                edit(&response) {
                    $0.replacing("error_code") { code in code.integer(as: Int.self).map { .string("\($0)") } }
                }
            case .noCode: edit(&response) { $0.replacing("error_code") { _ in nil } }
            case .missing:
                edit(&response, fault) { json in fault.value.map { name in json.replacing(name) { _ in nil } } ?? json }
            case .wrongType:
                edit(&response, fault) { json in fault.value.map { name in json.replacing(name) { _ in 7 } } ?? json }
            case .blank:
                edit(&response, fault) { json in fault.value.map { name in json.replacing(name) { _ in "" } } ?? json }
            case .retryAfter: response.headers["Retry-After"] = fault.value
            case .malformedPEM:
                edit(&response, fault) { json in
                    json.replacingStrings { $0.hasPrefix("-----BEGIN") ? String($0.prefix(80)) : $0 }
                }
            case .escapedPEM:
                edit(&response, fault) { json in
                    json.replacingStrings { text in
                        guard text.hasPrefix("-----BEGIN") else { return text }
                        return text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
                    }
                }
            default: break
            }
        }
        return response
    }

    /// - Parameter fault: limits the change to one group, if it is about one.
    private func edit(
        _ response: inout EmulatorResponse, _ fault: EmulatorFault? = nil, _ change: (JSONValue) -> JSONValue
    ) {
        guard let json = try? JSONValue(parsing: response.body) else { return }
        let changed = fault?.group.map { group in json.changing(group: group, change) } ?? change(json)
        response.body = changed.utf8()
    }
}

extension JSONValue {
    /// Changes the members of a name wherever they are; `nil` removes them.
    fileprivate func replacing(_ name: String, _ change: (JSONValue) -> JSONValue?) -> JSONValue {
        switch self {
        case .array(let values): return .array(values.map { $0.replacing(name, change) })
        case .object(let object):
            var changed = JSONObject()
            for member in object.members {
                changed[member.key] =
                    member.key == name ? change(member.value) : member.value.replacing(name, change)
            }
            return .object(changed)
        default: return self
        }
    }

    /// Changes the objects that are about a group.
    fileprivate func changing(group name: String, _ change: (JSONValue) -> JSONValue) -> JSONValue {
        switch self {
        case .array(let values): return .array(values.map { $0.changing(group: name, change) })
        case .object(let object):
            guard object["group_name"]?.stringValue != name else { return change(self) }
            var changed = JSONObject()
            for member in object.members { changed[member.key] = member.value.changing(group: name, change) }
            return .object(changed)
        default: return self
        }
    }

    fileprivate func replacingStrings(_ change: (String) -> String) -> JSONValue {
        switch self {
        case .string(let text): return .string(change(text))
        case .array(let values): return .array(values.map { $0.replacingStrings(change) })
        case .object(let object):
            var changed = JSONObject()
            for member in object.members { changed[member.key] = member.value.replacingStrings(change) }
            return .object(changed)
        default: return self
        }
    }
}
