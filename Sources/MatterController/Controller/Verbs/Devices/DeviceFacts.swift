package import MatterModel

/// A cluster of a device in the device's own words, for verbs that ask first what it can do.
///
/// A device that leaves out its features or its commands decides by itself.
public struct DeviceFacts: Sendable {
    /// The device in messages: `node 'door'`.
    package let title: String
    /// The device as it is typed: `door`.
    package let label: String
    private let values: [AttributeID: TLVValue]

    package init(title: String, label: String, values: [AttributeID: TLVValue]) {
        self.title = title
        self.label = label
        self.values = values
    }

    /// Of a device that was not asked.
    public init(unasked title: String, label: String) { self.init(title: title, label: label, values: [:]) }

    /// An attribute; `nil` if the device has none, it is null, or its value is of another type.
    func value<Value>(_ attribute: TypedAttribute<Value>) -> Value? {
        values[attribute.id].flatMap { Value(tlv: $0) }
    }

    func value<Value>(_ attribute: TypedAttribute<Value?>) -> Value? {
        values[attribute.id].flatMap { Value(tlv: $0) }
    }

    /// An attribute that the device has, whatever its type.
    subscript(_ attribute: AttributeID) -> TLVValue? { values[attribute] }

    /// Whether the device has all of some features; true if it does not say.
    func has(_ features: FeatureMap) -> Bool {
        values[GlobalAttribute.featureMap].flatMap { FeatureMap(tlv: $0) }?.isSuperset(of: features) ?? true
    }

    /// Whether the device takes a command; true if it does not say.
    func has(_ command: CommandID) -> Bool {
        values[GlobalAttribute.acceptedCommandList]?.items?.contains { $0.integer() == command.rawValue } ?? true
    }

    /// - Parameter what: after "has no", such as `colour temperature`.
    func require(_ features: FeatureMap, _ what: @autoclosure () -> String) throws(ControllerError) {
        guard has(features) else { throw lack("has no \(what())") }
    }

    /// - Parameter what: after "cannot".
    func require(_ command: CommandID, _ what: @autoclosure () -> String) throws(ControllerError) {
        guard has(command) else { throw lack("cannot \(what())") }
    }

    /// - Parameter what: after "has no", such as `setting 'volume'`.
    func require(_ attribute: AttributeID, _ what: @autoclosure () -> String) throws(ControllerError) {
        let list = values[GlobalAttribute.attributeList]?.items
        guard values[attribute] != nil || list?.contains(where: { $0.integer() == attribute.rawValue }) ?? true else {
            throw lack("has no \(what())")
        }
    }

    func lack(_ what: String) -> ControllerError {
        ControllerError(.deviceLacks, "\(title) \(what)", hint: .step("node.show", label))
    }
}
