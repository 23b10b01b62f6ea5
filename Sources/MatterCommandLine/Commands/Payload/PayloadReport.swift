import MatterController

extension Report {
    /// The purpose of the command is to show the passcode.
    init(_ payload: SetupPayload) {
        let more = payload.extensionData
        let vendor = more.vendorElements
        self.init {
            Field("vendorId", payload.vendorID, label: "vendor id")
            Field("productId", payload.productID, label: "product id")
            Field("flow", payload.commissioningFlow.label, label: "flow")
            Field("capabilities", payload.discoveryCapabilities?.names, label: "capabilities")
            Field("discriminator", payload.discriminator.long, label: "discriminator")
            Field("shortDiscriminator", payload.discriminator.short, label: "short discriminator")
            Field("passcode", payload.passcode.value, label: "passcode")
            Field("serialNumber", more.serialNumber, label: "serial number")
            Field("pbkdf2Iterations", more.pbkdf2Iterations, label: "PBKDF2 iterations")
            Field("pbkdf2Salt", more.pbkdf2Salt.map(JSONValue.octets), label: "PBKDF2 salt")
            Field("numberOfDevices", more.numberOfDevices, label: "devices")
            Field("commissioningTimeoutSeconds", more.commissioningTimeout, label: "timeout")
            if !vendor.isEmpty {
                Field("vendorElements", Report { for element in vendor { Field("\(element.tag)", element.value) } })
            }
            for element in vendor {
                Field(label: "vendor element \(element.tag)", [TerminalText.text(element.value.json)])
            }
        }
    }
}

extension SetupPayload.CommissioningFlow {
    fileprivate var label: String {
        switch self {
        case .standard: "standard"
        case .userIntent: "user-intent"
        case .custom: "custom"
        }
    }
}
