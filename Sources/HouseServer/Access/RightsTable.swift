/// The rows that ``Rights`` follows, each with its reason. What has no row needs `administer`.
enum RightsTable {
    struct InterfaceRow: Sendable {
        let role: Role
        let names: [String]
        let reason: String

        init(_ role: Role, _ names: [String], _ reason: String) {
            (self.role, self.names, self.reason) = (role, names, reason)
        }
    }

    struct ClusterRow: Sendable {
        let cluster: String
        let role: Role
        let commands: [String]
        /// Attributes that may be written; they need the role of the row.
        let attributes: [String]
        /// True if it stays with its role whatever the device type.
        let isHarmless: Bool
        let reason: String

        init(
            _ cluster: String, _ role: Role, _ commands: [String], writing attributes: [String] = [],
            isHarmless: Bool = false, _ reason: String
        ) {
            (self.cluster, self.role, self.commands, self.attributes) = (cluster, role, commands, attributes)
            (self.isHarmless, self.reason) = (isHarmless, reason)
        }
    }

    /// Device types whose endpoints need `unlock` for what is `control` elsewhere.
    static let ways: [(deviceType: String, reason: String)] = [
        ("DoorLock", "a lock of any make, also by another cluster of its endpoint"),
        ("WaterValve", "water or gas flows"),
        ("Closure", "a garage door, a gate, a door"),
        ("ClosurePanel", "a part of a garage door, of a gate, of a door"),
    ]

    /// Commands of the interface that are about no cluster. `device_command`, `batched_device_commands` and `write_attribute`
    /// are judged by what they do.
    static let interface: [InterfaceRow] = [
        InterfaceRow(
            .read, ["start_listening", "server_info", "diagnostics", "get_nodes", "get_node"],
            "they show the house as the server has it"),
        InterfaceRow(
            .read, ["read_attribute", "read", "subscribe", "unsubscribe", "subscribe_attribute"], "values of devices"),
        InterfaceRow(.read, ["ping_node", "get_node_ip_addresses"], "they ask whether a device is there, and where"),
        InterfaceRow(
            .read, ["get_vendor_names", "get_fabric_label", "get_matter_fabrics", "get_loglevel", "get_icd_state"],
            "names and states"),
        InterfaceRow(
            .read, ["get_all_credentials"],
            "ids and names of networks; passwords and datasets are given out to no visitor"),
        InterfaceRow(.read, ["check_node_update"], "it asks the ledger; nothing is installed"),
        InterfaceRow(
            .read, ["discover", "discover_commissionable_nodes"], "it listens for devices that wait; none is joined"),
        InterfaceRow(
            .read, ["get_thread_border_routers", "get_thread_diagnostics", "get_network_topology"],
            "the network as devices report it, without its keys"),
        InterfaceRow(.read, ["parse_onboarding_payload"], "it reads a code that the visitor has already"),
    ]

    private static let off = "it switches, dims and colours"
    private static let mode = "a program of an appliance"
    private static let way = "it opens a way into the house"

