import MatterModel

extension Reading {
    /// The attributes that show a device's state at a glance: of every device, and of each kind.
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
