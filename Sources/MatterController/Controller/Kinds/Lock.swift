public import MatterModel

/// Locks of doors (Matter application cluster specification 5.2). What they are told needs a PIN code, which is no argument, so
/// these verbs have commands of their own.
public enum LockKind: DeviceKindDeclaration {
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

    /// Locks of doors.
    public static let kind = DeviceKind(
        "lock", "Locks of doors.", example: "show door", trait: "is a lock", synonyms: ["door"],
        readings: [
            Reading(DoorLock.id, Attribute.lockState, "state"), Reading(DoorLock.id, Attribute.doorState, "door"),
            Reading(DoorLock.id, Attribute.operatingMode, "mode"),
            Reading(DoorLock.id, Attribute.actuatorEnabled, "can be moved"),
        ],
        glance: [Reading(DoorLock.id, Attribute.lockState, "lock", glance: .words)],
        verbs: [
            .init("lock", "Lock a door.") { _ in LockVerb(.lock) },
            .init("unlock", "Unlock a door.") { _ in LockVerb(.unlock(relockAfter: nil)) },
        ])
}
