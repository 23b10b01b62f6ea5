import MatterModel

extension Reading {
    /// What tells the state of a device at a glance: of every device, and of each kind.
    static let state =
        [
            Reading(OnOff.id, OnOff.Attribute.onOff, "on"),
            Reading(LevelControl.id, LevelControl.Attribute.currentLevel, "level"),
        ] + DeviceKind.all.flatMap { $0.kind.glance } + [
            Reading(PowerSource.id, PowerSource.Attribute.batPercentRemaining, "battery"),
            Reading(BridgedDeviceBasicInformation.id, BridgedDeviceBasicInformation.Attribute.reachable, "reachable"),
            Reading(BasicInformation.id, BasicInformation.Attribute.softwareVersionString, "firmware"),
        ]
}
