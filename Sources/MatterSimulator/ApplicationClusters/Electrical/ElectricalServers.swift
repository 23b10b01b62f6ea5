import MatterNetwork

/// Electrical Power Measurement (Matter application cluster specification 2.13) of what is plugged in, at 230 V.
///
/// A person sets the power that it takes while it is on, in watts: `60`.
struct ElectricalPowerServer: ClusterServer {
    private typealias Attribute = ElectricalPowerMeasurement.Attribute

    private static let millivolts: Int64 = 230_000
    /// In milliwatts.
    private static let most: Int64 = 3_680_000

    let id = ElectricalPowerMeasurement.id
    let featureMap: FeatureMap = ElectricalPowerMeasurement.Feature.alternatingCurrent
    let observedClusters: Set<ClusterID> = [OnOff.id]
    let initialAttributes: [AttributeID: TLVValue] = [
        // AC.
        Attribute.powerMode: .uint(2), Attribute.numberOfMeasurementTypes: .uint(1),
        Attribute.accuracy: .array(of: [Accuracy.tlv(of: .activePower, upTo: most)]),
        Attribute.voltage: .number(millivolts), Attribute.activeCurrent: .int(0), Attribute.activePower: .int(0),
        Attribute.frequency: .int(50_000),
    ]
    /// In milliwatts, while it is on.
    private var load: Int64 = 60_000

    init() {}

    mutating func start(_ context: ClusterContext) { measure(context) }

    mutating func siblingChanged(_ cluster: ClusterID, _ attribute: AttributeID, _ context: ClusterContext) {
        measure(context)
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words.count == 1, let hundredths = words.first.flatMap(TypedNumber.hundredths),
            (0...Self.most).contains(Int64(hundredths) * 10)
        else { return false }
        load = Int64(hundredths) * 10
        measure(context)
        return true
    }

    private func measure(_ context: ClusterContext) {
        let isOn = context.sibling(OnOff.id)?.bool(OnOff.Attribute.onOff) ?? true
        let power = isOn ? load : 0
        context[Attribute.activePower] = .int(power)
        context[Attribute.activeCurrent] = .int(power * 1000 / Self.millivolts)
    }
}

/// Electrical Energy Measurement (2.12): the energy used since the device was new, in milliwatt-hours.
struct ElectricalEnergyServer: ClusterServer {
    private typealias Attribute = ElectricalEnergyMeasurement.Attribute

    private static let most: Int64 = 1_000_000_000_000
    private static let hour: Double = 3600

    let id = ElectricalEnergyMeasurement.id
    let featureMap: FeatureMap = [
        ElectricalEnergyMeasurement.Feature.importedEnergy, ElectricalEnergyMeasurement.Feature.cumulativeEnergy,
    ]
    let observedClusters: Set<ClusterID> = [ElectricalPowerMeasurement.id]
    let quietAttributes: Set<AttributeID> = [Attribute.cumulativeEnergyImported]
    let initialAttributes: [AttributeID: TLVValue] = [
        Attribute.accuracy: Accuracy.tlv(of: .electricalEnergy, upTo: most),
        Attribute.cumulativeEnergyImported: ElectricalEnergyMeasurement.EnergyMeasurement(energy: 0).tlv,
    ]
    /// Milliwatt-hours up to ``since``, and the milliwatts from then on.
    private var used: Double = 0
    private var since: Instant?
    private var power: Double = 0

    init() {}

    var savedState: TLVValue? { .structure([TLVElement(0, .number(Int64(used)))]) }

    mutating func restore(_ state: TLVValue) throws(TLVError) {
        used = Double(state.field(0)?.integer(as: Int64.self) ?? 0)
    }

    mutating func siblingChanged(_ cluster: ClusterID, _ attribute: AttributeID, _ context: ClusterContext) {
        guard attribute == ElectricalPowerMeasurement.Attribute.activePower else { return }
        used = energy(context)
        since = context.now
        let measured: Int64? = context.sibling(ElectricalPowerMeasurement.id)?.number(attribute)
        power = Double(measured ?? 0)
        context.markUnsaved()
        context.touch(Attribute.cumulativeEnergyImported)
    }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        guard attribute == Attribute.cumulativeEnergyImported else { return nil }
        return ElectricalEnergyMeasurement.EnergyMeasurement(energy: Int64(energy(context))).tlv
    }

    /// A person sets the meter, in watt-hours.
    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words.count == 1, let hundredths = words.first.flatMap(TypedNumber.hundredths), hundredths >= 0 else {
            return false
        }
        used = Double(hundredths) * 10
        since = context.now
        context.markUnsaved()
        context.touch(Attribute.cumulativeEnergyImported)
        return true
    }

    private func energy(_ context: ClusterContext) -> Double {
        used + (since.map { (context.now - $0) / .seconds(1) * power / Self.hour } ?? 0)
    }
}

/// Power Topology (11.8): the measurements are about the whole node.
struct PowerTopologyServer: ClusterServer {
    let id: ClusterID = 0x009C
    /// NODE.
    let featureMap = FeatureMap(bit: 0)
    var initialAttributes: [AttributeID: TLVValue] { [:] }

    init() {}
}

/// MeasurementAccuracyStruct (2.1.4.3): one range, one percent.
private enum Accuracy {
    static func tlv(of type: GlobalTypes.MeasurementType, upTo most: Int64) -> TLVValue {
        GlobalTypes.MeasurementAccuracy(
            measurementType: type, measured: true, minMeasuredValue: 0,
            maxMeasuredValue: most,
            accuracyRanges: [GlobalTypes.MeasurementAccuracyRange(rangeMin: 0, rangeMax: most, percentMax: 100)]
        ).tlv
    }
}
