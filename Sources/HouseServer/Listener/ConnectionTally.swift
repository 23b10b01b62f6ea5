/// The open connections, and whether one more is let in.
struct ConnectionTally: Sendable {
    private let most: Int
    private let mostOfAddress: Int
    private var own = 0
    private var others = 0
    private var ofAddress: [String: Int] = [:]

    init(_ limits: ListenerLimits) {
        most = limits.connections
        mostOfAddress = limits.connectionsOfAddress
    }

    /// All that are open.
    var count: Int { own + others }

    /// Counts a connection, unless there are too many.
    ///
    /// - Parameter address: `nil` for one of our own user: a flood of others does not keep that out. A proxy's connections are
    ///   those of many, and count as such.
    mutating func enter(_ address: String?, isProxy: Bool) -> Bool {
        guard let address else {
            guard own < most else { return false }
            own += 1
            return true
        }
        guard others < most, isProxy || ofAddress[address, default: 0] < mostOfAddress else { return false }
        others += 1
        ofAddress[address, default: 0] += 1
        return true
    }

    /// A connection that was counted has ended.
    mutating func leave(_ address: String?) {
        guard let address else {
            own -= 1
            return
        }
        others -= 1
        let left = ofAddress[address, default: 0] - 1
        ofAddress[address] = left > 0 ? left : nil
    }
}
