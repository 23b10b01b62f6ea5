public import MatterModel

/// Locks of doors (Matter application cluster specification 5.2). What is about one user has a command of its own.
public enum LockKind: DeviceKindDeclaration {
    /// As it is typed.
    public static let name = "door-lock"
    private typealias Attribute = DoorLock.Attribute

    /// Not SetUser and SetCredential, which answer OCCUPIED the second time.
    public static var repeatable: [ClusterID: Set<String>] {
        [
            DoorLock.id: [
                "LockDoor", "SetWeekDaySchedule", "GetWeekDaySchedule", "ClearWeekDaySchedule", "SetYearDaySchedule",
                "GetYearDaySchedule", "ClearYearDaySchedule", "SetHolidaySchedule", "GetHolidaySchedule",
                "ClearHolidaySchedule", "GetUser", "GetCredentialStatus",
            ]
        ]
    }

    private static let code = DeviceKind.Option(
        .code, "the PIN code: @FILE, or @- for stdin; without it, a person is asked for it")

    /// Locks of doors.
    public static let kind = DeviceKind(
        name, "The locks of doors: their state, users, codes and settings.",
        details: "A lock that wants a PIN code gets it from a file, from stdin, or asks on a terminal.",
        example: "unlock door --pin @pin.txt --relock-after 30s", trait: "is a lock", synonyms: ["door"],
        readings: [
            Reading(DoorLock.id, Attribute.lockState, "state"), Reading(DoorLock.id, Attribute.doorState, "door"),
            Reading(DoorLock.id, Attribute.operatingMode, "mode"),
            Reading(DoorLock.id, Attribute.actuatorEnabled, "can be moved"),
        ],
        glance: [Reading(DoorLock.id, Attribute.lockState, "lock", glance: .words)],
        verbs: [
            Verb("lock", "Lock a door.", options: [code]) { LockVerb(.lock, pin: $0.code) }.short,
            Verb(
                "unlock", "Unlock a door.", options: [code, .init(.relockAfter, "lock again after this time")]
            ) { parameters in
                // A part of a second is a whole one: 0 might mean never.
                let seconds = parameters.relockAfter.map { UInt16(clamping: Int64(($0 / .seconds(1)).rounded(.up))) }
                return LockVerb(.unlock(relockAfter: seconds), pin: parameters.code)
            }.short,
            Verb("codes", "List the users with their codes; the codes themselves stay in the lock.", own: "NODE"),
            Verb("add-code", "Add a PIN code, for a new user or for one that the lock has.", own: "NODE"),
            Verb("remove-code", "Remove a user with all codes and schedules, or one of the codes.", own: "NODE USER"),
            Verb("restrict", "Let a user open it between two dates only, or on some days and hours.", own: "NODE USER"),
            Verb("unrestrict", "Let a user open it at any time again.", own: "NODE USER"),
            Verb("config", "Show or change its settings.", own: "NODE..."),
        ])

    private typealias Verb = DeviceKind.Verb
}
