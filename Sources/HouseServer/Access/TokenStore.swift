public import MatterController

/// The tokens of a fabric's server: a record of their names, rights and hashes.
public struct TokenStore: Sendable {
    /// The name of the record.
    private static let record = "serve-tokens"
    /// As many tokens as a house may have; each is compared at each log-in.
    static let most = 200
    private static let longestName = 64

    private let record: ProgramRecord

    /// The tokens of the fabric that is in use.
    ///
    /// - Throws: if there is no fabric.
    public init(_ context: FabricContext) throws {
        record = try context.programRecord(Self.record)
    }

    /// All tokens, in the order in which they were made.
    ///
    /// - Throws: ``ServerError`` `serve.tokens-invalid`; if the record cannot be read.
    public func tokens() throws -> [AccessToken] { try Self.decode(try record.contents()) }

    /// Makes a token.
    ///
    /// - Parameter now: in seconds since 1970.
    /// - Returns: the token, and its text, which cannot be had again.
    /// - Throws: ``ServerError`` `serve.token-exists`; if the record cannot be read or written.
    public func add(
        _ name: String, roles: Set<Role>, now: Int64
    ) async throws -> (token: AccessToken, text: String) {
        let text = try TokenText.make(SystemRandom())
        let id = Hex.number(try SystemRandom().integer(UInt32.self), digits: 8)
        let token = AccessToken(
            id: id, name: name, roles: roles, created: now, digest: TokenText.digest(Array(text.utf8)))
        try await record.change { contents in
            var tokens = try Self.decode(contents)
            if let other = tokens.first(where: { $0.answers(to: name) || $0.id == id }) {
                throw ServerError(
                    .tokenExists, "there is a token '\(other.name)' already", hint: .step("serve.token-see"))
            }
            guard tokens.count < Self.most else {
                throw ServerError(
                    .tokenExists, "there are \(Self.most) tokens, which is the most", hint: .step("serve.token-see"))
            }
            tokens.append(token)
            return Self.encode(tokens)
        }
        return (token, text)
    }

    /// Takes a token back. A running server closes its connections.
    ///
    /// - Parameter name: its name, or its id.
    /// - Returns: the token that was removed.
    /// - Throws: ``ServerError`` `serve.token-unknown`; if the record cannot be read or written.
    public func remove(_ name: String) async throws -> AccessToken {
        var removed: AccessToken?
        try await record.change { contents in
            var tokens = try Self.decode(contents)
            guard let index = tokens.firstIndex(where: { $0.answers(to: name) }) else {
                throw ServerError(.tokenUnknown, "there is no token '\(name)'", hint: .step("serve.token-see"))
            }
            removed = tokens.remove(at: index)
            return Self.encode(tokens)
        }
        guard let removed else { throw ServerError(.tokenUnknown, "there is no token '\(name)'") }
        return removed
    }

    /// A text that differs after each change of the tokens.
    var stamp: String? { record.stamp }

    /// True if a token may be called so: 1 to 64 characters of one line, and not the id of a token.
    public static func isName(_ name: String) -> Bool {
        (1...longestName).contains(name.count) && !name.unicodeScalars.contains { $0.properties.isNameless }
            && name.first != " " && name.last != " " && !isID(name)
    }

    private static func isID(_ text: String) -> Bool { text.count == 8 && text.allSatisfy(\.isHexDigit) }

    // MARK: The record

    static func encode(_ tokens: [AccessToken]) -> [UInt8] {
        let entries = tokens.map { token -> JSONValue in
            [
                "id": .string(token.id), "name": .string(token.name),
                "roles": .array(Role.allCases.filter(token.roles.contains).map { .string($0.rawValue) }),
                "created": .int(token.created), "sha256": .string(Hex.encode(token.digest)),
            ]
        }
        return JSONValue.object(["tokens": .array(entries)]).utf8()
    }

    static func decode(_ contents: [UInt8]?) throws -> [AccessToken] {
        guard let contents else { return [] }
        guard let record = (try? JSONValue(parsing: contents))?.objectValue,
            case .array(let entries)? = record["tokens"],
            entries.count <= most
        else { throw invalid }
        return try entries.map { entry in
            guard let entry = entry.objectValue, case .string(let id)? = entry["id"],
                case .string(let name)? = entry["name"], case .array(let roles)? = entry["roles"],
                case .int(let created)? = entry["created"], case .string(let digest)? = entry["sha256"],
                let digest = try? Hex.decode(digest), digest.count == 32
            else { throw invalid }
            // A right of a later version is one that this version does not give.
            let known = roles.compactMap { role -> Role? in
                guard case .string(let name) = role else { return nil }
                return Role(rawValue: name)
            }
            return AccessToken(id: id, name: name, roles: Set(known), created: created, digest: digest)
        }
    }

    private static var invalid: ServerError {
        ServerError(.tokensInvalid, "the record of the tokens is not valid", hint: .step("serve.tokens-again"))
    }
}

extension AccessToken {
    fileprivate func answers(to name: String) -> Bool { self.name.lowercased() == name.lowercased() || id == name }
}

extension Unicode.Scalar.Properties {
    /// True of control and format characters, which could make one name look like another.
    fileprivate var isNameless: Bool {
        switch generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
        default: false
        }
    }
}
