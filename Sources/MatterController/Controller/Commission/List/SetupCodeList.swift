import MatterState

/// The setup codes of many devices as a text: a line for each, with the name and the room that the device is to have.
///
/// Columns stand apart by blanks or tabs. What has blanks in it stands between double quotes, where a quote is doubled; `-`
/// stands for nothing. A column that begins with `#` begins a comment.
public struct SetupCodeList: Sendable {
    /// The devices of one line.
    public struct Entry: Sendable {
        /// Counts from 1.
        public let line: Int
        /// One, or several of which the first that is found is meant.
        package let payloads: [SetupPayload]
        /// The name; `nil` if it has none.
        public let name: String?
        /// The room; `nil` if none is known.
        public let room: String?
    }

    /// Every code has a task and, with a name, a file of its own while it waits.
    static let mostCodes = 1000
    /// The size of a list in bytes.
    public static let largest = 1 << 20
    /// A list with more faults than this is something else.
    private static let mostFaults = 100
    /// Bytes of a line; a QR payload of several devices is the longest thing in one.
    private static let longestLine = 4096

    /// By line.
    public let entries: [Entry]

    /// - Parameter checkName: refuses names that the program wants for something else.
    /// - Throws: ``SetupCodeListError`` with all that is wrong, by line.
    public init(
        _ text: [UInt8], checkName: (String) throws -> Void = { _ in }
    ) throws(SetupCodeListError) {
        var faults: [SetupCodeListError.Fault] = []
        var entries: [Entry] = []
        for (index, bytes) in Self.lines(text).enumerated() where faults.count < Self.mostFaults {
            let line = index + 1
            do {
                guard let entry = try Self.entry(bytes, line) else { continue }
                guard entries.count < Self.mostCodes else {
                    let error = SetupCodeListError.line("a list has at most \(Self.mostCodes) setup codes")
                    faults.append(SetupCodeListError.Fault(line: line, error: error))
                    break
                }
                if let other = entries.first(where: { $0.mayMean(entry) }) {
                    throw SetupCodeListError.line("line \(other.line) has a setup code of the same device")
                }
                if let name = entry.name { try checkName(name) }
                if let name = entry.name, let other = entries.first(where: { $0.name == name }) {
                    throw SetupCodeListError.line("line \(other.line) has the name '\(name)' too")
                }
                entries.append(entry)
            } catch {
                faults.append(SetupCodeListError.Fault(line: line, error: error))
            }
        }
        guard faults.isEmpty else { throw SetupCodeListError(faults) }
        guard !entries.isEmpty else { throw SetupCodeListError([]) }
        self.entries = entries
    }

    private static func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return text.dropFirst(text.starts(with: mark) ? mark.count : 0)
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    }

    /// - Returns: `nil` for a line without a code.
    private static func entry(_ bytes: ArraySlice<UInt8>, _ line: Int) throws -> Entry? {
        guard bytes.count <= longestLine else {
            throw SetupCodeListError.line("it has more than \(longestLine) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SetupCodeListError.line("it is not text (UTF-8)")
        }
        let columns = try columns(text)
        guard let code = columns.first else { return nil }
        guard columns.count <= 3 else {
            throw SetupCodeListError.line(
                "it has more columns than code, name and room; put a name with blanks between double quotes")
        }
        let payloads = try SetupPayload.parse(code)
        func word(_ index: Int) -> String? { columns.count > index && columns[index] != "-" ? columns[index] : nil }
        let (name, room) = (word(1), word(2))
        if let name { try NameRule.check(name, what: "node") }
        if let room { try NameRule.checkRoom(room) }
        return Entry(line: line, payloads: payloads, name: name, room: room)
    }

    private static func columns(_ text: String) throws(SetupCodeListError) -> [String] {
        var columns: [String] = []
        var rest = text[...]
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" }
            guard let first = rest.first, first != "#" else { return columns }
            guard first == "\"" else {
                let word = rest.prefix { $0 != " " && $0 != "\t" }
                columns.append(String(word))
                rest = rest.dropFirst(word.count)
                continue
            }
            var column = ""
            rest = rest.dropFirst()
            while true {
                let part = rest.prefix { $0 != "\"" }
                rest = rest.dropFirst(part.count)
                guard rest.first == "\"" else { throw .line("a double quote has no second one") }
                column += part
                rest = rest.dropFirst()
                guard rest.first == "\"" else { break }
                column += "\""
                rest = rest.dropFirst()
            }
            columns.append(column)
        }
    }
}

extension SetupCodeList.Entry {
    /// True if both may be codes of one device: it cannot become two nodes.
    fileprivate func mayMean(_ other: Self) -> Bool {
        payloads.contains { one in other.payloads.contains { one.mayMean($0) } }
    }
}

extension SetupPayload {
    fileprivate func mayMean(_ other: SetupPayload) -> Bool {
        func agree<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
            one == nil || other == nil || one == other
        }
        func known(_ id: UInt16?) -> UInt16? { id == 0 ? nil : id }
        return code.mayMean(other.code) && agree(known(vendorID), known(other.vendorID))
            && agree(known(productID), known(other.productID))
    }
}

/// Faults in a list of setup codes. Nothing was sent.
public struct SetupCodeListError: CodedError {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// The list cannot be used.
        case invalid = "commission.list"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind { .invalidInput }
    }

    /// The fault in one line.
    public struct Fault: Sendable {
        /// The line, from 1 on.
        public let line: Int
        /// Why it cannot be used.
        public let error: any Error
    }

    /// The failure, as a name that programs can compare.
    public let code = Code.invalid
    /// The event, in words for people.
    public let reason: String
    /// By line; empty for a list without codes, and for what is wrong with one line.
    public let faults: [Fault]

    fileprivate init(_ faults: [Fault]) {
        self.faults = faults
        reason =
            switch faults.count {
            case 0: "the list has no setup code"
            case 1: "one line of the list is wrong; nothing was sent"
            case let count: "\(count) lines of the list are wrong; nothing was sent"
            }
    }

    private init(line reason: String) {
        self.reason = reason
        faults = []
    }

    /// The fault in one line.
    fileprivate static func line(_ reason: String) -> SetupCodeListError { SetupCodeListError(line: reason) }
}
