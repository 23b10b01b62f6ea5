public import MatterModel

/// Locks or unlocks a door (Matter application cluster specification 5.2.10).
public struct LockVerb: DeviceVerb {
    /// An action on a lock.
    public enum Action: Sendable, Hashable {
        /// Locks it.
        case lock
        /// - Parameter relockAfter: seconds, after which the device locks again; `nil` for what the device does by itself.
        case unlock(relockAfter: UInt16?)
    }

    /// The cluster that is controlled.
    public let cluster = DoorLock.id
    /// How long a bolt may take.
    private static let pause = Duration.seconds(8)
    private let action: Action
    private let pin: String?

    /// - Parameter pin: a PIN code of the lock, where it wants one.
    public init(_ action: Action, pin: String? = nil) {
        self.action = action
        self.pin = pin
    }

    /// The commands for a device with these facts.
    ///
    /// - Throws: ``ControllerError`` if the device cannot do it.
    public func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        if let pin {
            try Self.check(pin, facts)
        } else if facts.value(DoorLock.requirePINforRemoteOperation) == true {
            let verb = if case .lock = action { "lock" } else { "unlock" }
            throw ControllerError(
                .pinNeeded, "\(facts.title) wants a PIN code", hint: .step("lock.pin", verb, facts.label))
        }
        let code = pin.map { Array($0.utf8) }
        func request(_ command: some ClusterCommand, goal: DoorLock.DlLockState) -> DeviceRequest {
            DeviceRequest(
                command, attribute: DoorLock.Attribute.lockState, goal: goal.tlv, pause: Self.pause)
        }
        switch action {
        case .lock: return request(DoorLock.LockDoor(pinCode: code), goal: .locked)
        case .unlock(nil): return request(DoorLock.UnlockDoor(pinCode: code), goal: .unlocked)
        case .unlock(let seconds?):
            try facts.require(DoorLock.Command.unlockWithTimeout, "lock again after a time")
            return request(DoorLock.UnlockWithTimeout(timeout: seconds, pinCode: code), goal: .unlocked)
        }
    }

    /// The code itself is in no message.
    static func check(_ pin: String, _ facts: DeviceFacts) throws(ControllerError) {
        let remote: FeatureMap = [DoorLock.Feature.pinCredential, DoorLock.Feature.credentialsOverTheAirAccess]
        guard facts.has(remote) else { throw facts.lack("takes no PIN code over the network") }
        guard !pin.isEmpty, pin.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw ControllerError(.outOfLimits, "a PIN code has digits only")
        }
        let shortest = Int(facts.value(DoorLock.minPINCodeLength) ?? 0)
        let longest = Int(facts.value(DoorLock.maxPINCodeLength) ?? .max)
        guard pin.utf8.count >= shortest, pin.utf8.count <= longest else {
            throw ControllerError(.outOfLimits, "the PIN codes of \(facts.title) have \(shortest) to \(longest) digits")
        }
    }
}
