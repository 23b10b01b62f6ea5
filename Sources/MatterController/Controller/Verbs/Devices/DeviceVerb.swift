public import MatterModel

/// Something that a device can be told, and that may depend on what the device has.
public protocol DeviceVerb: Sendable {
    /// The cluster that the device needs.
    var cluster: ClusterID { get }
    /// Whether the device is first asked what it has.
    var asksFirst: Bool { get }

    /// The data to send.
    ///
    /// - Throws: ``ControllerError`` about what the device lacks, or the limits that it has.
    func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest
}

extension DeviceVerb {
    /// Most have to know the device first.
    public var asksFirst: Bool { true }
}

/// The commands that a verb sends to a device.
public struct DeviceRequest: Sendable, Hashable {
    /// An action on a device.
    public enum Action: Sendable, Hashable {
        /// Commands, with what to ask before.
        case invoke(CommandID, TLVValue?)
        /// Writes an attribute.
        case write(AttributeID, TLVValue)

        static func command(_ command: some ClusterCommand) -> Action { .invoke(type(of: command).id, command.tlv) }
    }

    /// An attribute that a request changes.
    struct Aim: Sendable, Hashable {
        let attribute: AttributeID
        /// The value that the attribute gets; `nil` if that is not known.
        let goal: TLVValue?
    }

    /// The action.
    public let action: Action
    /// Tells what came of it.
    public let attribute: AttributeID
    /// The value that the attribute gets; `nil` if that is not known.
    let goal: TLVValue?
    /// The device's name for that value, if it has a name for it.
    var goalName: String?
    /// Other changes.
    var further: [Aim] = []
    /// How long the change takes, as far as the request says.
    let transition: Duration
    /// How long the attribute may keep a value on its way to the goal.
    let pause: Duration
    /// True if the attribute means nothing while the light is off.
    let dependsOnLight: Bool
    /// The note for the user about it.
    public var note: String?

    static let usualPause = Duration.seconds(3)

    init(
        _ action: Action, attribute: AttributeID, goal: TLVValue? = nil, transition: Duration = .zero,
        pause: Duration = usualPause, dependsOnLight: Bool = false
    ) {
        self.action = action
        self.attribute = attribute
        self.goal = goal
        self.transition = transition
        self.pause = pause
        self.dependsOnLight = dependsOnLight
    }

    init(
        _ command: some ClusterCommand, attribute: AttributeID, goal: TLVValue? = nil, transition: Duration = .zero,
        pause: Duration = usualPause
    ) {
        self.init(.command(command), attribute: attribute, goal: goal, transition: transition, pause: pause)
    }

    init<Value>(write attribute: TypedAttribute<Value>, _ value: Value, note: String? = nil) {
        self.init(write: attribute.id, value.tlv)
        self.note = note
    }

    init(write attribute: AttributeID, _ value: TLVValue) {
        self.init(.write(attribute, value), attribute: attribute, goal: value)
    }

    /// All that it changes, the attribute that tells most first.
    var aims: [Aim] { [Aim(attribute: attribute, goal: goal)] + further }

    /// The command for an endpoint, or for a group; `nil` for a write.
    public func command(at endpoint: EndpointID?, of cluster: ClusterID) -> Command? {
        guard case .invoke(let command, let fields) = action else { return nil }
        return fields.map { Command(endpoint: endpoint, cluster: cluster, command: command, fields: $0) }
            ?? Command(endpoint: endpoint, cluster: cluster, command: command)
    }
}
