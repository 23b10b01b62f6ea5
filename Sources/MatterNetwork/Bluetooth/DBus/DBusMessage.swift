/// A call of a method: ours, or one of an object of ours.
struct DBusCall: Equatable, Sendable {
    var destination: String
    var path: DBusPath
    var interface: String
    var member: String
    var arguments: [DBusValue] = []

    /// A call to the bus itself.
    static func bus(_ member: String, _ arguments: [DBusValue]) -> DBusCall {
        DBusCall(
            destination: "org.freedesktop.DBus", path: DBusPath("/org/freedesktop/DBus"),
            interface: "org.freedesktop.DBus", member: member, arguments: arguments)
    }
}

/// A signal of an object.
struct DBusSignal: Equatable, Sendable {
    var path: DBusPath
    var interface: String
    var member: String
    var arguments: [DBusValue] = []
    /// The unique name of the connection that sent it, as the bus vouches for it; empty for a signal of ours.
    var sender = ""
}

/// The answer to a call of an object of ours.
enum DBusAnswer: Equatable, Sendable {
    case values([DBusValue])
    case error(name: String, words: String)

    static let unknownMethod = DBusAnswer.error(
        name: "org.freedesktop.DBus.Error.UnknownMethod", words: "no such method")
}

/// Why a call has no result.
struct DBusError: Error, Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// The answer is an error with this name.
        case answered(String)
        /// No answer came in time.
        case timedOut
        /// The task was cancelled.
        case cancelled
        /// The connection to the bus has ended.
        case disconnected
    }

    var kind: Kind
    /// The words of the error, as they came.
    var words: String

    init(_ kind: Kind, _ words: String = "") {
        self.kind = kind
        self.words = words
    }

    /// The error's name; empty if it is not an answer.
    var name: String { if case .answered(let name) = kind { name } else { "" } }

    /// The name's last part: `InProgress` of `org.bluez.Error.InProgress`.
    var shortName: String { name.split(separator: ".").last.map(String.init) ?? "" }

    /// Name and words for a person.
    var text: String {
        switch kind {
        case .answered: words.isEmpty ? shortName : "\(words) (\(shortName))"
        case .timedOut: "no answer"
        case .cancelled: "cancelled"
        case .disconnected: "the bus has ended the connection"
        }
    }
}
