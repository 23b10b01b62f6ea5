import MatterModel

/// The examination of what a node says by the rules of the data model. It does nothing but think.
struct ConformanceExamination {
    /// Where a finding is.
    struct Place {
        var endpoint: EndpointID?
        var cluster: ClusterID?
        var element: String?

        func naming(_ element: String) -> Place { Place(endpoint: endpoint, cluster: cluster, element: element) }
    }

    /// The reasons to judge a device in use more mildly than its rule says.
    struct Tolerance {
        var cap: ConformanceSeverity = .failure
        var isMilder = false

        static let none = Tolerance()
        static let note = Tolerance(cap: .note)
    }

    let node: NodeStatement
    let tree: NodeTree
    let isStrict: Bool
    let catalogue: Catalogue
    var findings: [ConformanceFinding] = []
    private var clusters: [ClusterID: ClusterDemands?] = [:]
    private var deviceTypes: [DeviceTypeID: DeviceTypeDemands?] = [:]

    /// - Parameter changed: demands in place of the model's, of a specification that is not out yet.
    init(
        _ node: NodeStatement, isStrict: Bool, catalogue: Catalogue = .standard,
        changed: [ClusterID: ClusterDemands] = [:]
    ) {
        clusters = changed.mapValues { .some($0) }
        self.node = node
        tree = NodeTree(node)
        self.isStrict = isStrict
        self.catalogue = catalogue
    }

    /// The judgement.
    static func report(
        on node: NodeStatement, isStrict: Bool, catalogue: Catalogue = .standard,
        changed: [ClusterID: ClusterDemands] = [:]
    ) -> ConformanceReport {
        var examination = ConformanceExamination(node, isStrict: isStrict, catalogue: catalogue, changed: changed)
        examination.run()
        return ConformanceReport(
            specification: ConformanceModel.version, specificationVersion: examination.specificationVersion,
            isStrict: isStrict, endpoints: node.endpointNumbers,
            clusters: node.endpointNumbers.flatMap { endpoint in
                (node.endpoints[endpoint]?.keys.sorted() ?? []).map {
                    .init(endpoint: endpoint, cluster: $0, name: catalogue.clusterName($0) ?? hexadecimal($0))
                }
            },
            attributes: node.attributeCount, findings: examination.sorted)
    }

    private mutating func run() {
        examineNode()
        for endpoint in node.endpointNumbers {
            examineDescriptor(endpoint)
            examineDeviceTypes(endpoint)
            for (_, cluster) in (node.endpoints[endpoint] ?? [:]).sorted(by: { $0.key < $1.key }) {
                examine(cluster, at: endpoint)
            }
        }
        examineDefaults()
    }

    private var sorted: [ConformanceFinding] {
        findings.enumerated().sorted { one, other in
            let keys = [one, other].map { item in
                (Int(item.element.endpoint?.rawValue ?? 0), Int(item.element.cluster?.rawValue ?? 0))
            }
            if keys[0] != keys[1] { return keys[0] < keys[1] }
            if one.element.severity != other.element.severity { return one.element.severity > other.element.severity }
            return one.offset < other.offset
        }.map(\.element)
    }

    // MARK: Findings

    mutating func find(
        _ rule: ConformanceRule, _ place: Place, expected: String, found: String, _ tolerance: Tolerance = .none
    ) {
        var severity = rule.strictSeverity
        if !isStrict {
            severity = min(rule.severity, tolerance.cap)
            if tolerance.isMilder { severity = severity.milder }
        }
        findings.append(
            ConformanceFinding(
                kind: rule, severity: severity, endpoint: place.endpoint, cluster: place.cluster,
                clusterName: place.cluster.flatMap(catalogue.clusterName), element: place.element, expected: expected,
                found: found))
    }

    // MARK: The model

    mutating func demands(_ cluster: ClusterID) -> ClusterDemands? {
        if let known = clusters[cluster] { return known }
        let found = ConformanceModel.cluster(cluster)
        clusters[cluster] = .some(found)
        return found
    }

    mutating func demands(_ deviceType: DeviceTypeID) -> DeviceTypeDemands? {
        if let known = deviceTypes[deviceType] { return known }
        let found = deviceType == DeviceTypeDemands.base ? nil : ConformanceModel.deviceType(deviceType)
        deviceTypes[deviceType] = .some(found)
        return found
    }

    /// The demands that hold for every endpoint.
    static let base = ConformanceModel.deviceType(DeviceTypeDemands.base)

    /// Whether an endpoint stands for a device behind a bridge.
    func isBridged(_ endpoint: EndpointID) -> Bool { node.cluster(endpoint, BridgedDeviceBasicInformation.id) != nil }

    /// The specification that the node names: from Matter 1.3 on. 0 stands for an earlier one.
    var specificationVersion: UInt32? {
        node.value(BasicInformation.specificationVersion, 0).flatMap { $0 == 0 ? nil : $0 }
    }

    /// The number in words: `OnOff (0x0006)`.
    func name(_ cluster: ClusterID) -> String {
        catalogue.clusterName(cluster).map { "\($0) (\(hexadecimal(cluster)))" } ?? hexadecimal(cluster)
    }

    mutating func name(_ deviceType: DeviceTypeID) -> String {
        demands(deviceType).map { "\($0.name) (\(hexadecimal(deviceType)))" } ?? hexadecimal(deviceType)
    }
}

extension UInt32 {
    /// The number of the manufacturer who has given it (Matter core specification 7.19.2.1); `nil` for the standard.
    var manufacturer: UInt16? { self >> 16 == 0 ? nil : UInt16(self >> 16) }

    /// Whether the manufacturer is one of those for tests.
    var isOfTestVendor: Bool { manufacturer.map { (0xFFF1...0xFFF4).contains($0) } ?? false }
}

/// A manufacturer in words.
func manufacturerName(_ number: UInt16) -> String {
    VendorNames.name(of: number) ?? "vendor \(hexadecimal(UInt32(number)))"
}
