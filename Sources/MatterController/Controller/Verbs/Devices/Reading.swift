public import MatterModel

/// A value that devices measure or tell of themselves, and how it is said.
public struct Reading: Sendable {
    /// The size of one step of the number.
    public enum Scale: Sendable {
        /// As the data model says.
        case model
        /// In a unit that the data model leaves out; nothing of it may have a word of its own.
        case unit(ValueUnit, zero: String? = nil)
        /// A number for each of these words.
        case words([String])
        /// A value of an enumeration of the cluster, or a structure that begins with one.
        case named(String)
        /// The first field of an EnergyMeasurementStruct (Matter application cluster specification 2.12.5.1).
        case energy
        /// In the unit that the cluster's MeasurementUnit names.
        case concentration
        /// A bitmap whose first bit says that a person is there.
        case occupancy
        /// The scene that is the present state, and how many there are.
        case scene
    }

    /// How a value is said at a glance, beside others of its device.
    enum Glance: Sendable {
        /// As everywhere.
        case text
        /// A value of an enumeration, in small words.
        case words
        /// As everywhere, with a word behind it.
        case after(String)
        /// With its name, while another value is one of these numbers.
        case during(String, Set<UInt8>)
        /// In words of its own, if there are any; else as everywhere.
        case instead(@Sendable (TLVValue) -> String?)
        /// In words of its own, if there are any; else not at all.
        case say(@Sendable (TLVValue, _ other: (String) -> TLVValue?) -> String?)
    }

    /// The cluster that has it.
    public let cluster: ClusterID
    package let attribute: AttributeID
    /// Its name, for people and programs.
    public let name: String
    package let scale: Scale
    /// The device type of the endpoints that it is about; `nil` for all.
    package let deviceType: DeviceTypeID?
    let glance: Glance

    init(
        _ cluster: ClusterID, _ attribute: AttributeID, _ name: String, _ scale: Scale = .model,
        on deviceType: DeviceTypeID? = nil, glance: Glance = .text
    ) {
        self.cluster = cluster
        self.attribute = attribute
        self.name = name
        self.scale = scale
        self.deviceType = deviceType
        self.glance = glance
    }

    /// Whether another attribute of the cluster tells its unit.
    var hasMeasurementUnit: Bool { if case .concentration = scale { true } else { false } }

    /// MeasurementUnit of the clusters of concentrations (2.10.6).
    static let measurementUnit = AttributeID(0x0008)
    private static let concentrationUnits = ["ppm", "ppb", "ppt", "mg/m³", "µg/m³", "ng/m³", "particles/m³", "Bq/m³"]
}

extension Reading {
    /// One step of the number; `nil` if it has no unit.
    ///
    /// - Parameter measured: the value of MeasurementUnit, of a concentration.
    public func unit(measured: TLVValue? = nil) -> String? {
        switch scale {
        case .model: type?.unit?.text
        case .unit(let unit, _): unit.text
        case .words, .named: nil
        case .energy: ValueUnit.milliwattHours.text
        case .concentration: Self.concentrationUnit(measured)
        case .occupancy, .scene: nil
        }
    }

    /// The value for programs: the number without its unit, the name, or the word.
    public func plain(_ value: TLVValue) -> String {
        switch scale {
        case .energy:
            ValuePrinter().text(Self.energy(value)?.tlv ?? value, as: nil)
        case .named, .occupancy, .scene: text(value)
        default: ValuePrinter().text(value, as: type)
        }
    }

    /// Whether its values are numbers that can be drawn.
    var isQuantity: Bool {
        switch scale {
        case .model: type.flatMap(QuantityScale.init) != nil
        case .unit, .energy, .concentration: true
        case .words, .named, .occupancy, .scene: false
        }
    }

    /// The value as a number of a unit that people use; `nil` if it is none of those.
    func quantity(_ value: TLVValue, measured: TLVValue?) -> (number: Double?, text: String?, unit: String)? {
        var value = value
        let scale: QuantityScale?
        switch self.scale {
        case .words, .named, .occupancy, .scene: return nil
        case .model: scale = type.flatMap(QuantityScale.init)
        case .unit(let unit, _):
            var type = type
            type?.unit = unit
            scale = type.flatMap(QuantityScale.init)
        case .energy:
            value = Self.energy(value)?.tlv ?? .null
            scale = QuantityScale(decimals: 6, unit: "kWh")
        case .concentration: scale = QuantityScale(decimals: 0, unit: Self.concentrationUnit(measured) ?? "")
        }
        return scale.map { ($0.number(value), $0.text(value), $0.unit) }
    }

    /// The value for people, with its unit.
    public func text(_ value: TLVValue, measured: TLVValue? = nil) -> String {
        if case .null = value { return "unknown" }
        let plain = ValuePrinter().text(value, as: type)
        switch scale {
        case .model:
            if case .bool(let isTrue) = value { return isTrue ? "yes" : "no" }
            return ValuePrinter().meaning(value, as: type) ?? (plain == "[]" ? "none" : plain)
        case .unit(let unit, let zero):
            if let zero, value.integer() == 0 { return zero }
            var type = type
            type?.unit = unit
            return ValuePrinter().meaning(value, as: type) ?? plain
        case .words(let words):
            guard let number: Int = value.integer(), words.indices.contains(number) else { return plain }
            return words[number]
        case .named(let name):
            typealias State = RvcOperationalState.OperationalStateStruct
            let state = PartialStructure<State>(tlv: value)
            let number = state?[State.Field.operationalStateID].map { UInt64($0) } ?? value.integer()
            let definition = Catalogue.standard.cluster(cluster)?.enums.first { $0.name == name }
            return state?[State.Field.operationalStateLabel] ?? number.flatMap { definition?.value($0)?.name } ?? plain
        case .energy:
            guard let energy = Self.energy(value) else { return plain }
            return "\(ValuePrinter.fixed(energy, decimals: 6)) kWh"
        case .concentration: return [plain, Self.concentrationUnit(measured)].compactMap { $0 }.joined(separator: " ")
        case .occupancy:
            guard let bits: UInt64 = value.integer() else { return plain }
            return bits & 1 == 1 ? "occupied" : "unoccupied"
        case .scene: return SceneKind.text(value) ?? "none"
        }
    }

    /// The value at a glance; `nil` if it is not said.
    ///
    /// - Parameter other: another value of the same device, by its name.
    func glance(_ value: TLVValue, measured: TLVValue?, _ other: (String) -> TLVValue?) -> String? {
        let text = text(value, measured: measured)
        switch glance {
        case .text: return text
        case .words: return NameStyle.kebab(text).split(separator: "-").joined(separator: " ")
        case .after(let word): return "\(text) \(word)"
        case .during(let name, let numbers):
            return (other(name)?.integer()).map(numbers.contains) ?? false ? "\(self.name) \(text)" : nil
        case .instead(let words): return words(value) ?? text
        case .say(let words): return words(value, other)
        }
    }

    /// Of an EnergyMeasurementStruct, in milliwatt-hours.
    private static func energy(_ value: TLVValue) -> Int64? {
        PartialStructure(tlv: value)?[ElectricalEnergyMeasurement.EnergyMeasurement.Field.energy]
    }

    package var type: DataType? { Catalogue.standard.attribute(cluster: cluster, attribute)?.type }

    private static func concentrationUnit(_ value: TLVValue?) -> String? {
        guard let number: Int = value?.integer(), concentrationUnits.indices.contains(number) else { return nil }
        return concentrationUnits[number]
    }
}
