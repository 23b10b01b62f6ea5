import MatterModel

/// Why a record of the state directory, though undamaged, cannot be used, or an entry was not found.
public struct RecordError: CodedError, Equatable {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// A member is missing or of the wrong kind.
        case invalid = "state.invalid-record"
        /// There is no fabric yet.
        case noFabric = "fabric.none"
        /// There is no fabric of this name.
        case unknownFabric = "fabric.unknown"
        /// There is a fabric of this name already.
        case fabricExists = "fabric.exists"
        /// The fabric was removed while a command worked with it.
        case fabricGone = "fabric.gone"
        /// There are several fabrics, and none is named.
        case ambiguousFabric = "fabric.ambiguous"
        /// There is no such node.
        case unknownNode = "node.unknown"
        /// The node's commissioning has not ended.
        case pendingNode = "node.pending"
        /// The name belongs to another node.
        case nameTaken = "node.name-taken"
        /// The name is not allowed.
        case invalidName = "name.invalid"
        /// Several devices are called so.
        case ambiguousName = "name.ambiguous"
        /// A device behind a bridge where a node is wanted.
        case bridgedDevice = "node.bridged"
        /// The node id is in use already.
        case nodeExists = "node.exists"
        /// There is no such group.
        case unknownGroup = "group.unknown"
        /// The name or the id of a new group is another one's.
        case groupExists = "group.exists"
        /// There is no such room.
        case unknownRoom = "room.unknown"
        /// There is a room of this name already.
        case roomExists = "room.exists"
        /// There are no stored credentials of that network.
        case unknownNetwork = "network.unknown"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .invalid, .fabricExists, .fabricGone, .nameTaken, .nodeExists, .groupExists, .roomExists: .localState
            case .noFabric, .unknownFabric, .unknownNode, .pendingNode, .unknownGroup, .unknownRoom, .unknownNetwork:
                .notFound
            case .ambiguousFabric, .invalidName, .ambiguousName, .bridgedDevice: .invalidInput
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// The event, in words for people.
    public var reason: String
    /// The next step; `nil` if that is not known.
    public var hint: Hint?

    package init(_ code: Code, _ reason: String, hint: Hint? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }

    /// Something that is not there; the hint has the names that are nearest, or says how to see all.
    public init(_ code: Code, _ reason: String, _ name: String, among names: some Sequence<String>, see: Hint) {
        let nearest = Suggestions.nearest(to: name, among: names).map { $0.contains(" ") ? "'\($0)'" : $0 }
        self.init(code, reason, hint: Suggestions.question(nearest).map { Hint($0) } ?? see)
    }

    /// The value as text, as messages and logs show it.
    public var description: String { reason }

    /// True if an error says that a record is there and cannot be used, and not that it could not be read.
    static func isFault(of error: any Error) -> Bool {
        switch error {
        case let error as StoreError: [.damaged, .newerVersion, .tooLarge].contains(error.code)
        case let error as RecordError: error.code == .invalid
        default: false
        }
    }
}
