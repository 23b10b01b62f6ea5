import MatterController

/// The shares of a fabric on this host: a record of who follows them, which outlives the process.
struct ShareStore: Sendable {
    private static let record = "serve-shares"
    /// As many shares as the record may have.
    private static let most = 256

    private let record: ProgramRecord

    /// - Throws: if there is no fabric.
    init(_ context: FabricContext) throws { record = try context.programRecord(Self.record) }

    /// The entries by the names of their shares.
    ///
    /// - Throws: ``ServerError`` `serve.shares-invalid`; if the record cannot be read.
    func entries() throws -> [String: ShareHolding.Entry] { try Self.decode(try record.contents()) }

    /// Writes an entry down.
    ///
    /// - Throws: as ``entries()``; if the record cannot be written.
    func write(_ entry: ShareHolding.Entry, of share: String) async throws {
        try await record.change { contents in
            var entries = try Self.decode(contents)
            entries[share] = entry
            return Self.encode(entries)
        }
    }

    static func encode(_ entries: [String: ShareHolding.Entry]) -> [UInt8] {
        let items = entries.sorted { $0.key < $1.key }.map { name, entry -> JSONValue in
            var object: JSONObject = [
                "name": .string(name), "state": .string(entry.state.rawValue), "since": .int(entry.since),
            ]
            if let host = entry.host { object["host"] = .uint(host) }
            if entry.isForced { object["forced"] = .bool(true) }
            return .object(object)
        }
        return JSONValue.object(["shares": .array(items)]).utf8()
    }

    static func decode(_ contents: [UInt8]?) throws -> [String: ShareHolding.Entry] {
        guard let contents else { return [:] }
        guard case .array(let items)? = (try? JSONValue(parsing: contents))?.objectValue?["shares"], items.count <= most
        else { throw invalid }
        var entries: [String: ShareHolding.Entry] = [:]
        for item in items {
            guard let item = item.objectValue, case .string(let name)? = item["name"],
                case .string(let word)? = item["state"], let state = ShareHolding.State(rawValue: word),
                let since = item["since"].flatMap({ InterfaceArguments.integer($0, as: Int64.self) })
            else { throw invalid }
            entries[name] = ShareHolding.Entry(
                state: state, host: item["host"].flatMap { InterfaceArguments.integer($0, as: UInt64.self) },
                since: since, isForced: item["forced"] == .bool(true))
        }
        return entries
    }

    private static var invalid: ServerError {
        ServerError(.sharesInvalid, "the record of the shares is not valid", hint: .step("serve.shares-again"))
    }
}
