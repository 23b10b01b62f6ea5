import MatterModel

/// How the users of a lock are saved: a structure with 0 users and 1 credentials.
extension LockDatabase {
    var tlv: TLVValue {
        .structure([
            TLVElement(0, .array(of: users.sorted { $0.key < $1.key }.map { $0.value.tlv(index: $0.key) })),
            TLVElement(
                1,
                .array(
                    of: credentials.sorted { $0.key < $1.key }.map { index, credential in
                        .structure([
                            TLVElement(0, .number(index)), TLVElement(1, .octets(credential.pin)),
                            TLVElement(2, .number(credential.creator ?? 0)),
                            TLVElement(3, .number(credential.modifier ?? 0)),
                        ])
                    })),
        ])
    }

    init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(tlv, "the users of a lock")
        for saved in try fields.array(1) {
            let fields = try TLVFields(saved, "a credential")
            let index: UInt16 = try fields.unsigned(0)
            guard Self.isIndex(index) else { continue }
            credentials[index] = LockCredential(
                pin: try fields.octets(1), creator: try fields.fabric(2), modifier: try fields.fabric(3))
        }
        for saved in try fields.array(0) {
            let (index, user) = try LockUser.decode(saved)
            guard Self.isIndex(index) else { continue }
            users[index] = user
            users[index]?.credentials.removeAll { credentials[$0] == nil }
        }
        // A code without a user opens nothing and could not be removed.
        for index in credentials.keys where owner(of: index) == nil { credentials[index] = nil }
    }
}

extension LockUser {
    fileprivate func tlv(index: UInt16) -> TLVValue {
        var members = [
            TLVElement(0, .number(index)), TLVElement(1, .string(name)), TLVElement(3, .number(status.rawValue)),
            TLVElement(4, .number(type.rawValue)), TLVElement(5, .number(rule)),
            TLVElement(6, .array(of: credentials.map { .number($0) })), TLVElement(7, .number(creator ?? 0)),
            TLVElement(8, .number(modifier ?? 0)),
            TLVElement(
                9,
                .array(
                    of: weekDaySchedules.sorted { $0.key < $1.key }.map { index, schedule in
                        .array(
                            of: [
                                index, schedule.days, schedule.startHour, schedule.startMinute, schedule.endHour,
                                schedule.endMinute,
                            ].map { .number($0) })
                    })),
            TLVElement(
                10,
                .array(
                    of: yearDaySchedules.sorted { $0.key < $1.key }.map { index, schedule in
                        .array(of: [UInt32(index), schedule.start, schedule.end].map { .number($0) })
                    })),
        ]
        if let uniqueID { members.append(TLVElement(2, .number(uniqueID))) }
        if let firstUsed { members.append(TLVElement(11, .number(firstUsed))) }
        return .structure(members)
    }

    fileprivate static func decode(_ value: TLVValue) throws(TLVError) -> (UInt16, LockUser) {
        let fields = try TLVFields(value, "a user of a lock")
        var user = LockUser()
        user.name = try fields.string(1)
        user.uniqueID = try fields.optionalUnsigned(2)
        user.status = DoorLock.UserStatus(known: try fields.unsigned(3)) ?? .occupiedDisabled
        user.type = DoorLock.UserType(known: try fields.unsigned(4)) ?? .nonAccessUser
        user.rule = try fields.unsigned(5)
        user.credentials = try fields.array(6).compactMap { $0.integer() }
        user.creator = try fields.fabric(7)
        user.modifier = try fields.fabric(8)
        for saved in try fields.array(9) {
            let numbers = (saved.items ?? []).compactMap { $0.integer(as: UInt8.self) }
            guard numbers.count == 6 else { continue }
            user.weekDaySchedules[numbers[0]] = LockWeekDaySchedule(
                days: numbers[1], startHour: numbers[2], startMinute: numbers[3], endHour: numbers[4],
                endMinute: numbers[5])
        }
        for saved in try fields.array(10) {
            let numbers = (saved.items ?? []).compactMap { $0.integer(as: UInt32.self) }
            guard numbers.count == 3, let index = UInt8(exactly: numbers[0]) else { continue }
            user.yearDaySchedules[index] = LockYearDaySchedule(start: numbers[1], end: numbers[2])
        }
        user.firstUsed = try fields.optionalUnsigned(11)
        return (try fields.unsigned(0), user)
    }
}

extension TLVFields {
    /// A fabric index, 0 for none.
    fileprivate func fabric(_ tag: UInt8) throws(TLVError) -> UInt8? {
        let index: UInt8 = try unsigned(tag)
        return index == 0 ? nil : index
    }
}
