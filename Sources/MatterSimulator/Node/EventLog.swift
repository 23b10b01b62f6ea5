import MatterModel

/// An event that a node remembers.
struct EventRecord: Sendable {
    var path: ConcreteEventPath
    var number: UInt64
    var priority: EventPriority
    var unixMilliseconds: UInt64
    var data: TLVValue
    /// The only fabric that may see it, if it belongs to one.
    var fabricIndex: UInt8?
}

/// The events of a node, in the order of their numbers; the least important and oldest are forgotten first
/// (Matter core specification 7.14).
struct EventLog: Sendable {
    /// Numbers are reserved in blocks, so that not every event has to be saved.
    static let block: UInt64 = 1000
    private static let capacity = 256

    private(set) var records: [EventRecord] = []
    private(set) var nextNumber: UInt64
    /// Below which numbers are known to be used after a restart.
    private(set) var reservedUpTo: UInt64

    /// - Parameter nextNumber: the first number that no earlier run can have used.
    init(nextNumber: UInt64) {
        self.nextNumber = nextNumber
        reservedUpTo = nextNumber + Self.block
    }

    /// True if the reservation has to be saved again, since half of it is used.
    var needsReservation: Bool { nextNumber + Self.block / 2 >= reservedUpTo }

    /// The number to save: a later run starts here.
    mutating func reserve() -> UInt64 {
        reservedUpTo = nextNumber + Self.block
        return reservedUpTo
    }

    mutating func append(
        _ path: ConcreteEventPath, priority: EventPriority, unixMilliseconds: UInt64, data: TLVValue,
        fabricIndex: UInt8?
    ) -> UInt64 {
        let number = nextNumber
        nextNumber += 1
        records.append(
            EventRecord(
                path: path, number: number, priority: priority, unixMilliseconds: unixMilliseconds, data: data,
                fabricIndex: fabricIndex))
        if records.count > Self.capacity, let lowest = records.map(\.priority.rawValue).min(),
            let victim = records.firstIndex(where: { $0.priority.rawValue == lowest })
        {
            records.remove(at: victim)
        }
        return number
    }

    mutating func removeFabric(_ index: UInt8) { records.removeAll { $0.fabricIndex == index } }
}
