import MatterNetwork

/// A movement of the bolt, or an attempt.
struct LockOperation: Sendable {
    var type: DoorLock.LockOperationType
    var source: DoorLock.OperationSource
    var user: UInt16?
    var credential: UInt16?

    init(_ type: DoorLock.LockOperationType, from source: DoorLock.OperationSource) {
        self.type = type
        self.source = source
    }
}

/// Locking and unlocking (Matter application cluster specification 5.2.10.1 to 5.2.10.3).
extension DoorLockServer {
    /// LockDoor, UnlockDoor and UnlockWithTimeout.
    mutating func remote(
        _ type: DoorLock.LockOperationType, pin: [UInt8]?, timeout: UInt32? = nil, _ context: ClusterContext
    ) throws(ClusterFailure) {
        let operation = LockOperation(type, from: .remote)
        let mode = context.number(Attribute.operatingMode).flatMap(DoorLock.OperatingMode.init(rawValue:)) ?? .normal
        guard !isLockedOut(context) else { throw refuse(operation, .unspecified, context) }
        guard mode != .noRemoteLockUnlock, mode != .privacy else { throw refuse(operation, .restricted, context) }
        guard let pin else {
            // Without a code nothing was guessed, so nothing is counted.
            if context.bool(Attribute.requirePINforRemoteOperation) {
                throw refuse(operation, .invalidCredential, context)
            }
            actuate(operation, timeout: timeout, context)
            return
        }
        guard use(pin, operation, timeout: timeout, context) else { throw .failure }
    }

    /// A person types a code at the door.
    mutating func keypad(_ type: DoorLock.LockOperationType, pin: [UInt8], _ context: ClusterContext) {
        let operation = LockOperation(type, from: .keypad)
        let mode = context.number(Attribute.operatingMode).flatMap(DoorLock.OperatingMode.init(rawValue:)) ?? .normal
        guard !isLockedOut(context) else { return _ = refuse(operation, .unspecified, context) }
        guard mode != .vacation, mode != .privacy else { return _ = refuse(operation, .restricted, context) }
        _ = use(pin, operation, timeout: nil, context)
    }

    /// - Returns: whether the bolt was moved.
    private mutating func use(
        _ pin: [UInt8], _ attempt: LockOperation, timeout: UInt32?, _ context: ClusterContext
    ) -> Bool {
        guard let credential = database.credential(with: pin), let index = database.owner(of: credential),
            let user = database.users[index]
        else {
            _ = refuse(attempt, .invalidCredential, context)
            countWrongCode(context)
            return false
        }
        wrongCodes = 0
        var operation = attempt
        operation.user = index
        operation.credential = credential
        if let error = obstacle(to: user, operation, context) {
            _ = refuse(operation, error, context)
            return false
        }
        switch user.type {
        case .nonAccessUser:
            operation.type = .nonAccessUserEvent
            emit(operation, context)
            return false
        case .forcedUser:
            context.emit(DoorLock.DoorLockAlarm(alarmCode: .forcedUser))
        case .disposableUser:
            database.users[index]?.status = .occupiedDisabled
            context.markUnsaved()
        case .expiringUser where user.firstUsed == nil:
            let time = localTime(context)
            database.users[index]?.firstUsed = time
            context.markUnsaved()
        default: break
        }
        actuate(operation, timeout: timeout, context)
        return true
    }

    /// Why a user may not do this now.
    private func obstacle(
        to user: LockUser, _ operation: LockOperation, _ context: ClusterContext
    ) -> DoorLock.OperationError? {
        guard user.status == .occupiedEnabled else { return .disabledUserDenied }
        let time = localTime(context)
        func isWithin(_ contains: (UInt32) -> Bool) -> Bool { time.map(contains) ?? false }
        let isInWeek = isWithin { time in user.weekDaySchedules.values.contains { $0.contains(time) } }
        let isInYear = isWithin { time in user.yearDaySchedules.values.contains { $0.contains(time) } }
        let isAllowed =
            switch user.type {
            case .weekDayScheduleUser: isInWeek
            case .yearDayScheduleUser: isInYear
            case .scheduleRestrictedUser:
                // Both kinds bind where both are set; a user without any has no time at all.
                (!user.weekDaySchedules.isEmpty || !user.yearDaySchedules.isEmpty)
                    && (user.weekDaySchedules.isEmpty || isInWeek) && (user.yearDaySchedules.isEmpty || isInYear)
            case .expiringUser: user.firstUsed.map { first in isWithin { $0 < expiry(first, context) } } ?? true
            case .remoteOnlyUser: operation.source == .remote
            default: true
            }
        return isAllowed ? nil : .restricted
    }

