package import MatterState

/// Makes node records of a group's nodes, which other users may have commissioned.
package struct GroupAdoption: Sendable {
    private let members: [CloudGroup.Member]
    private let details: [String: CloudNode]

    package init(members: [CloudGroup.Member], nodes: [CloudNode]) {
        self.members = members
        details = Dictionary(nodes.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The records to write: new ones, and known ones with what the cloud knows better. Names that were given here
    /// stay; names from the cloud are made to fit and to be unique.
    package func records(known: [NodeRecord]) -> [NodeRecord] {
        var names = Set(known.compactMap(\.name))
        var changed: [NodeRecord] = []
        for member in members {
            guard let nodeID = member.matterNodeID ?? details[member.nodeID]?.matterNodeID, nodeID.isOperational else {
                continue
            }
            // A controller without a Matter server has an id on the fabric, and is no device that could be reached.
            if let hub = details[member.nodeID].flatMap({ CloudHub($0) }), !hub.isMatterDevice { continue }
            let before = known.first { $0.nodeID == nodeID }
            var record = before ?? NodeRecord(nodeID: nodeID)
            if let node = details[member.nodeID] {
                if record.name == nil, let name = Self.name(node.name, taken: names) {
                    record.name = name
                    names.insert(name)
                }
                record.vendorID = record.vendorID ?? node.vendorID
                record.productID = record.productID ?? node.productID
                record.vendorName = record.vendorName ?? node.manufacturerName
                record.productName = record.productName ?? node.productName
                record.serialNumber = record.serialNumber ?? node.serialNumber
                if record.endpoints.isEmpty { record.endpoints = Self.endpoints(node) }
            }
            if record != before { changed.append(record) }
        }
        return changed
    }

    private static func endpoints(_ node: CloudNode) -> [NodeRecord.Endpoint] {
        let clusters = node.serverClusters
        // The metadata has one device type for the whole device.
        let main = clusters.keys.filter { $0 != 0 }.min()
        return clusters.sorted { $0.key < $1.key }.map { endpoint, servers in
            NodeRecord.Endpoint(
                number: endpoint, deviceTypes: endpoint == main ? [node.deviceType].compactMap { $0 } : [],
                serverClusters: servers)
        }
    }

    private static let longestName = 60

    /// A name that the rules allow; `nil` if nothing is left of it.
    static func name(_ text: String?, taken: Set<String>) -> String? {
        guard let text else { return nil }
        var name = ""
        for character in text.prefix(longestName) {
            let isAllowed = (try? NameRule.check("x\(character)x", what: "node")) != nil
            name.append(isAllowed ? character : "-")
        }
        while let last = name.last, last == " " || last == "-" { name.removeLast() }
        while let first = name.first, first == " " || first == "-" { name.removeFirst() }
        guard !name.isEmpty else { return nil }
        if (try? NameRule.check(name, what: "node")) == nil { name = "device \(name)" }
        guard (try? NameRule.check(name, what: "node")) != nil else { return nil }
        guard taken.contains(name) else { return name }
        return (2...999).lazy.map { "\(name) \($0)" }.first { !taken.contains($0) }
    }
}
