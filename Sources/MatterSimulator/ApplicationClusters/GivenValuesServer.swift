package import MatterModel

/// Any cluster of the catalogue, with values that the user gives it: a vendor's cluster, say. It takes no commands.
///
/// A person sets an attribute with its name and a value: `watt 12.5`.
struct GivenValuesServer: ClusterServer {
    let id: ClusterID
    let initialAttributes: [AttributeID: TLVValue]

    init(_ id: ClusterID, _ values: [AttributeID: TLVValue]) {
        self.id = id
        initialAttributes = values
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words.count == 2,
            let attribute = try? Catalogue.standard.cluster(id)?.attribute(named: String(words[0])),
            initialAttributes[attribute.id] != nil,
            let parsed = try? ValueParser().value(word: String(words[1]), as: attribute.type, at: attribute.name)
        else { return false }
        context[attribute.id] = parsed.value
        return true
    }
}

extension [EndpointPlan] {
    /// Adds clusters that have nothing but values.
    ///
    /// - Returns: the path of the first value that has no place: its endpoint is not there, or has the cluster already.
    package mutating func add(_ values: [(path: ElementPath, value: TLVValue)]) -> ElementPath? {
        var given: [EndpointID: [ClusterID: [AttributeID: TLVValue]]] = [:]
        for (path, value) in values {
            guard let endpoint = path.endpoint, let cluster = path.cluster, let attribute = path.element,
                indices.contains(Int(endpoint.rawValue) - 1),
                !self[Int(endpoint.rawValue) - 1].servers.contains(where: { $0.id == cluster })
            else { return path }
            given[endpoint, default: [:]][cluster, default: [:]][AttributeID(attribute)] = value
        }
        for (endpoint, clusters) in given {
            self[Int(endpoint.rawValue) - 1].servers += clusters.map { GivenValuesServer($0.key, $0.value) }
        }
        return nil
    }
}
