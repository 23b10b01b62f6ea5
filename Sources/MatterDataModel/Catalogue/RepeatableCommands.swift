/// The commands that may be sent again if the fate of the first is unknown, and those that are slow.
///
/// In the table are commands that set an absolute state or only read, and whose answer is the same the second time.
/// Other commands run at most once: on purpose, all that count, steps, moves by an amount, toggles,
/// appends, generates or plays; for what answers with an error if it was done already; and for what opens a door or a
/// valve, which might open again what was closed in between.
enum RepeatableCommands {
    /// By cluster; the names are those of the compiled-in definitions.
    private static let table: [UInt32: Set<String>] = [
        0x0003: ["Identify"],
        0x0004: ["AddGroup", "ViewGroup", "GetGroupMembership", "RemoveAllGroups"],
        0x0006: ["Off", "On", "OffWithEffect"],
        0x0008: ["MoveToLevel", "MoveToLevelWithOnOff", "Stop", "StopWithOnOff", "MoveToClosestFrequency"],
        0x0030: ["ArmFailSafe", "SetRegulatoryConfig"],
        0x0031: ["ScanNetworks", "AddOrUpdateWiFiNetwork", "AddOrUpdateThreadNetwork", "ReorderNetwork"],
        0x0033: ["TimeSnapshot", "PayloadTestRequest"],
        0x0034: ["ResetWatermarks"],
        0x0035: ["ResetCounts"],
        0x0036: ["ResetCounts"],
        0x0037: ["ResetCounts"],
        // Not SetUTCTime: the time in it grows old.
        0x0038: ["SetTrustedTimeSource", "SetTimeZone", "SetDSTOffset", "SetDefaultNTP"],
        0x003E: [
            "AttestationRequest", "CertificateChainRequest", "UpdateFabricLabel", "SetVIDVerificationStatement",
            "SignVIDVerificationRequest",
        ],
        0x003F: ["KeySetWrite", "KeySetRead", "KeySetReadAllIndices"],
        0x0048: ["Stop"],
        0x0049: changesMode,
        0x0050: changesMode,
        0x0051: changesMode,
        0x0052: changesMode,
        0x0054: changesMode,
        0x0055: changesMode,
        0x0056: ["SetTemperature"],
        0x0059: changesMode,
        0x005D: ["ModifyEnabledAlarms"],
        0x0060: ["Pause", "Stop"],
        0x0061: ["Pause", "GoHome"],
        0x0062: ["AddScene", "ViewScene", "RemoveAllScenes", "RecallScene", "GetSceneMembership"],
        0x0080: ["EnableDisableAlarm"],
        0x0081: ["Close"],
        0x0095: ["GetDetailedPriceRequest", "GetDetailedForecastRequest"],
        0x0099: ["Disable", "GetTargets"],
        0x009D: changesMode,
        0x009E: changesMode,
        0x009F: changesMode,
        0x00A1: ["ModifyEnabledAlarms"],
        0x00A3: ["ModifyEnabledAlarms"],
        // SetUser and SetCredential answer OCCUPIED the second time.
        0x0101: [
            "LockDoor", "SetWeekDaySchedule", "GetWeekDaySchedule", "ClearWeekDaySchedule", "SetYearDaySchedule",
            "GetYearDaySchedule", "ClearYearDaySchedule", "SetHolidaySchedule", "GetHolidaySchedule",
            "ClearHolidaySchedule", "GetUser", "GetCredentialStatus",
        ],
        0x0102: [
            "UpOrOpen", "DownOrClose", "StopMotion", "GoToLiftValue", "GoToLiftPercentage", "GoToTiltValue",
            "GoToTiltPercentage",
        ],
        0x0104: ["Stop"],
        0x0150: ["SelectAreas"],
        0x0201: ["GetWeeklySchedule", "SetActiveScheduleRequest", "SetActivePresetRequest"],
        0x0205: ["SetSettings"],
        0x0300: [
            "MoveToHue", "MoveToSaturation", "MoveToHueAndSaturation", "MoveToColor", "MoveToColorTemperature",
            "EnhancedMoveToHue", "EnhancedMoveToHueAndSaturation", "StopMoveStep",
        ],
        0x0453: ["GetOperationalDataset"],
        0x0504: ["ChangeChannelByNumber"],
        0x0506: ["Play", "Pause", "Stop"],
        0x0507: ["SelectInput", "RenameInput"],
        0x050B: ["SelectOutput", "RenameOutput"],
        0x0552: ["MPTZSetPosition", "MPTZMoveToPreset", "DPTZSetViewport"],
        0x0700: ["GetTariffComponent", "GetDayEntry"],
        0x0801: [
            "FindRootCertificate", "LookupRootCertificate", "FindClientCertificate", "LookupClientCertificate",
        ],
        0x0802: ["FindEndpoint"],
        0x131B_FC00: ["SignData"],
        0x131B_FC01: ["ResetRefreshToken", "Authorize", "UpdateUserNOC", "UpdateDeviceList"],
        0x131B_FC02: ["ConfigureThreadDataset", "StartThreadNetwork", "StopThreadNetwork"],
        0x131B_FC03: ["SendData"],
    ]

    private static let changesMode: Set<String> = ["ChangeToMode"]

    /// Commands that devices answer late by their nature: they search, join, move or ask a cloud first.
    private static let work: [UInt32: [String: Duration]] = [
        0x0031: ["ScanNetworks": .seconds(45), "ConnectNetwork": .seconds(60)],
        0x0032: ["RetrieveLogsRequest": .seconds(30)],
        0x0101: [
            "LockDoor": .seconds(20), "UnlockDoor": .seconds(20), "UnlockWithTimeout": .seconds(20),
            "UnboltDoor": .seconds(20),
        ],
        0x131B_FC01: ["Authorize": .seconds(40), "UpdateUserNOC": .seconds(40), "UpdateDeviceList": .seconds(40)],
    ]

    static var clusters: [UInt32] { Array(Set(table.keys).union(work.keys)) }
    static func names(in cluster: UInt32) -> Set<String> { table[cluster] ?? [] }
    static func slowNames(in cluster: UInt32) -> Set<String> { Set((work[cluster] ?? [:]).keys) }

    static func work(cluster: UInt32, _ name: String) -> Duration? { work[cluster]?[name] }
}

extension Catalogue {
    /// True if a command may be sent a second time if no answer says that it was acted upon. Not a command that no
    /// definition names, nor one that a loaded definition gives another name than the compiled-in one.
    public func mayRepeat(command: UInt32, ofCluster cluster: UInt32) -> Bool {
        guard let name = self.cluster(cluster)?.command(command)?.name else { return false }
        return RepeatableCommands.names(in: cluster).contains(name)
            && Catalogue.standard.cluster(cluster)?.command(command)?.name == name
    }

    /// True if a plain write of an attribute may be sent a second time, because it sets an absolute state. False for an
    /// attribute without a definition, and for one that belongs to an atomic request.
    public func mayRepeat(writeOf attribute: UInt32, inCluster cluster: UInt32) -> Bool {
        guard let definition = self.attribute(cluster: cluster, attribute) else { return false }
        return definition.isWritable && !definition.mustAtomicWrite
    }

    /// How long devices are known to take for a command before they answer; `nil` for the usual.
    public func expectedWork(ofCommand command: UInt32, inCluster cluster: UInt32) -> Duration? {
        guard let name = self.cluster(cluster)?.command(command)?.name else { return nil }
        return RepeatableCommands.work(cluster: cluster, name)
    }
}
