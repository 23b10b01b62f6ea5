/// Which central a device of our own serves, and whether that one hears its indications: a pure state machine.
///
/// One central is served at a time. The daemon names the central of a write. It does not name that of a subscription: it
/// tells the first one and the end of the last, or each of them. A central writes before it subscribes, mostly. Whatever
/// comes late of an earlier connection bears the number of that one, and does not touch its successor.
struct PeripheralCentrals: Equatable, Sendable {
    struct Connection: Equatable, Sendable {
        let number: Int
        let central: DBusPath
        fileprivate(set) var isSubscribed: Bool
    }

    /// The effect of a write.
    enum Write: Equatable, Sendable {
        /// It belongs to the connection that there is.
        case known
        /// It begins a connection, which ends the one before it.
        ///
        /// With a doubt, indications are on, and it may be those of the connection before it. If nothing else comes,
        /// ``settled(_:)`` is to be called when that one has surely ended.
        case new(Connection, inDoubt: Bool)
    }

    private(set) var current: Connection?
    private var lastNumber = 0
    /// True if a central is subscribed, as far as the daemon has told.
    private var isNotifying = false
    /// True if a subscription was told that is not that of the connection there is: that of a central that has not written yet.
    private var isEarly = false

    mutating func written(by central: DBusPath) -> Write {
        if current?.central == central { return .known }
        let isReplacing = current != nil
        lastNumber += 1
        let connection = Connection(number: lastNumber, central: central, isSubscribed: isEarly)
        current = connection
        isEarly = false
        return .new(connection, inDoubt: isReplacing && isNotifying && !connection.isSubscribed)
    }

    /// A central has subscribed.
    ///
    /// - Returns: the number of the connection that hears indications now.
    mutating func subscribed() -> Int? {
        isNotifying = true
        guard let connection = current, !connection.isSubscribed else {
            isEarly = true
            return nil
        }
        current?.isSubscribed = true
        return connection.number
    }

    /// No central is subscribed any more.
    ///
    /// - Returns: the number of the connection that ends with it.
    mutating func unsubscribed() -> Int? {
        (isNotifying, isEarly) = (false, false)
        // A late word about the connection before this one.
        guard let connection = current, connection.isSubscribed else { return nil }
        current = nil
        return connection.number
    }

    /// The connection before this one has surely ended, and so has its subscription.
    ///
    /// - Returns: true if the connection is found to be subscribed with that.
    mutating func settled(_ number: Int) -> Bool {
        guard let connection = current, connection.number == number, !connection.isSubscribed, isNotifying else {
            return false
        }
        current?.isSubscribed = true
        return true
    }

    /// The link to a central is lost.
    ///
    /// - Returns: the number of the connection that ends with it.
    mutating func lost(_ central: DBusPath) -> Int? {
        guard let connection = current, connection.central == central else { return nil }
        end(connection.number)
        return connection.number
    }

    /// A connection is over on our side.
    ///
    /// - Returns: true if the link to its central may be ended: no later connection uses it.
    @discardableResult mutating func end(_ number: Int, _ central: DBusPath? = nil) -> Bool {
        guard let connection = current, connection.number == number else { return current?.central != central }
        (current, isNotifying, isEarly) = (nil, false, false)
        return true
    }

    /// Everything is over.
    mutating func endAll() { (current, isNotifying, isEarly) = (nil, false, false) }
}
