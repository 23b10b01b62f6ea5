public import MatterNetwork

/// A door lock (Matter application cluster specification).
public struct LockDevice: DevicePart {
    /// DoorLock.
    public static let cluster = DoorLock.id
    /// The node.
    public let node: Node
    /// The endpoint.
    public let endpoint: EndpointID?

    /// The lock on an endpoint.
    public init(_ node: Node, at endpoint: EndpointID?) {
        self.node = node
        self.endpoint = endpoint
    }

    /// The state of its bolt; `nil` if it does not know.
    ///
    /// - Throws: ``MatterError``.
    public func state(within time: Duration? = nil) async throws -> DoorLock.DlLockState? {
        try await node.read(DoorLock.lockState, at: endpoint, within: time)
    }

    /// Locks.
    ///
    /// - Parameter pin: a PIN code of the lock, where it wants one.
    /// - Throws: ``MatterError``.
    public func lock(pin: String? = nil, within time: Duration? = nil) async throws {
        try await perform(LockVerb(.lock, pin: pin), time)
    }

    /// Unlocks.
    ///
    /// - Parameters:
    ///   - pin: a PIN code of the lock, where it wants one.
    ///   - span: after which it locks again; what it does by itself by default.
    /// - Throws: ``MatterError``.
    public func unlock(
        pin: String? = nil, lockingAgainAfter span: Duration? = nil, within time: Duration? = nil
    ) async throws {
        let seconds = span.map { UInt16(clamping: $0.components.seconds) }
        try await perform(LockVerb(.unlock(relockAfter: seconds), pin: pin), time)
    }
}

/// A blind, a shutter or a curtain (Matter application cluster specification).
public struct CoverDevice: DevicePart {
    /// WindowCovering.
    public static let cluster = WindowCovering.id
    /// The node.
    public let node: Node
    /// The endpoint.
    public let endpoint: EndpointID?

    /// The cover on an endpoint.
    public init(_ node: Node, at endpoint: EndpointID?) {
        self.node = node
        self.endpoint = endpoint
    }

    /// Opens it all the way.
    ///
    /// - Throws: ``MatterError``.
    public func open(within time: Duration? = nil) async throws { try await perform(CoverVerb.open, time) }

    /// Closes it all the way.
    ///
    /// - Throws: ``MatterError``.
    public func close(within time: Duration? = nil) async throws { try await perform(CoverVerb.close, time) }

    /// Stops it where it is.
    ///
    /// - Throws: ``MatterError``.
    public func stop(within time: Duration? = nil) async throws { try await perform(CoverVerb.stop, time) }

    /// Moves it.
    ///
    /// - Parameter percent: 0 is open, 100 is closed.
    /// - Throws: ``MatterError``.
    public func set(closedPercent percent: Double, within time: Duration? = nil) async throws {
        try await perform(CoverVerb.position(try Self.hundredths(percent)), time)
    }

    /// Tilts its slats.
    ///
    /// - Parameter percent: 0 lets the most light in, 100 the least.
    /// - Throws: ``MatterError``.
    public func set(tiltPercent percent: Double, within time: Duration? = nil) async throws {
        try await perform(CoverVerb.tilt(try Self.hundredths(percent)), time)
    }

    private static func hundredths(_ percent: Double) throws -> UInt16 {
        guard (0...100).contains(percent) else {
            throw MatterError(InteractionError(.invalidRequest, "the position of a cover is 0 to 100 %"))
        }
        return UInt16((percent * 100).rounded())
    }
}

/// A valve (Matter application cluster specification).
public struct ValveDevice: DevicePart {
    /// ValveConfigurationAndControl.
    public static let cluster = ValveConfigurationAndControl.id
    /// The node.
    public let node: Node
    /// The endpoint.
    public let endpoint: EndpointID?

    /// The valve on an endpoint.
    public init(_ node: Node, at endpoint: EndpointID?) {
        self.node = node
        self.endpoint = endpoint
    }

    /// Opens it.
    ///
    /// - Parameters:
    ///   - span: after which it closes by itself; what it does by itself by default.
    ///   - level: 1 to 100 %; its own by default.
    /// - Throws: ``MatterError``.
    public func open(for span: Duration? = nil, level: UInt8? = nil, within time: Duration? = nil) async throws {
        let seconds = span.map { UInt32(clamping: $0.components.seconds) }
        try await perform(ValveVerb.open(seconds: seconds, level: level), time)
    }

    /// Closes it.
    ///
    /// - Throws: ``MatterError``.
    public func close(within time: Duration? = nil) async throws { try await perform(ValveVerb.close, time) }
}

/// A vacuum cleaner (Matter application cluster specification).
public struct VacuumDevice: DevicePart {
    /// RvcRunMode.
    public static let cluster = RvcRunMode.id
    /// The node.
    public let node: Node
    /// The endpoint.
    public let endpoint: EndpointID?

    /// The vacuum cleaner on an endpoint.
    public init(_ node: Node, at endpoint: EndpointID?) {
        self.node = node
        self.endpoint = endpoint
    }

    /// Starts cleaning.
    ///
    /// - Throws: ``MatterError``.
    public func start(within time: Duration? = nil) async throws { try await perform(VacuumVerb.start, time) }

    /// Ends cleaning.
    ///
    /// - Throws: ``MatterError``.
    public func stop(within time: Duration? = nil) async throws { try await perform(VacuumVerb.stop, time) }

    /// Interrupts cleaning.
    ///
    /// - Throws: ``MatterError``.
    public func pause(within time: Duration? = nil) async throws { try await perform(VacuumVerb.pause, time) }

    /// Goes on with cleaning.
    ///
    /// - Throws: ``MatterError``.
    public func resume(within time: Duration? = nil) async throws { try await perform(VacuumVerb.resume, time) }

    /// Sends it to its dock.
    ///
    /// - Throws: ``MatterError``.
    public func goHome(within time: Duration? = nil) async throws { try await perform(VacuumVerb.home, time) }
}

/// A media player (Matter application cluster specification).
public struct PlayerDevice: DevicePart {
    /// MediaPlayback.
    public static let cluster = MediaPlayback.id
    /// The node.
    public let node: Node
    /// The endpoint.
    public let endpoint: EndpointID?

    /// The player on an endpoint.
    public init(_ node: Node, at endpoint: EndpointID?) {
        self.node = node
        self.endpoint = endpoint
    }

    /// Plays.
    ///
    /// - Throws: ``MatterError``.
    public func play(within time: Duration? = nil) async throws { try await perform(MediaVerb.play, time) }

    /// Interrupts.
    ///
    /// - Throws: ``MatterError``.
    public func pause(within time: Duration? = nil) async throws { try await perform(MediaVerb.pause, time) }

    /// Stops.
    ///
    /// - Throws: ``MatterError``.
    public func stop(within time: Duration? = nil) async throws { try await perform(MediaVerb.stop, time) }

    /// Goes to the next piece.
    ///
    /// - Throws: ``MatterError``.
    public func next(within time: Duration? = nil) async throws { try await perform(MediaVerb.next, time) }

    /// Goes to the piece before.
    ///
    /// - Throws: ``MatterError``.
    public func previous(within time: Duration? = nil) async throws { try await perform(MediaVerb.previous, time) }
}
