public import MatterNetwork

/// A door lock.
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

    /// What its bolt does; `nil` if it does not know.
    public func state(within time: Duration? = nil) async throws -> DoorLock.DlLockState? {
        try await node.read(DoorLock.lockState, at: endpoint, within: time)
    }

    /// Locks.
    ///
    /// - Parameter pin: a PIN code of the lock, where it wants one.
    public func lock(pin: String? = nil, within time: Duration? = nil) async throws {
        try await perform(LockVerb(.lock, pin: pin), time)
    }

    /// Unlocks.
    ///
    /// - Parameters:
    ///   - pin: a PIN code of the lock, where it wants one.
    ///   - span: after which it locks again; what it does by itself by default.
    public func unlock(
        pin: String? = nil, lockingAgainAfter span: Duration? = nil, within time: Duration? = nil
    ) async throws {
        let seconds = span.map { UInt16(clamping: $0.components.seconds) }
        try await perform(LockVerb(.unlock(relockAfter: seconds), pin: pin), time)
    }
}

/// A blind, a shutter or a curtain.
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
    public func open(within time: Duration? = nil) async throws { try await perform(CoverVerb.open, time) }

    /// Closes it all the way.
    public func close(within time: Duration? = nil) async throws { try await perform(CoverVerb.close, time) }

    /// Stops it where it is.
    public func stop(within time: Duration? = nil) async throws { try await perform(CoverVerb.stop, time) }

    /// Moves it.
    ///
    /// - Parameter percent: 0 is open, 100 is closed.
    public func set(closedPercent percent: Double, within time: Duration? = nil) async throws {
        try await perform(CoverVerb.position(try Self.hundredths(percent)), time)
    }

    /// Tilts its slats.
    ///
    /// - Parameter percent: 0 lets the most light in, 100 the least.
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

/// A valve.
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
    public func open(for span: Duration? = nil, level: UInt8? = nil, within time: Duration? = nil) async throws {
        let seconds = span.map { UInt32(clamping: $0.components.seconds) }
        try await perform(ValveVerb.open(seconds: seconds, level: level), time)
    }

    /// Closes it.
    public func close(within time: Duration? = nil) async throws { try await perform(ValveVerb.close, time) }
}

/// A vacuum cleaner.
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
    public func start(within time: Duration? = nil) async throws { try await perform(VacuumVerb.start, time) }

    /// Ends cleaning.
    public func stop(within time: Duration? = nil) async throws { try await perform(VacuumVerb.stop, time) }

    /// Interrupts cleaning.
    public func pause(within time: Duration? = nil) async throws { try await perform(VacuumVerb.pause, time) }

    /// Goes on with cleaning.
    public func resume(within time: Duration? = nil) async throws { try await perform(VacuumVerb.resume, time) }

    /// Sends it to its dock.
    public func goHome(within time: Duration? = nil) async throws { try await perform(VacuumVerb.home, time) }
}

/// A media player.
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
    public func play(within time: Duration? = nil) async throws { try await perform(MediaVerb.play, time) }

    /// Interrupts.
    public func pause(within time: Duration? = nil) async throws { try await perform(MediaVerb.pause, time) }

    /// Stops.
    public func stop(within time: Duration? = nil) async throws { try await perform(MediaVerb.stop, time) }

    /// Goes to the next piece.
    public func next(within time: Duration? = nil) async throws { try await perform(MediaVerb.next, time) }

    /// Goes to the piece before.
    public func previous(within time: Duration? = nil) async throws { try await perform(MediaVerb.previous, time) }
}
