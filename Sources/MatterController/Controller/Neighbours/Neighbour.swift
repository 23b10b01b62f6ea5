import MatterState

/// Another program that has fabrics of its own, in a store that can be read.
public enum Neighbour: String, CaseIterable, Sendable {
    /// The example controller of the official SDK.
    case chipTool = "chip-tool"
    /// Home Assistant's first Matter server, and what else stands on the SDK's Python controller.
    case pythonMatterServer = "python-matter-server"
    /// matter.js, with the Matter server that stands on it.
    case matterjs
}

/// Why the store of another program cannot be taken in.
public struct NeighbourError: CodedError, Equatable {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// There is no store of that program at the path.
        case noStore = "neighbour.no-store"
        /// The program runs, or has just written.
        case inUse = "neighbour.in-use"
        /// No fabric of the store is whole.
        case damaged = "neighbour.damaged"
        /// The identity protection key is not the one that the store's devices have.
        case unknownKey = "neighbour.unknown-ipk"
        /// A library that reads this kind of store is missing.
        case libraryMissing = "neighbour.library-missing"
        /// There is a store of that program at the path already.
        case present = "neighbour.present"
        /// The devices of the fabric have a key that the program never uses.
        case otherKey = "neighbour.other-ipk"
        /// Without the authority's key the program could not act on the fabric.
        case noAuthority = "neighbour.no-authority"
        /// The fabric acts with the other program's node id here.
        case takenOver = "neighbour.taken-over"
        /// The fabric of the other program is not here.
        case notJoined = "neighbour.not-joined"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .noStore, .notJoined: .notFound
            case .inUse, .damaged, .present, .otherKey, .noAuthority: .localState
            case .unknownKey, .takenOver: .invalidInput
            case .libraryMissing: .serviceMissing
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// The event, in words for people.
    public var reason: String
    /// The next step; `nil` if that is not known.
    public var hint: Hint?

    init(_ code: Code, _ reason: String, hint: Hint? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }
}
