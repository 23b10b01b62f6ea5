import FoundationEssentials
public import MatterState

/// The files of terms that the ledger points to, in the state directory under their digests, which the ledger has.
public struct TermsLibrary: Sendable {
    /// The longest file that is fetched, bytes.
    public static let largestFile = 1 << 20

    private let state: StateDirectory

    /// The texts that are kept in a state directory.
    public init(_ state: StateDirectory) { self.state = state }

    /// The texts, if their file was fetched before.
    public func known(_ terms: LedgerModel.Terms) -> TermsDocument? {
        // Unreadable state is fetched again.
        guard let digest = Self.digest(terms), let contents = try? state.read(Self.record(digest)),
            SHA256.hash(contents) == digest
        else { return nil }
        return try? TermsDocument(contents, revision: terms.revision)
    }

    /// Fetches the texts and keeps them.
    ///
    /// - Parameter service: a client for the server that has the file.
    /// - Throws: ``LedgerError`` if there is no such file, or it is not the one that the ledger means.
    public func fetch(
        _ terms: LedgerModel.Terms, deadline: ContinuousClock.Instant,
        service: (BaseURL) throws -> HTTPService
    ) async throws -> TermsDocument {
        guard let digest = Self.digest(terms) else {
            throw LedgerError(.malformed, "the ledger's entry of the terms has no digest")
        }
        guard terms.size <= Self.largestFile else {
            throw LedgerError(.tooLarge, "the file of the terms has \(terms.size) bytes")
        }
        let contents = try await Self.get(terms.url, deadline: deadline, service: service)
        guard contents.count == terms.size, SHA256.hash(contents) == digest else {
            throw LedgerError(.malformed, "the file of the terms is not the one that the ledger means")
        }
        let document = try TermsDocument(contents, revision: terms.revision)
        try state.write(Self.record(digest), contents, keepingPrevious: false)
        return document
    }

    private static func get(
        _ text: String, deadline: ContinuousClock.Instant, service: (BaseURL) throws -> HTTPService
    ) async throws -> [UInt8] {
        do {
            let (base, target) = try split(text)
            let service = try service(base)
            let response: HTTPResponse
            do {
                response = try await service.send(HTTPRequest(.get, target), deadline: deadline)
            } catch {
                await service.close()
                throw error
            }
            await service.close()
            guard response.status == 200 else {
                throw LedgerError(
                    .unreachable, "\(base) does not give the file of the terms (HTTP \(response.status))",
                    status: response.status)
            }
            return response.body
        } catch let error as HTTPError {
            throw LedgerError(
                error.code == .tooLarge ? .tooLarge : .unreachable, "the file of the terms: \(error.reason)",
                hint: error.hint, connection: error)
        }
    }

    /// The server of a URL, and what to ask it for.
    private static func split(_ text: String) throws -> (BaseURL, target: String) {
        guard let scheme = text.firstRange(of: "://"), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw LedgerError(.malformed, "the ledger's URL of the terms is not one")
        }
        let rest = text[scheme.upperBound...].prefix { $0 != "#" }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let target = rest[end...]
        return (try BaseURL(parsing: String(text[..<end])), target.hasPrefix("/") ? String(target) : "/\(target)")
    }

    private static func digest(_ terms: LedgerModel.Terms) -> [UInt8]? {
        terms.digest.flatMap { Data(base64Encoded: $0) }.map(Array.init).flatMap {
            $0.count == SHA256.digestCount ? $0 : nil
        }
    }

    private static func record(_ digest: [UInt8]) -> String { "\(LedgerCache.folder)/terms/\(Hex.encode(digest))" }
}
