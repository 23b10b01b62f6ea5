public import MatterModel

/// Whatever has modes: a cluster that is derived from Mode Base (Matter application cluster specification 1.10), or Mode Select
/// (1.9). Any device may.
public enum ModeKind: DeviceKindDeclaration {
    /// As it is typed.
    public static let name = "mode"
    /// Those of the data model with ChangeToMode. They are written out, because a look at all clusters costs every command more
    /// than its network does.
    static let clusters: [ClusterID] = [
        ModeSelect.id, RvcRunMode.id, RvcCleanMode.id, 0x0049, 0x0051, 0x0052, 0x0059, 0x009D, 0x009E, 0x009F,
    ]

    /// A mode says the same, however often it is chosen.
    public static var repeatable: [ClusterID: Set<String>] {
        clusters.reduce(into: [:]) { $0[$1] = ["ChangeToMode"] }
    }

    /// Whatever has modes.
    public static let kind = DeviceKind(
        name, "Modes of devices: vacuum cleaners, washing machines, ovens, mode switches.",
        details: """
            A mode is meant by its label, by its purpose (Quick, Night) or by its number. All modes are shown, with the one that \
            each device is in.
            """, example: "robot 'Deep clean'", trait: "has modes",
        readings: clusters.map { Reading($0, DeviceModes.attributes(of: $0).current, "mode") }, news: .modes,
        verbs: [
            // Which cluster is meant, the modes of the device tell.
            .init(
                "set", "Change the mode.",
                value: ValueForm("the label, the purpose or the number of a mode", example: "Warm", any: { $0 }),
                isUsual: true
            ) { word, _ in ModeVerb(ModeSelect.id, word) }
        ])
}
