import MatterModel

/// Things that a maker may have forgotten: values and clusters of examples.
extension ConformanceExamination {
    private static let testClusters: Set<ClusterID> = [0xFFF1_FC05, 0xFFF1_FC06, 0xFFF1_FC20]
    private static let lastVendor: UInt16 = 0xFFF0
    private static let exampleLabels: [(label: String, value: String)] = [
        ("room", "bedroom 2"), ("orientation", "north"), ("floor", "2"), ("direction", "up"),
    ]

    mutating func examineDefaults() {
        examineProduct()
        examineCalendar()
        for endpoint in node.endpointNumbers {
            let servers = tree.servers(endpoint)
            for cluster in servers.intersection(Self.testClusters).sorted() {
                find(
                    .defaultTestCluster, Place(endpoint: endpoint, cluster: cluster), expected: "clusters of a product",
                    found: name(cluster))
            }
            examineLabels(endpoint)
            examinePowerSource(endpoint)
            examineClosure(servers, endpoint)
        }
    }

    private mutating func examineProduct() {
        func place(_ attribute: String) -> Place {
            Place(endpoint: 0, cluster: BasicInformation.id, element: attribute)
        }
        for (attribute, name): (TypedAttribute<String>, String) in [
            (BasicInformation.vendorName, "VendorName"), (BasicInformation.productName, "ProductName"),
        ] {
            if let text: String = node.value(attribute, 0), text.lowercased().contains("test") {
                find(.defaultNames, place(name), expected: "a name without 'test'", found: text)
            }
        }
        if let vendor: UInt16 = node.cluster(0, BasicInformation.id)?.value(BasicInformation.Attribute.vendorID)?
            .integer(), vendor == 0 || vendor > Self.lastVendor
        {
            find(
                .defaultVendor, place("VendorID"), expected: "0x0001 to 0xFFF0", found: hexadecimal(UInt32(vendor)))
        }
    }

    private mutating func examineCalendar() {
        let calendar: TimeFormatLocalization.CalendarType? = node.value(TimeFormatLocalization.activeCalendarType, 0)
        guard calendar == .buddhist else { return }
        find(
            .defaultCalendar,
            Place(endpoint: 0, cluster: TimeFormatLocalization.id, element: "ActiveCalendarType"),
            expected: "the calendar of the product's market", found: "Buddhist")
    }

    private mutating func examineLabels(_ endpoint: EndpointID) {
        guard let labels: [FixedLabel.Label] = node.value(FixedLabel.labelList, endpoint) else { return }
        let examples = labels.filter { label in
            Self.exampleLabels.contains { $0.label == label.label.lowercased() && $0.value == label.value.lowercased() }
        }
        guard labels.isEmpty || !examples.isEmpty else { return }
        find(
            .defaultLabels, Place(endpoint: endpoint, cluster: FixedLabel.id, element: "LabelList"),
            expected: "labels of the product",
            found: labels.isEmpty
                ? "none" : examples.map { "\($0.label)=\($0.value)" }.joined(separator: ", "))
    }

    /// EndpointList names what a power source supplies (Matter core specification 11.7.7.32).
    private mutating func examinePowerSource(_ endpoint: EndpointID) {
        guard let supplied: [EndpointID] = node.value(PowerSource.endpointList, endpoint) else { return }
        let strange = Set(supplied).subtracting(node.endpointNumbers)
        guard !strange.isEmpty || Set(supplied).count < supplied.count else {
            return examinePowerSource(ofBridged: endpoint, Set(supplied))
        }
        find(
            .powerEndpoints, Place(endpoint: endpoint, cluster: PowerSource.id, element: "EndpointList"),
            expected: "endpoints of the node: \(Self.text(Set(node.endpointNumbers)))",
            found: supplied.map(\.description).joined(separator: ", "))
    }

    /// The source of a bridged device supplies that device, not the bridge or its other devices.
    private mutating func examinePowerSource(ofBridged endpoint: EndpointID, _ supplied: Set<EndpointID>) {
        let family = tree.descendants(endpoint).union([endpoint])
        guard isBridged(endpoint), !supplied.isEmpty, supplied != family else { return }
        find(
            .powerEndpoints, Place(endpoint: endpoint, cluster: PowerSource.id, element: "EndpointList"),
            expected: "the bridged device and its parts: \(Self.text(family))", found: Self.text(supplied))
    }

    private static let windowCovering: ClusterID = 0x0102
    private static let closures: Set<ClusterID> = [0x0104, 0x0105]

    private mutating func examineClosure(_ servers: Set<ClusterID>, _ endpoint: EndpointID) {
        guard servers.contains(Self.windowCovering), let other = servers.intersection(Self.closures).min() else {
            return
        }
        find(
            .clusterClosure, Place(endpoint: endpoint, cluster: Self.windowCovering),
            expected: "one of WindowCovering and \(name(other))", found: "both")
    }
}