    private func expiry(_ firstUsed: UInt32, _ context: ClusterContext) -> UInt32 {
        let minutes: UInt32 = context.number(Attribute.expiringUserTimeout) ?? 0
        return firstUsed &+ minutes &* 60
    }

    /// The device keeps no time zone for the lock: local time is UTC. `nil` without a clock.
    private func localTime(_ context: ClusterContext) -> UInt32? {
        context.epochMicroseconds.map { UInt32(clamping: $0 / 1_000_000) }
    }

    // MARK: The bolt

    mutating func actuate(_ operation: LockOperation, timeout: UInt32?, _ context: ClusterContext) {
        let isUnlock = operation.type == .unlock
        context[Attribute.lockState] = .number((isUnlock ? DoorLock.DlLockState.unlocked : .locked).rawValue)
        var event = operation
        if let user = operation.user.flatMap({ database.users[$0] }), user.type == .forcedUser {
            event.type = .forcedUserEvent
        }
        emit(event, context)
        if isUnlock { scheduleRelock(after: timeout, context) } else { context.cancel(Timer.relock) }
    }

    /// - Parameter timeout: seconds; by default AutoRelockTime, where 0 is never.
    func scheduleRelock(after timeout: UInt32?, _ context: ClusterContext) {
        let seconds = timeout ?? context.number(Attribute.autoRelockTime) ?? 0
        if timeout != nil || seconds > 0 {
            context.schedule(Timer.relock, after: .seconds(Int64(seconds)))
        } else {
            context.cancel(Timer.relock)
        }
    }

    // MARK: Wrong codes

    private mutating func isLockedOut(_ context: ClusterContext) -> Bool {
        guard let until = lockedOutUntil else { return false }
        guard until <= context.now else { return true }
        lockedOutUntil = nil
        return false
    }

    private mutating func countWrongCode(_ context: ClusterContext) {
        wrongCodes += 1
        guard wrongCodes >= context.number(Attribute.wrongCodeEntryLimit) ?? UInt8.max else { return }
        wrongCodes = 0
        let seconds: Int64 = context.number(Attribute.userCodeTemporaryDisableTime) ?? 0
        lockedOutUntil = context.now + .seconds(seconds)
        context.emit(DoorLock.DoorLockAlarm(alarmCode: .wrongCodeEntryLimit))
    }

    // MARK: Events

    private typealias Actor = (fabric: UInt8?, node: UInt64?, credentials: [DoorLock.Credential]?)

    /// Who did it, and with which code.
    private func actor(of operation: LockOperation, _ context: ClusterContext) -> Actor {
        let isRemote = operation.source == .remote
        return (
            isRemote ? context.caller.lockFabric : nil, isRemote ? context.caller.nodeID?.rawValue : nil,
            operation.credential.map { [DoorLockServer.credential($0)] }
        )
    }

    private func emit(_ operation: LockOperation, _ context: ClusterContext) {
        let actor = actor(of: operation, context)
        context.emit(
            DoorLock.LockOperation(
                lockOperationType: operation.type, operationSource: operation.source, userIndex: operation.user,
                fabricIndex: actor.fabric, sourceNode: actor.node, credentials: .some(actor.credentials)))
    }

    /// LockOperationError.
    ///
    /// - Returns: what a command answers.
    private func refuse(
        _ operation: LockOperation, _ error: DoorLock.OperationError, _ context: ClusterContext
    ) -> ClusterFailure {
        let actor = actor(of: operation, context)
        context.emit(
            DoorLock.LockOperationError(
                lockOperationType: operation.type, operationSource: operation.source, operationError: error,
                userIndex: operation.user, fabricIndex: actor.fabric, sourceNode: actor.node,
                credentials: .some(actor.credentials)))
        return .failure
    }
}
