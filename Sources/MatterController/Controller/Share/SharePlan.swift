public import MatterNetwork

/// How devices are shared (own).
public struct SharePlan: Sendable {
    /// Who gets the codes, and so how long a window stays open.
    public enum Receiver: Sendable {
        /// A person who types or scans them, one after the other: a window is opened when one before it has been used, or
        /// has run out.
        case person
        /// A page that is printed: all windows are opened, and stay open for their whole time.
        case page
        /// A server that commissions the devices itself: a window is closed as soon as the server has answered.
        case server(MatterServer)
    }

    /// How many windows are opened at once, or are open at once, where nothing else is said.
    public static let usualCount = 3

    /// Who gets the codes.
    public var receiver: Receiver
    /// How long a window is open; within ``AdministrationService/windowDurations``.
    public var span: Duration
    /// How many devices have their turn at once.
    public var together = usualCount
    /// The end of all of it; `nil` for as long as it takes.
    public var deadline: Instant?

    /// A plan, with everything else as usual.
    public init(_ receiver: Receiver, for span: Duration) {
        self.receiver = receiver
        self.span = span
    }
}

/// The place of a device in the sharing of a house (own).
public enum ShareStep: Sendable {
    /// It has its turn: its table of fabrics is read.
    case begun
    /// Its window is open.
    case open(OpenedWindow)
    /// Its window is closed again, before its time: another controller has used it, or an administrator has closed it.
    case used(isJoined: Bool)
    /// Its window has run out.
    case ranOut
    /// The server has it now.
    case shared(ServerNode)
    /// The server's fabric was there before; no window was opened.
    case present
    /// It was not shared. If its window was open, it is closed.
    case failed(any Error)

    /// A device as another controller has it.
    public struct ServerNode: Sendable {
        /// Its id on the fabric of the other controller.
        public let node: UInt64
        /// The number of that fabric on the device; `nil` if it could not be read.
        public let fabricIndex: UInt8?
    }
}

/// Which devices have their turn: a few at a time, in their order (own).
struct ShareQueue {
    private let count: Int
    private let together: Int
    private var begun = 0
    private var ended = 0

    init(count: Int, together: Int) {
        self.count = count
        self.together = max(1, together)
    }

    var isDone: Bool { ended == count }

    /// The place of the next device, whose turn lasts until ``end()``; `nil` if none may begin now.
    mutating func next() -> Int? {
        guard begun < count, begun - ended < together else { return nil }
        defer { begun += 1 }
        return begun
    }

    mutating func end() { ended += 1 }

    /// The places of those that have not begun, which have their turns no more.
    mutating func giveUp() -> Range<Int> {
        let rest = begun..<count
        begun = count
        ended += rest.count
        return rest
    }
}
