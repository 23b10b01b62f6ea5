import MatterModel

/// The users, codes and schedules of a lock (Matter application cluster specification 5.2.10).
public struct DoorLockUsers: Sendable {
    /// How often a code is given another place if another administrator takes the first.
    private static let attempts = 3
    /// In bytes, of UserName (5.2.10.34.3).
    private static let longestName = 10

    private let device: ServingDevice

    /// The users of this lock.
    public init(_ device: ServingDevice) { self.device = device }

    private var facts: DeviceFacts { device.facts }

    // MARK: Users

    /// The users by index, with the schedules that restrict them.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func users() async throws -> [LockUser] {
        try facts.require(DoorLock.Feature.user, "users")
        var users: [LockUser] = []
        var next: UInt16? = 1
        while let index = next {
            let answer = PartialStructure<DoorLock.GetUserResponse>(try await device.send(LockRequest.user(index)))
            if var user = LockUser(answer) {
                for kind in user.scheduleKinds {
                    user.schedules += LockSchedule.joined(try await schedules(kind, of: user).map(\.schedule))
                }
                users.append(user)
            }
            // A lock that counts backwards would never end.
            next = answer?[DoorLock.GetUserResponse.Field.nextUserIndex].flatMap { $0 > index ? $0 : nil }
        }
        return users
    }

    /// - Parameter word: an index or a name.
    /// - Throws: ``ControllerError`` `unknownLockUser`.
    public func user(_ word: String) async throws -> LockUser {
        let user =
            if let index = UInt16(word) {
                LockUser(PartialStructure(try await device.send(LockRequest.user(max(index, 1)))))
            } else {
                try await users().first { $0.name == word }
            }
        guard let user else {
            throw ControllerError(
                .unknownLockUser, "\(facts.title) has no user '\(word)'", hint: .step("lock.codes", facts.label))
        }
        return user
    }

    // MARK: Codes

    /// Adds a PIN code, for a user or for a new one.
    ///
    /// - Returns: the indices of the user and of the code.
    /// - Throws: ``ControllerError`` `codeTaken`, `lockFull`, `outOfLimits`.
    public func add(
        _ code: String, to user: LockUser? = nil, name: String? = nil
    ) async throws -> (user: UInt16?, credential: UInt16) {
        try facts.require(DoorLock.Feature.user, "users")
        try LockVerb.check(code, facts)
        if let name, name.utf8.count > Self.longestName {
            throw ControllerError(
                .outOfLimits, "the names of the users of a lock have at most \(Self.longestName) bytes")
        }
        let (given, credential) = try await place(code, for: user?.index)
        if let name, let given { try await device.send(LockRequest.modify(given, name: name)) }
        return (given, credential)
    }

    private func place(_ code: String, for user: UInt16?) async throws -> (user: UInt16?, credential: UInt16) {
        var last: (any Error)?
        for _ in 0..<Self.attempts {
            let index = try await freeCredential()
            do {
                typealias Response = DoorLock.SetCredentialResponse
                let answer = PartialStructure<Response>(
                    try await device.send(LockRequest.add(code, at: index, to: user)))
                return (user ?? answer?[Response.Field.userIndex], index)
            } catch let error as ControllerError {
                switch error.refusal?.number {
                case UInt64(DoorLock.DlStatus.duplicate.rawValue):
                    throw renamed(error, .codeTaken, "\(facts.title) has this PIN code already")
                case UInt64(DoorLock.DlStatus.resourceExhausted.rawValue):
                    throw renamed(error, .lockFull, "\(facts.title) has no room for another code")
                case UInt64(DoorLock.DlStatus.occupied.rawValue): last = error
                default: throw error
                }
            }
        }
        throw last ?? CancellationError()
    }

    private func renamed(_ error: ControllerError, _ code: ControllerError.Code, _ reason: String) -> ControllerError {
        var renamed = ControllerError(code, reason, hint: .step("lock.codes", facts.label))
        renamed.refusal = error.refusal
        return renamed
    }

    /// The first index without a PIN code.
    private func freeCredential() async throws -> UInt16 {
        let most = facts.value(DoorLock.numberOfPINUsersSupported) ?? .max
        var index: UInt16 = 1
        while index <= most {
            typealias Response = DoorLock.GetCredentialStatusResponse
            let status = PartialStructure<Response>(try await device.send(LockRequest.credential(index)))
            guard status?[Response.Field.credentialExists] == true else { return index }
            let next = status?[Response.Field.nextCredentialIndex]
            // Nothing is between this code and the next one.
            guard next == index + 1 else { return try checked(index + 1, most) }
            index += 1
        }
        return try checked(index, most)
    }

    private func checked(_ index: UInt16, _ most: UInt16) throws(ControllerError) -> UInt16 {
        guard index > most else { return index }
        throw ControllerError(
            .lockFull, "\(facts.title) has no room for another code", hint: .step("lock.codes", facts.label))
    }

    /// Removes a code of a user, or the user with all codes and schedules.
    ///
    /// - Throws: ``ControllerError`` `unknownLockUser` if the user has no such code.
    public func remove(_ user: LockUser, code: UInt16? = nil) async throws {
        guard let code else {
            try await device.send(LockRequest.clear(user: user.index))
            return
        }
        guard user.credentials.contains(.init(type: .pin, index: code)) else {
            throw ControllerError(
                .unknownLockUser, "user \(user.index) of \(facts.title) has no PIN code \(code)",
                hint: .step("lock.codes", facts.label))
        }
        try await device.send(LockRequest.clear(credential: code))
    }

    // MARK: Schedules

    /// Lets a user open the lock at some times only; takes the place of what restricted the user before.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func restrict(_ user: LockUser, to schedules: [LockSchedule]) async throws {
        for schedule in schedules { try require(schedule.kind) }
        for schedule in schedules {
            let last = try await set(schedule, of: user)
            for other in try await self.schedules(schedule.kind, of: user) where other.index > last {
                try await device.send(LockRequest.clear(schedule.kind, other.index, of: user.index))
            }
        }
        let kinds = Set(schedules.map(\.kind))
        let type: DoorLock.UserType =
            kinds.count > 1
            ? .scheduleRestrictedUser : kinds.contains(.dates) ? .yearDayScheduleUser : .weekDayScheduleUser
        try await device.send(LockRequest.modify(user.index, type: type))
    }

    /// - Returns: the last of the places that the schedule takes, from 1 on.
    private func set(_ schedule: LockSchedule, of user: LockUser) async throws -> UInt8 {
        do {
            try await device.send(LockRequest.set(schedule, 1, of: user.index))
            return 1
        } catch let error as ControllerError where error.status?.status == .invalidCommand {
            // Locks of Matter 1.0 take one day in each schedule, and refuse more with this status.
            let parts = schedule.days
            guard parts.count > 1 else { throw error }
            let most = facts.value(DoorLock.numberOfWeekDaySchedulesSupportedPerUser) ?? .max
            guard parts.count <= Int(most) else {
                throw ControllerError(
                    .outOfLimits,
                    "\(facts.title) takes one day in each schedule, and has room for \(most) of a user, not for \(parts.count)"
                )
            }
            var last: UInt8 = 0
            for part in parts {
                last += 1
                try await device.send(LockRequest.set(part, last, of: user.index))
            }
            return last
        }
    }

    /// Lets a user open the lock at any time.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func unrestrict(_ user: LockUser) async throws {
        try await device.send(LockRequest.modify(user.index, type: .unrestrictedUser))
        for kind in LockSchedule.Kind.allCases where facts.has(kind.feature) {
            try await device.send(LockRequest.clear(kind, of: user.index))
        }
    }

    private func require(_ kind: LockSchedule.Kind) throws(ControllerError) {
        try facts.require(
            [DoorLock.Feature.user, kind.feature], "schedules by \(kind == .dates ? "date" : "week-day")")
    }

    private func schedules(
        _ kind: LockSchedule.Kind, of user: LockUser
    ) async throws -> [(index: UInt8, schedule: LockSchedule)] {
        let count =
            kind == .weekDays
            ? facts.value(DoorLock.numberOfWeekDaySchedulesSupportedPerUser)
            : facts.value(DoorLock.numberOfYearDaySchedulesSupportedPerUser)
        var found: [(UInt8, LockSchedule)] = []
        for index in 1...max(count ?? 1, 1) {
            do {
                let fields = try await device.send(LockRequest.schedule(kind, index, of: user.index))
                if let schedule = LockSchedule(kind, fields) { found.append((index, schedule)) }
            } catch let error as ControllerError
                where error.refusal?.number == UInt64(DoorLock.DlStatus.notFound.rawValue)
            {
                continue
            }
        }
        return found
    }
}

extension LockSchedule.Kind {
    fileprivate var feature: FeatureMap {
        self == .dates ? DoorLock.Feature.yearDayAccessSchedules : DoorLock.Feature.weekDayAccessSchedules
    }
}
