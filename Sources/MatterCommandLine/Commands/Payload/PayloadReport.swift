import JSON
import MatterDataModel
import MatterSetupPayload

/// What is printed of a payload: the command's purpose is to show the passcode.
struct PayloadReport {
    private let payload: SetupPayload

    init(_ payload: SetupPayload) { self.payload = payload }

    private var members: [(key: String, label: String, value: JSONValue)] {
        var members: [(String, String, JSONValue)] = []
        func add(_ key: String, _ label: String, _ value: JSONValue?) {
            if let value { members.append((key, label, value)) }
        }
        add("vendorId", "vendor id", payload.vendorID.map { .uint(UInt64($0)) })
        add("productId", "product id", payload.productID.map { .uint(UInt64($0)) })
        add("flow", "flow", .string(payload.commissioningFlow.label))
        add("capabilities", "capabilities", payload.discoveryCapabilities.map { .array($0.names.map { .string($0) }) })
        add("discriminator", "discriminator", payload.discriminator.long.map { .uint(UInt64($0)) })
        add("shortDiscriminator", "short discriminator", .uint(UInt64(payload.discriminator.short)))
        add("passcode", "passcode", .uint(UInt64(payload.passcode.value)))
        let more = payload.extensionData
        switch more.serialNumber {
        case .text(let text): add("serialNumber", "serial number", .string(text))
        case .number(let number): add("serialNumber", "serial number", .uint(UInt64(number)))
        case nil: break
        }
        add("pbkdf2Iterations", "PBKDF2 iterations", more.pbkdf2Iterations.map { .uint(UInt64($0)) })
        add("pbkdf2Salt", "PBKDF2 salt", more.pbkdf2Salt.map { .string("hex:\(Hex.encode($0, uppercase: true))") })
        add("numberOfDevices", "devices", more.numberOfDevices.map { .uint(UInt64($0)) })
        add("commissioningTimeout", "timeout", more.commissioningTimeout.map { .uint(UInt64($0)) })
        return members
    }

    /// What the vendor added, by tag.
    private var vendorElements: [(tag: String, value: JSONValue)] {
        payload.extensionData.vendorElements.map { element in
            switch element.value {
            case .text(let text): (String(element.tag), .string(text))
            case .number(let number): (String(element.tag), .id(signed: number))
            }
        }
    }

    var json: JSONValue {
        var object = JSONObject()
        for member in members { object[member.key] = member.value }
        var vendor = JSONObject()
        for element in vendorElements { vendor[element.tag] = element.value }
        if !vendor.isEmpty { object["vendorElements"] = .object(vendor) }
        return .object(object)
    }

    var lines: [String] {
        members.map { "\($0.label)\t\(TerminalText.text($0.value))" }
            + vendorElements.map { "vendor element \($0.tag)\t\(TerminalText.text($0.value))" }
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
