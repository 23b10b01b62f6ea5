/// Something that goes wrong on purpose: `KIND[=VALUE][,on=OPERATION][,group=NAME][,after=N][,times=N]`.
package struct EmulatorFault: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Answers with an HTTP status instead of doing anything; the value is the status.
        case status
        /// Answers 400 with an error code instead of doing anything; the value is the code.
        case errorCode = "error-code"
        /// Does it, and then answers with an HTTP status.
        case lateStatus = "late-status"
        /// Answers 401 in the form of the gateway, without doing anything.
        case unauthorized
        /// Answers 403 in the form of the gateway, without doing anything.
        case denied
        /// Says with the answer how many seconds to wait before the next call.
        case retryAfter = "retry-after"
        /// Waits before the answer; the value is in milliseconds.
        case slow
        /// Sends the first half of the JSON text as if it were all.
        case truncated
        /// Ends the connection in the middle of the answer.
        case lost
        /// Sends a page of HTML.
        case html
        /// Sends nothing in the body.
        case empty
        /// Writes error codes as strings.
        case stringCode = "string-code"
        /// Leaves error codes out.
        case noCode = "no-code"
        /// Leaves a member out, wherever it is; the value is its name.
        case missing
        /// Puts the number 7 in the place of a member; the value is its name.
        case wrongType = "wrong-type"
        /// Puts an empty text in the place of a member; the value is its name.
        case blank
        /// Pages of this many entries.
        case pageSize = "page-size"
        /// Lists whose every page names yet another one.
        case endless
        /// Lists whose every page names the same one as the next.
        case samePage = "same-page"
        /// Certificates for another key.
        case wrongKey = "wrong-key"
        /// Certificates for another fabric.
        case wrongFabric = "wrong-fabric"
        /// Certificates for another node than the answer says.
        case wrongNode = "wrong-node"
        /// User certificates without the tag of the group.
        case wrongCAT = "wrong-cat"
        /// User certificates with the tag of the group in a newer version than it says.
        case newerCAT = "newer-cat"
        /// Certificates that have expired.
        case expired
        /// Certificates that are not valid yet.
        case notYetValid = "not-yet-valid"
        /// Certificates that are valid from this second on, and not from an hour ago.
        case notBackdated = "not-backdated"
        /// Certificates that another key than the root's signed.
        case unsigned
        /// PEM text that is cut short.
        case malformedPEM = "malformed-pem"
        /// PEM text whose line ends are spelled as two characters.
        case escapedPEM = "escaped-pem"
        /// Root certificates without the identifier of the key that signed them.
        case rootWithoutAKI = "root-without-aki"

        /// True if it may be limited to what is said about one group.
        var canBeOfGroup: Bool {
            switch self {
            case .missing, .wrongType, .blank, .malformedPEM, .escapedPEM, .rootWithoutAKI: true
            default: false
            }
        }
    }

    package var kind: Kind
    package var value: String?
    /// Only for this operation.
    package var operation: EmulatorOperation?
    /// Only in what is said about the group of this name.
    package var group: String?
    /// How many calls pass before it begins.
    package var after: Int
    /// How many calls it affects; `nil` for all.
    package var times: Int?

    package init(
        _ kind: Kind, value: String? = nil, on operation: EmulatorOperation? = nil, group: String? = nil,
        after: Int = 0, times: Int? = nil
    ) {
        self.kind = kind
        self.value = value
        self.operation = operation
        self.group = group
        self.after = after
        self.times = times
    }

    /// - Returns: `nil` for anything that is not a fault.
    package init?(parsing text: String) {
        var parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)[...]
        guard let head = parts.popFirst() else { return nil }
        let words = head.split(separator: "=", maxSplits: 1).map(String.init)
        guard let name = words.first, let kind = Kind(rawValue: name) else { return nil }
        self.init(kind, value: words.count > 1 ? words[1] : nil)
        switch kind {
        case .status, .lateStatus:
            guard let number, (100...599).contains(number) else { return nil }
        case .slow, .pageSize, .errorCode, .retryAfter:
            guard let number, number >= 1 else { return nil }
        case .missing, .wrongType, .blank:
            guard value?.isEmpty == false else { return nil }
        default:
            guard value == nil else { return nil }
        }
        for part in parts {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else { return nil }
            switch pair[0] {
            case "on":
                guard let operation = EmulatorOperation(rawValue: pair[1]) else { return nil }
                self.operation = operation
            case "group":
                guard kind.canBeOfGroup else { return nil }
                group = pair[1]
            case "after":
                guard let count = Int(pair[1]), count >= 0 else { return nil }
                after = count
            case "times":
                guard let count = Int(pair[1]), count >= 1 else { return nil }
                times = count
            default: return nil
            }
        }
    }

    /// True if it concerns a group of this name.
    func concerns(_ group: EmulatorState.Group) -> Bool { self.group == nil || self.group == group.name }

    var number: Int? { value.flatMap { Int($0) } }

    /// Takes part in one call of an operation.
    /// - Returns: whether it acts this time.
    mutating func act(on operation: EmulatorOperation) -> Bool {
        guard self.operation == nil || self.operation == operation else { return false }
        guard after == 0 else {
            after -= 1
            return false
        }
        guard let times else { return true }
        guard times > 0 else { return false }
        self.times = times - 1
        return true
    }
}
