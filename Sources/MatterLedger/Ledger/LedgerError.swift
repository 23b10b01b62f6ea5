public import MatterBase

/// Why the Alliance's ledger gave no usable answer, or why what it gave is not trusted.
public struct LedgerError: CodedError, Equatable {
    /// The kind of fault. The raw value is stable and meant for programs.
    public enum Code: String, ErrorCode, CaseIterable {
        /// No answer: no connection, a lost one, no time left, TLS that cannot be trusted, a redirection.
        case unreachable = "ledger.unreachable"
        /// The ledger has no such entry.
        case notFound = "ledger.not-found"
        /// The ledger does not understand the question.
        case refused = "ledger.refused"
        /// The ledger is in trouble.
        case failing = "ledger.failing"
        /// An answer that is not what was asked for.
        case malformed = "ledger.malformed"
        /// More pages, entries or bytes than an answer may have.
        case tooLarge = "ledger.too-large"
        /// There are no authorities left after an update.
        case empty = "ledger.empty"
        /// No trusted key, or no entry, of that name.
        case unknown = "trust.unknown"
        /// No trusted certificate is there to export.
        case nothingToExport = "trust.nothing-to-export"
        /// A file that holds nothing that can be trusted.
        case unusable = "trust.unusable"
        /// A stored set that cannot be read.
        case damaged = "trust.damaged"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .unreachable, .refused, .failing, .malformed, .tooLarge, .empty: .issuerFailed
            case .notFound, .unknown, .nothingToExport: .notFound
            case .unusable: .invalidInput
            case .damaged: .localState
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// A sentence for a person.
    public var reason: String
    /// The next step; `nil` if that is not known.
    public var hint: Hint?
    /// The fault of the connection, where it is one.
    package var connection: HTTPError?
    /// The HTTP status, where there is one.
    package var status: Int?

    /// An error with its words, and what the connection or the server said.
    ///
    /// - Parameter status: the code of the answer (RFC 9110, section 15).
    public init(
        _ code: Code, _ reason: String, hint: Hint? = nil, connection: HTTPError? = nil, status: Int? = nil
    ) {
        self.code = code
        self.reason = reason
        self.hint = hint
        self.connection = connection
        self.status = status
    }

    /// Facts for programs, by name.
    public var facts: [Fact] {
        [Fact("httpStatus", status), Fact("transport", connection?.id)].compactMap { $0 }
    }

    /// Whether this host lacks libcurl.
    package var isLibraryMissing: Bool { connection?.code == .libraryMissing }

    /// Whether a later attempt may have an answer, so that what is known already still counts.
    var isTransient: Bool { code == .unreachable || code == .failing }
}

extension LedgerError: JSONFieldFailure {
    /// An error about a member of an answer.
    public init(_ fault: JSONFieldFault, in name: String) {
        switch fault {
        case .notAnObject: self.init(.malformed, "the ledger's answer about \(name) is not an object")
        case .missing(let member): self.init(.malformed, "the ledger's answer about \(name) lacks '\(member)'")
        case .wrong(let member, let expected):
            self.init(.malformed, "in the ledger's answer about \(name), '\(member)' is not \(expected)")
        }
    }
}

extension LedgerError {
    /// The kind of failure, from which the exit code follows.
    public var kind: FailureKind { code == .unreachable && isLibraryMissing ? .serviceMissing : code.kind }
}
