public import MatterModel

/// The commands that may be sent again if the fate of the first is unknown, and those that are slow.
///
/// In the table are commands that set an absolute state or only read, and whose answer is the same the second time.
/// Other commands run at most once: on purpose, all that count, steps, moves by an amount, toggles,
/// appends, generates or plays; for what answers with an error if it was done already; and for what opens a door or a
/// valve, which might open again what was closed in between.
///
/// The commands of a kind of device stand with the kind (``DeviceKindDeclaration/repeatable``), and not here.
enum RepeatableCommands {
    /// By cluster; the names are those of the compiled-in definitions.
    private static let table: [ClusterID: Set<String>] = [
        Identify.id: ["Identify"],
        Groups.id: ["AddGroup", "ViewGroup", "GetGroupMembership", "RemoveAllGroups"],
        OnOff.id: ["Off", "On", "OffWithEffect"],
        LevelControl.id: ["MoveToLevel", "MoveToLevelWithOnOff", "Stop", "StopWithOnOff", "MoveToClosestFrequency"],
        GeneralCommissioning.id: ["ArmFailSafe", "SetRegulatoryConfig"],
        NetworkCommissioning.id: [
            "ScanNetworks", "AddOrUpdateWiFiNetwork", "AddOrUpdateThreadNetwork", "ReorderNetwork",
        ],
        GeneralDiagnostics.id: ["TimeSnapshot", "PayloadTestRequest"],
        SoftwareDiagnostics.id: ["ResetWatermarks"],
        ThreadNetworkDiagnostics.id: ["ResetCounts"],
        WiFiNetworkDiagnostics.id: ["ResetCounts"],
        EthernetNetworkDiagnostics.id: ["ResetCounts"],
        // Not SetUTCTime: the time in it grows old.
        TimeSynchronization.id: ["SetTrustedTimeSource", "SetTimeZone", "SetDSTOffset", "SetDefaultNTP"],
        NodeOperationalCredentials.id: [
            "AttestationRequest", "CertificateChainRequest", "UpdateFabricLabel", "SetVIDVerificationStatement",
            "SignVIDVerificationRequest",
        ],
        GroupKeyManagement.id: ["KeySetWrite", "KeySetRead", "KeySetReadAllIndices"],
        0x0048: ["Stop"],
        0x0056: ["SetTemperature"],
        0x005D: ["ModifyEnabledAlarms"],
        0x0060: ["Pause", "Stop"],
        0x0080: ["EnableDisableAlarm"],
        0x0095: ["GetDetailedPriceRequest", "GetDetailedForecastRequest"],
        0x0099: ["Disable", "GetTargets"],
        0x00A1: ["ModifyEnabledAlarms"],
        0x00A3: ["ModifyEnabledAlarms"],
        0x0104: ["Stop"],
        0x0205: ["SetSettings"],
        0x0453: ["GetOperationalDataset"],
        0x0552: ["MPTZSetPosition", "MPTZMoveToPreset", "DPTZSetViewport"],
        0x0700: ["GetTariffComponent", "GetDayEntry"],
        0x0801: [
            "FindRootCertificate", "LookupRootCertificate", "FindClientCertificate", "LookupClientCertificate",
        ],
        0x0802: ["FindEndpoint"],
        RainMakerCluster.id: ["SignData"],
        RainMakerController.id: ["ResetRefreshToken", "Authorize", "UpdateUserNOC", "UpdateDeviceList"],
        RainMakerThreadBorderRouter.id: ["ConfigureThreadDataset", "StartThreadNetwork", "StopThreadNetwork"],
        RainMakerParticipantData.id: ["SendData"],
    ]

    /// Commands that devices answer late by their nature: they search, join, move or ask a cloud first.
    private static let work: [ClusterID: [String: Duration]] = [
        NetworkCommissioning.id: ["ScanNetworks": .seconds(45), "ConnectNetwork": .seconds(60)],
        0x0032: ["RetrieveLogsRequest": .seconds(30)],
        DoorLock.id: [
            "LockDoor": .seconds(20), "UnlockDoor": .seconds(20), "UnlockWithTimeout": .seconds(20),
            "UnboltDoor": .seconds(20),
        ],
        RainMakerController.id: [
            "Authorize": .seconds(40), "UpdateUserNOC": .seconds(40), "UpdateDeviceList": .seconds(40),
        ],
    ]

    /// The clusters of the tables, and those of kinds of devices.
    static var clusters: Set<ClusterID> {
        Set(table.keys).union(work.keys).union(DeviceKind.all.flatMap { $0.repeatable.keys })
    }

    static func names(in cluster: ClusterID) -> Set<String> {
        if let names = table[cluster] { return names }
        return DeviceKind.all.reduce(into: []) { $0.formUnion($1.repeatable[cluster] ?? []) }
    }

    static func slowNames(in cluster: ClusterID) -> Set<String> { Set((work[cluster] ?? [:]).keys) }

    static func hasWork(cluster: ClusterID) -> Bool { work[cluster] != nil }
    static func work(cluster: ClusterID, _ name: String) -> Duration? { work[cluster]?[name] }
}

extension Catalogue {
    /// True if a command may be sent a second time if no answer says that it was acted upon. Not a command that no
    /// definition names, nor one that a loaded definition gives another name than the compiled-in one.
    public func mayRepeat(command: CommandID, ofCluster cluster: ClusterID) -> Bool {
        guard let name = self.cluster(cluster)?.command(command)?.name else { return false }
        return RepeatableCommands.names(in: cluster).contains(name)
            && Catalogue.standard.cluster(cluster)?.command(command)?.name == name
    }

    /// True if a plain write of an attribute may be sent a second time, because it sets an absolute state. False for an
    /// attribute without a definition, for one that belongs to an atomic request, and for who may do what: the first write may
    /// take from us the right to the second.
    public func mayRepeat(writeOf attribute: AttributeID, inCluster cluster: ClusterID) -> Bool {
        guard let definition = self.attribute(cluster: cluster, attribute) else { return false }
        return definition.isWritable && !definition.mustAtomicWrite && cluster != AccessControl.id
    }

    /// How long devices are known to take for a command before they answer; `nil` for the usual.
    public func expectedWork(ofCommand command: CommandID, inCluster cluster: ClusterID) -> Duration? {
        // Most clusters have no such command, and need not be looked at.
        guard RepeatableCommands.hasWork(cluster: cluster), let name = self.cluster(cluster)?.command(command)?.name
        else { return nil }
        return RepeatableCommands.work(cluster: cluster, name)
    }
}
