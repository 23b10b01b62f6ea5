import MatterDataModel
import MatterInteraction

/// The next step after a status of the Interaction Model (Matter core specification, section 8.10).
enum StatusAdvice {
    /// - Returns: `nil` for a code that has no name here, and where something better is known: a refused access.
    static func remedy(for status: IMStatus, _ target: NodeTarget?) -> String? {
        let node = target?.argument ?? "NODE"
        let state = "matterctl read \(node) EP/CLUSTER"
        return switch status {
        case .unsupportedEndpoint, .unsupportedCluster: "see what it has: matterctl node show \(node)"
        case .unsupportedAttribute: "this device does not support this optional attribute; see its attributes: \(state)"
        case .unsupportedCommand:
            "this device does not support this optional command; see its commands: \(state)/accepted-command-list"
        case .unsupportedEvent:
            "this device does not support this optional event; see its clusters: matterctl node show \(node)"
        case .unsupportedWrite: "this attribute is read-only; see the writable ones: matterctl clusters CLUSTER"
        case .unsupportedRead: "this attribute cannot be read, only written"
        case .constraintError:
            "the value is outside the range the device allows; the limits: matterctl clusters CLUSTER"
        case .dynamicConstraintError: "the value does not match the device's present settings; see them: \(state)"
        case .invalidDataType: "the device needs a value of another type; see the types: matterctl clusters CLUSTER"
        case .invalidCommand: "a field is missing or has the wrong type; see the fields: matterctl clusters CLUSTER"
        case .failure: "the device gives no reason; see its state: \(state)"
        case .invalidInState: "the device cannot do this in its present state; see it: \(state)"
        case .invalidAction: "the device does not support this request; see its clusters: matterctl node show \(node)"
        case .notFound: "the device has nothing with this id or name; see what it has: \(state)"
        case .alreadyExists: "the device already has this; see what it has: \(state)"
        case .busy: "the device is busy: try again in a moment"
        case .timeout: "the device ran out of time: try again in a moment"
        case .resourceExhausted, .pathsExhausted:
            "the device has no room for that much: request less, or try again in a moment"
        case .dataVersionMismatch: "something in the cluster has changed since: read it again"
        case .needsTimedInteraction: "the device requires a timed interaction: add --timed"
        case .timedRequestMismatch: "the device lost the announcement of a timed interaction: try again"
        case .failsafeRequired:
            "this belongs to commissioning; first invoke general-commissioning/arm-fail-safe"
        case .accessRestricted: "the manufacturer restricts this; its app may be able to allow it"
        case .termsAndConditionsChanged: "accept the new terms and conditions in the manufacturer's app"
        case .maintenanceRequired: "the device needs attention first; see its display or the manufacturer's app"
        case .invalidTransportType: "the device requires TCP, which matterctl does not support"
        case .noUpstreamSubscription: "the device has lost the source of this: try again later"
        case .unsupportedNode: "this device is another node; see where it was last: matterctl node show \(node)"
        default: nil
        }
    }

    /// What to do instead of writing an attribute that the catalogue knows as read-only.
    static func instead(
        ofWriting attribute: AttributeDefinition, at path: ElementPath, _ value: String, _ target: NodeTarget
    ) -> String {
        let name = NameStyle.kebab(attribute.name)
        guard let endpoint = path.endpoint, let cluster = path.cluster else { return "\(name) is read-only" }
        let node = ShellWord.quoted("\(target.word)/\(endpoint)")
        func invoke(_ command: String) -> String { "matterctl invoke \(target.argument) \(endpoint)/\(command)" }
        let command: String?
        switch (cluster, attribute.id) {
        case (0x0006, 0x0000):
            let isOff = ["false", "off", "no", "0"].contains(value.lowercased())
            command = "matterctl \(isOff ? "off" : "on") \(node)"
        case (0x0008, 0x0000): command = "matterctl level \(node) \(ShellWord.quoted(value))"
        case (0x0101, 0x0000): command = invoke("door-lock/lock-door")
        case (0x0102, 0x000E): command = invoke("window-covering/go-to-lift-percentage")
        case (0x0102, 0x000F): command = invoke("window-covering/go-to-tilt-percentage")
        case (0x0300, 0x0000): command = invoke("color-control/move-to-hue")
        case (0x0300, 0x0001): command = invoke("color-control/move-to-saturation")
        case (0x0300, 0x0003), (0x0300, 0x0004): command = invoke("color-control/move-to-color")
        case (0x0300, 0x0007): command = invoke("color-control/move-to-color-temperature")
        default: command = nil
        }
        if let command { return "\(name) is read-only; use: \(command)" }
        let clusterName = path.text(.attribute, in: .standard).split(separator: "/").dropFirst().first.map(String.init)
        return "\(name) is read-only; see what changes it: matterctl clusters \(clusterName ?? hexadecimal(cluster))"
    }
}

/// An error with a next step that only its command knows; it comes behind the error's own.
struct AdvisedError: Error {
    let error: any Error
    let advice: String
}
