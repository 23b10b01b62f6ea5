import MatterModel

/// Attributes and further state of clusters as they are saved.
package struct SavedClusters: Sendable, Equatable {
    struct Key: Hashable, Sendable {
        var endpoint: EndpointID
        var cluster: ClusterID
    }

    var attributes: [Key: [AttributeID: TLVValue]] = [:]
    var states: [Key: TLVValue] = [:]

    package init() {}

    /// One structure for each cluster: 0 endpoint, 1 cluster, 2 list of attributes (0 number, 1 value), 3 further state.
    package var tlv: TLVValue {
        let keys = Set(attributes.keys).union(states.keys)
            .sorted { ($0.endpoint, $0.cluster) < ($1.endpoint, $1.cluster) }
        return .array(
            of: keys.map { key in
                var members = [
                    TLVElement(0, key.endpoint.tlv), TLVElement(1, key.cluster.tlv),
                    TLVElement(
                        2,
                        .array(
                            of: (attributes[key] ?? [:]).sorted { $0.key < $1.key }.map {
                                .structure([TLVElement(0, $0.key.tlv), TLVElement(1, $0.value)])
                            })),
                ]
                if let state = states[key] { members.append(TLVElement(3, state)) }
                return .structure(members)
            })
    }

    package init(tlv: TLVValue) throws(TLVError) {
        guard case .array(let members) = tlv else { throw TLVError(.wrongType, "the saved clusters are not a list") }
        for member in members {
            let fields = try TLVFields(member.value, "a saved cluster")
            let key = Key(
                endpoint: EndpointID(try fields.unsigned(0)), cluster: ClusterID(try fields.unsigned(1)))
            for attribute in try fields.array(2) {
                let pair = try TLVFields(attribute, "a saved attribute")
                attributes[key, default: [:]][AttributeID(try pair.unsigned(0))] = try pair.required(1)
            }
            states[key] = fields[3]
        }
    }
}

extension SimulatedNode {
    /// The state of the clusters to save now. What a fail-safe may still undo is saved as it was before.
    var savedClusters: SavedClusters {
        var saved = SavedClusters()
        for (number, endpoint) in endpoints.merging(
            absentParts.mapValues(\.endpoint), uniquingKeysWith: { here, _ in here })
        {
            for entry in endpoint.clusters.values {
                let key = SavedClusters.Key(endpoint: number, cluster: entry.id)
                for attribute in entry.persistentAttributes {
                    saved.attributes[key, default: [:]][attribute] = entry.values[attribute]
                }
                if let state = failSafe?.savedStates[entry.id], number == 0 {
                    saved.states[key] = state
                } else if let state = entry.server?.savedState {
                    saved.states[key] = state
                }
            }
        }
        return saved
    }

    /// The fabrics to save: those that no fail-safe may still take back, as they were before it.
    var savedFabrics: [FabricEntry] {
        fabrics.all.compactMap { fabric in
            guard let failSafe, failSafe.changedFabric == fabric.index else { return fabric }
            return failSafe.replacedFabric.map { fabric.undoingUpdate(of: $0) }
        }
    }

    func reserveEventNumbers() -> UInt64 { events.reserve() }

    func restore(_ saved: SavedClusters) {
        for (key, attributes) in saved.attributes {
            guard let entry = entry(key.endpoint, key.cluster) else { continue }
            for (attribute, value) in attributes where entry.persistentAttributes.contains(attribute) {
                guard let definition = entry.model.attributes[attribute],
                    (try? ValueValidator.check(value, definition.type, .form)) != nil
                else { continue }
                entry.values[attribute] = value
            }
        }
        for (key, state) in saved.states {
            // A state of another version of this program is left out rather than holding up the device.
            call(key.endpoint, key.cluster, .device) { server, _ in try? server.restore(state) }
        }
    }
}
