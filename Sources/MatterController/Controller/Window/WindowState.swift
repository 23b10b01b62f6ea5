import MatterCrypto
package import MatterModel

/// A node's statement on its commissioning window (Matter core specification 11.19.7).
public struct WindowState: Sendable, Equatable {
    /// How the window lets devices in (Matter core specification, 11.19.5.1).
    public enum Mode: String, Sendable {
        /// No window is open.
        case closed
        /// With a passcode that an administrator chose.
        case enhanced
        /// With the passcode that the device was made with.
        case basic
    }

    /// The administrator who opened the window.
    public struct Opener: Sendable, Equatable {
        /// The fabric's place in the device's table; `nil` if the fabric has left meanwhile.
        public var fabricIndex: UInt8?
        /// The id of the vendor (Matter core specification, 2.5.2).
        public var vendorID: UInt16?
        /// The label that the fabric gave itself.
        public var label: String?
        /// Whether the fabric is the one that asks.
        public var isOurs: Bool
    }

    /// Whether it is open, and how.
    public let mode: Mode
    /// `nil` while no window is open, and for one that no administrator opened.
    public let opener: Opener?

    private typealias Attribute = AdministratorCommissioning.Attribute
    private typealias Credentials = NodeOperationalCredentials.Attribute

    private static let status = path(AdministratorCommissioning.id, Attribute.windowStatus)
    private static let fabric = path(AdministratorCommissioning.id, Attribute.adminFabricIndex)
    private static let vendor = path(AdministratorCommissioning.id, Attribute.adminVendorId)
    private static let ownFabric = path(NodeOperationalCredentials.id, Credentials.currentFabricIndex)
    private static let fabrics = path(NodeOperationalCredentials.id, Credentials.fabrics)

    private static func path(_ cluster: ClusterID, _ attribute: AttributeID) -> ConcreteAttributePath {
        ConcreteAttributePath(endpoint: 0, cluster: cluster, attribute: attribute)
    }

    /// The paths to read, also of other fabrics.
    package static let paths = [status, fabric, vendor, ownFabric, fabrics].map { AttributePath($0) }

    /// The window that a read of ``paths`` tells of.
    ///
    /// - Parameter title: the node in messages.
    /// - Throws: ``ControllerError`` `status` if the node does not tell.
    package init(_ result: ReadResult, of title: String) throws(ControllerError) {
        typealias Field = NodeOperationalCredentials.FabricDescriptor.Field
        let status: AdministratorCommissioning.CommissioningWindowStatus = try result.value(at: Self.status, of: title)
        mode =
            switch status {
            case .windowNotOpen: .closed
            case .enhancedWindowOpen: .enhanced
            case .basicWindowOpen: .basic
            default: throw ControllerError(.status, "\(title) says that its window is in state \(status)")
            }
        func number<Number: AttributeValue>(_ path: ConcreteAttributePath) -> Number? {
            result.attribute(path)?.value.flatMap { Number(tlv: $0) }
        }
        let (index, vendorID): (UInt8?, UInt16?) = (number(Self.fabric), number(Self.vendor))
        guard status != .windowNotOpen, index != nil || vendorID != nil else {
            opener = nil
            return
        }
        let fabric = (result.attribute(Self.fabrics)?.value?.items ?? [])
            .compactMap { PartialStructure<NodeOperationalCredentials.FabricDescriptor>(tlv: $0) }
            .first { index != nil && $0[Field.fabricIndex] == index }
        let label = fabric?[Field.label]
        opener = Opener(
            fabricIndex: index,
            vendorID: vendorID ?? fabric?[Field.vendorID],
            label: label?.isEmpty ?? true ? nil : label, isOurs: index != nil && index == number(Self.ownFabric))
    }
}

extension ReadResult {
    /// The value of an attribute that the caller cannot do without.
    ///
    /// - Parameter title: the node in messages.
    /// - Throws: ``ControllerError`` `status` if the node did not report it, or a value of another type.
    package func value<Value: AttributeValue>(
        at path: ConcreteAttributePath, of title: String, as type: Value.Type = Value.self
    ) throws(ControllerError) -> Value {
        let name = ElementPath(endpoint: path.endpoint, cluster: path.cluster, element: path.attribute.rawValue)
            .text(.attribute, in: .standard)
        switch attribute(path)?.outcome {
        case .value(let tlv):
            if let value = Value(tlv: tlv) { return value }
            throw ControllerError(.status, "\(title) answered \(name) with a value of another type")
        case .failure(let status):
            throw ControllerError(.status, "\(title) answered \(name) with \(status)", status: status)
        case .unreadable(let reason):
            throw ControllerError(.status, "\(title) answered \(name) with an answer that breaks the rules: \(reason)")
        case nil:
            throw ControllerError(.status, "\(title) did not report \(name)")
        }
    }
}
