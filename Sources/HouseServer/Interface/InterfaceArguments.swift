import MatterController

/// The arguments of a request: null is absent, and what is not known is ignored.
struct InterfaceArguments: Sendable {
    private let object: JSONObject
    /// The one who asks; `nil` where that does not matter.
    let visitor: Visitor?
    /// The work that is left until the answer is on its way.
    let afterwards: Afterwards

    init(_ object: JSONObject, of visitor: Visitor? = nil, _ afterwards: Afterwards = Afterwards()) {
        (self.object, self.visitor, self.afterwards) = (object, visitor, afterwards)
    }

    subscript(key: String) -> JSONValue? {
        guard let value = object[key] else { return nil }
        if case .null = value { return nil }
        return value
    }

    func has(_ key: String) -> Bool { object[key] != nil }

    private func wrong(_ key: String, _ kind: String) -> InterfaceError {
        InterfaceError(.invalidArguments, self[key] == nil ? "the argument \(key) is missing" : "\(key) is not \(kind)")
    }

    /// A whole number; `1.0` counts as one.
    static func integer<Number: FixedWidthInteger>(_ value: JSONValue, as _: Number.Type = Number.self) -> Number? {
        switch value {
        case .int(let number): Number(exactly: number)
        case .uint(let number): Number(exactly: number)
        case .double(let number): Number(exactly: number)
        default: nil
        }
    }

    func integer<Number: FixedWidthInteger>(_ key: String, as type: Number.Type = Number.self) throws(InterfaceError)
        -> Number
    {
        guard let value = self[key], let number = Self.integer(value, as: type) else {
            throw wrong(key, "a whole number that fits")
        }
        return number
    }

    func optionalInteger<Number: FixedWidthInteger>(_ key: String, as type: Number.Type = Number.self)
        throws(InterfaceError) -> Number?
    {
        self[key] == nil ? nil : try integer(key, as: type)
    }

    func text(_ key: String) throws(InterfaceError) -> String {
        guard case .string(let text)? = self[key] else { throw wrong(key, "a text") }
        return text
    }

    func optionalText(_ key: String) throws(InterfaceError) -> String? { self[key] == nil ? nil : try text(key) }

    func flag(_ key: String, or usual: Bool) throws(InterfaceError) -> Bool {
        guard let value = self[key] else { return usual }
        guard case .bool(let flag) = value else { throw wrong(key, "true or false") }
        return flag
    }

    func list(_ key: String) throws(InterfaceError) -> [JSONValue] {
        guard case .array(let items)? = self[key] else { throw wrong(key, "a list") }
        return items
    }

    /// Members by name; none if it is absent.
    func object(_ key: String) throws(InterfaceError) -> JSONObject {
        guard let value = self[key] else { return JSONObject() }
        guard case .object(let object) = value else { throw wrong(key, "an object") }
        return object
    }

    func node() throws(InterfaceError) -> NodeID { NodeID(try integer("node_id", as: UInt64.self)) }

    func endpoint(_ key: String = "endpoint_id") throws(InterfaceError) -> EndpointID {
        EndpointID(try integer(key, as: UInt16.self))
    }
}

/// A request of a client.
struct InterfaceRequest: Sendable {
    /// As the client sent it.
    var id: String
    var command: String
    var arguments: JSONObject

    /// - Returns: `nil` for what is no request.
    init?(_ value: JSONValue) {
        guard case .object(let object) = value, case .string(let command)? = object["command"] else { return nil }
        if case .string(let id)? = object["message_id"] { self.id = id } else { id = "" }
        self.command = command
        if case .object(let arguments)? = object["args"] {
            self.arguments = arguments
        } else {
            arguments = JSONObject()
        }
    }
}
