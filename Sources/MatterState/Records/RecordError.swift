import MatterModel

/// Why a record of the state directory, though undamaged, cannot be used, or an entry was not found.
package struct RecordError: CodedError, Equatable {
    package enum Code: String, ErrorCode {
        /// A member is missing or of the wrong kind.
        case invalid = "state.invalid-record"
        case noFabric = "fabric.none"
        case unknownFabric = "fabric.unknown"
        case fabricExists = "fabric.exists"
        /// The fabric was removed while a command worked with it.
        case fabricGone = "fabric.gone"
        /// There are several fabrics, and none is named.
        case ambiguousFabric = "fabric.ambiguous"
        case unknownNode = "node.unknown"
        /// The node's commissioning has not ended.
        case pendingNode = "node.pending"
        case nameTaken = "node.name-taken"
        case invalidName = "name.invalid"
        /// Several devices are called so.
        case ambiguousName = "name.ambiguous"
        /// A device behind a bridge where a node is wanted.
        case bridgedDevice = "node.bridged"
        /// The node id is in use already.
        case nodeExists = "node.exists"
        case unknownGroup = "group.unknown"
        /// The name or the id of a new group is another one's.
        case groupExists = "group.exists"
        case unknownRoom = "room.unknown"
        case roomExists = "room.exists"
        /// There are no stored credentials of that network.
        case unknownNetwork = "network.unknown"

        package var kind: FailureKind {
            switch self {
            case .invalid, .fabricExists, .fabricGone, .nameTaken, .nodeExists, .groupExists, .roomExists: .localState
            case .noFabric, .unknownFabric, .unknownNode, .pendingNode, .unknownGroup, .unknownRoom, .unknownNetwork:
                .notFound
            case .ambiguousFabric, .invalidName, .ambiguousName, .bridgedDevice: .invalidInput
            }
        }
    }

    package var code: Code
    package var reason: String
    package var hint: Hint?

    package init(_ code: Code, _ reason: String, hint: Hint? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }

    /// Something that is not there; the hint has the names that are nearest, or says how to see all.
    package init(_ code: Code, _ reason: String, _ name: String, among names: some Sequence<String>, see: Hint) {
        let nearest = Suggestions.nearest(to: name, among: names).map { $0.contains(" ") ? "'\($0)'" : $0 }
        self.init(code, reason, hint: Suggestions.question(nearest).map { Hint($0) } ?? see)
    }

    package var description: String { reason }

    /// True if an error says that a record is there and cannot be used, and not that it could not be read.
    static func isFault(of error: any Error) -> Bool {
        switch error {
        case let error as StoreError: [.damaged, .newerVersion, .tooLarge].contains(error.code)
        case let error as RecordError: error.code == .invalid
        default: false
        }
    }
}
