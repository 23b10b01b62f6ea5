/// The members of a constructed DER value, one after the other, without a tree: a list of revoked certificates may have a
/// hundred thousand.
struct DERSlices {
    struct Element {
        /// The identifier byte: class, form and a tag number below 31.
        let identifier: UInt8
        /// With identifier and length.
        let whole: ArraySlice<UInt8>
        let contents: ArraySlice<UInt8>
    }

    static let integer: UInt8 = 0x02
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30

    /// The identifier byte of a constructed value with a context-specific tag.
    static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }

    private var rest: ArraySlice<UInt8>
    private let name: String

    /// - Parameters:
    ///   - contents: one encoding after the other.
    ///   - name: what it is called in error messages.
    init(_ contents: ArraySlice<UInt8>, _ name: String) {
        rest = contents
        self.name = name
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next member if it has an identifier byte.
    mutating func optional(_ identifiers: UInt8...) throws(CredentialsError) -> Element? {
        guard let first = rest.first, identifiers.contains(first) else { return nil }
        return try any()
    }

    /// The next member, which must have an identifier byte.
    mutating func next(_ identifier: UInt8) throws(CredentialsError) -> Element {
        guard let element = try optional(identifier) else {
            throw CredentialsError(.malformed, "\(name) lacks a member, or has one of another type")
        }
        return element
    }

    func end() throws(CredentialsError) {
        guard isAtEnd else { throw CredentialsError(.malformed, "\(name) has more members than expected") }
    }

    /// The next member, of any type.
    mutating func any() throws(CredentialsError) -> Element {
        let start = rest
        guard let identifier = rest.popFirst(), identifier & 0x1F != 0x1F, let first = rest.popFirst() else {
            throw broken
        }
        var count = Int(first)
        if first >= 0x80 {
            // The shortest form only, and nothing beyond 4 GiB.
            let digits = rest.prefix(Int(first & 0x7F))
            guard (1...4).contains(digits.count), digits.count == Int(first & 0x7F), digits.first != 0 else {
                throw broken
            }
            count = digits.reduce(0) { $0 << 8 | Int($1) }
            guard count >= 0x80 else { throw broken }
            rest = rest.dropFirst(digits.count)
        }
        guard count <= rest.count else { throw broken }
        let contents = rest.prefix(count)
        rest = rest.dropFirst(count)
        return Element(identifier: identifier, whole: start[..<contents.endIndex], contents: contents)
    }

    private var broken: CredentialsError { CredentialsError(.malformed, "\(name) is not a DER encoding") }
}