    /// Commands and attributes of clusters.
    static let clusters: [ClusterRow] = [
        ClusterRow(
            "Identify", .control, ["Identify", "TriggerEffect"], writing: ["IdentifyTime"], isHarmless: true,
            "it blinks, and moves nothing"),
        ClusterRow(
            "OnOff", .control,
            ["Off", "On", "Toggle", "OffWithEffect", "OnWithRecallGlobalScene", "OnWithTimedOff"],
            writing: ["OnTime", "OffWaitTime"], off),
        ClusterRow(
            "LevelControl", .control,
            [
                "MoveToLevel", "Move", "Step", "Stop", "MoveToLevelWithOnOff", "MoveWithOnOff", "StepWithOnOff",
                "StopWithOnOff", "MoveToClosestFrequency",
            ], off),
        ClusterRow(
            "ColorControl", .control,
            [
                "MoveToHue", "MoveHue", "StepHue", "MoveToSaturation", "MoveSaturation", "StepSaturation",
                "MoveToHueAndSaturation", "MoveToColor", "MoveColor", "StepColor", "MoveToColorTemperature",
                "EnhancedMoveToHue", "EnhancedMoveHue", "EnhancedStepHue", "EnhancedMoveToHueAndSaturation",
                "ColorLoopSet", "StopMoveStep", "MoveColorTemperature", "StepColorTemperature",
            ], off),
        ClusterRow("DynamicLighting", .control, ["StartEffect", "StopEffect"], writing: ["CurrentSpeed"], off),
        ClusterRow(
            "FanControl", .control, ["Step"],
            writing: ["FanMode", "PercentSetting", "SpeedSetting", "RockSetting", "WindSetting", "AirflowDirection"],
            "air moves"),
        ClusterRow(
            "Thermostat", .control, ["SetpointRaiseLower", "SetActiveScheduleRequest", "SetActivePresetRequest"],
            writing: [
                "OccupiedCoolingSetpoint", "OccupiedHeatingSetpoint", "UnoccupiedCoolingSetpoint",
                "UnoccupiedHeatingSetpoint", "SystemMode", "TemperatureSetpointHold", "TemperatureSetpointHoldDuration",
            ], "warmer and colder; limits, presets and schedules are settings"),
        ClusterRow("Humidistat", .control, ["SetSettings"], "drier and damper"),
        ClusterRow(
            "WindowCovering", .control,
            [
                "UpOrOpen", "DownOrClose", "StopMotion", "GoToLiftValue", "GoToLiftPercentage", "GoToTiltValue",
                "GoToTiltPercentage",
            ], "blinds and shutters; garage doors are raised by their device type"),
        ClusterRow("ScenesManagement", .control, ["RecallScene"], "it sets what is stored; to store is a setting"),
        ClusterRow("ScenesManagement", .read, ["ViewScene", "GetSceneMembership"], "they only tell"),
        ClusterRow("Groups", .read, ["ViewGroup", "GetGroupMembership"], "they only tell"),
        ClusterRow("Thermostat", .read, ["GetWeeklySchedule"], "it only tells"),
        ClusterRow("GeneralDiagnostics", .read, ["TimeSnapshot"], "it only tells"),
        ClusterRow("ModeSelect", .control, ["ChangeToMode"], mode),
        ClusterRow("OvenMode", .control, ["ChangeToMode"], mode),
        ClusterRow("OvenCavityOperationalState", .control, ["Start", "Stop"], mode),
        ClusterRow("LaundryWasherMode", .control, ["ChangeToMode"], mode),
        ClusterRow("LaundryWasherControls", .control, [], writing: ["SpinSpeedCurrent", "NumberOfRinses"], mode),
        ClusterRow("LaundryDryerControls", .control, [], writing: ["SelectedDrynessLevel"], mode),
        ClusterRow("RefrigeratorAndTemperatureControlledCabinetMode", .control, ["ChangeToMode"], mode),
        ClusterRow("TemperatureControl", .control, ["SetTemperature"], mode),
        ClusterRow("DishwasherMode", .control, ["ChangeToMode"], mode),
        ClusterRow("MicrowaveOvenControl", .control, ["SetCookingParameters", "AddMoreTime"], mode),
        ClusterRow("OperationalState", .control, ["Pause", "Stop", "Start", "Resume"], mode),
        ClusterRow("RvcRunMode", .control, ["ChangeToMode"], "a robot cleans"),
        ClusterRow("RvcCleanMode", .control, ["ChangeToMode"], "a robot cleans"),
        ClusterRow("RvcOperationalState", .control, ["Pause", "Resume", "GoHome"], "a robot cleans"),
        ClusterRow("ServiceArea", .control, ["SelectAreas", "SkipArea"], "a robot cleans there"),
        ClusterRow("WaterHeaterManagement", .control, ["Boost", "CancelBoost"], "warm water"),
        ClusterRow("WaterHeaterMode", .control, ["ChangeToMode"], "warm water"),
        ClusterRow("EnergyEvse", .control, ["Disable", "EnableCharging"], "a car charges"),
        ClusterRow("EnergyEvseMode", .control, ["ChangeToMode"], "a car charges"),
        ClusterRow("Chime", .control, ["PlayChimeSound"], writing: ["SelectedChime"], "a sound"),
        ClusterRow("Channel", .control, ["ChangeChannel", "ChangeChannelByNumber", "SkipChannel"], "media"),
        ClusterRow("TargetNavigator", .control, ["NavigateTarget"], "media"),
        ClusterRow(
            "MediaPlayback", .control,
            [
                "Play", "Pause", "Stop", "StartOver", "Previous", "Next", "Rewind", "FastForward", "SkipForward",
                "SkipBackward", "Seek", "ActivateAudioTrack", "ActivateTextTrack", "DeactivateTextTrack",
            ], "media"),
        ClusterRow("MediaInput", .control, ["SelectInput", "ShowInputStatus", "HideInputStatus"], "media"),
        ClusterRow("AudioOutput", .control, ["SelectOutput"], "media"),
        ClusterRow("LowPower", .control, ["Sleep"], "media"),
        ClusterRow("KeypadInput", .control, ["SendKey"], "media"),
        ClusterRow("ContentLauncher", .control, ["LaunchContent", "LaunchURL"], "media"),
        ClusterRow("ApplicationLauncher", .control, ["LaunchApp", "StopApp", "HideApp"], "media"),
        // Never in `control`.
        ClusterRow(
            "DoorLock", .unlock, ["LockDoor", "UnlockDoor", "UnlockWithTimeout", "UnboltDoor"],
            "it opens a way into the house; users, codes, schedules and settings are administration"),
        ClusterRow("ClosureControl", .unlock, ["Stop", "MoveTo"], way),
        ClusterRow("ClosureDimension", .unlock, ["SetTarget", "Step"], way),
        ClusterRow("ValveConfigurationAndControl", .unlock, ["Open", "Close"], "water or gas flows"),
    ]
}
