internal import MatterController

/// Paths of attributes as the interface writes them: `1/6/0`, decimal, with `*` for all.
enum AttributePathText {
    /// The path of a text.
    ///
    /// - Throws: `invalidArguments` if it is none.
    static func path(_ text: String) throws(InterfaceError) -> AttributePath {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let endpoint = number(parts[0], UInt16.self),
            let cluster = number(parts[1], UInt32.self),
            let attribute = number(parts[2], UInt32.self)
        else { throw InterfaceError(.invalidArguments, "'\(text)' is not a path of attributes, such as 1/6/0") }
        return AttributePath(
            endpoint: endpoint.map { EndpointID($0) }, cluster: cluster.map { ClusterID($0) },
            attribute: attribute.map { AttributeID($0) })
    }

    /// The path of a text without `*`.
    ///
    /// - Throws: `invalidArguments` if it is none.
    static func concrete(_ text: String) throws(InterfaceError) -> ConcreteAttributePath {
        guard let path = try path(text).concrete else {
            throw InterfaceError(.invalidArguments, "'\(text)' means several attributes; it must be one")
        }
        return path
    }

    /// The number of a part; within, `nil` for `*`.
    private static func number<Number: FixedWidthInteger>(_ part: Substring, _ type: Number.Type) -> Number?? {
        if part == "*" { return .some(nil) }
        guard part.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = Number(part) else {
            return nil
        }
        return number
    }

    /// The text of a path.
    static func text(_ path: ConcreteAttributePath) -> String {
        var text: [UInt8] = []
        append(path, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The text of a path with wildcards.
    static func text(_ path: AttributePath) -> String {
        func part(_ number: UInt32?) -> String { number.map(String.init) ?? "*" }
        return [path.endpoint.map { UInt32($0.rawValue) }, path.cluster?.rawValue, path.attribute?.rawValue].map(part)
            .joined(separator: "/")
    }

    /// Appends the text of a path, without quotation marks.
    static func append(_ path: ConcreteAttributePath, to text: inout [UInt8]) {
        ValueEncoding.append(UInt64(path.endpoint.rawValue), to: &text)
        text.append(UInt8(ascii: "/"))
        ValueEncoding.append(UInt64(path.cluster.rawValue), to: &text)
        text.append(UInt8(ascii: "/"))
        ValueEncoding.append(UInt64(path.attribute.rawValue), to: &text)
    }
}
