import MatterModel

/// Alarms for smoke and carbon monoxide (Matter application cluster specification 2.11).
enum SmokeAlarmKind: DeviceKindDeclaration {
    static let name = "smoke-alarm"
    private typealias Attribute = SmokeCoAlarm.Attribute

    static let kind = DeviceKind(
        name, "Alarms for smoke and carbon monoxide.", example: "test attic", trait: "is a smoke alarm",
        synonyms: ["smoke", "alarm", "detector"],
        readings: [
            Reading(SmokeCoAlarm.id, Attribute.expressedState, "state"),
            Reading(SmokeCoAlarm.id, Attribute.smokeState, "smoke"),
            Reading(SmokeCoAlarm.id, Attribute.coState, "carbon monoxide alarm"),
            Reading(SmokeCoAlarm.id, Attribute.batteryAlert, "battery alert"),
            Reading(SmokeCoAlarm.id, Attribute.hardwareFaultAlert, "hardware fault"),
            Reading(SmokeCoAlarm.id, Attribute.endOfServiceAlert, "end of service"),
            Reading(SmokeCoAlarm.id, Attribute.deviceMuted, "muted"),
            Reading(SmokeCoAlarm.id, Attribute.contaminationState, "contamination"),
            Reading(SmokeCoAlarm.id, Attribute.expiryDate, "expires"),
        ],
        glance: [Reading(SmokeCoAlarm.id, Attribute.expressedState, "alarm", glance: .words)],
        verbs: [.init("test", "Let it test itself, which is loud.") { _ in SmokeAlarmVerb.test }])
}

/// Tells an alarm what to do (Matter application cluster specification 2.11.7).
enum SmokeAlarmVerb: DeviceVerb {
    /// Tests itself.
    case test

    /// The cluster that is controlled.
    var cluster: ClusterID { SmokeCoAlarm.id }

    /// The commands for a device with these facts.
    ///
    /// - Throws: ``ControllerError`` if the device cannot do it.
    func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest {
        try facts.require(SmokeCoAlarm.Command.selfTestRequest, "test itself")
        return DeviceRequest(
            .invoke(SmokeCoAlarm.Command.selfTestRequest, nil), attribute: SmokeCoAlarm.Attribute.testInProgress)
    }
}
