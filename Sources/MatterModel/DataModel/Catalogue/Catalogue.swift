import MatterBase
import Synchronization

/// All clusters, device types and status codes that are known by name: those of the standard and of well-known makers,
/// compiled in, and those that were loaded from files.
///
/// Nothing is decoded before a name or an id is looked up, and then only the record of that one cluster.
public final class Catalogue: Sendable {
    /// The compiled-in catalogue.
    public static let standard = Catalogue()

    /// The specification that the compiled-in standard clusters follow: `1.6`.
    public static let specificationVersion = CatalogueTable.version

    /// The day of the definitions that the compiled-in standard clusters come from: `2026-08-21`.
    public static let day = CatalogueTable.day

    private let loaded: [ClusterDefinition]
    private let loadedDeviceTypes: [DeviceTypeDefinition]
    private let extensions: [ClusterID: [AttributeDefinition]]
    private let decoded = Mutex<[ClusterID: ClusterDefinition]>([:])

    /// The compiled-in and the loaded clusters. A loaded cluster takes the place of a compiled-in one with its id. Two
    /// loaded ones may share an id if they are of two vendors: see ``preferring(vendor:)``.
    ///
    /// - Throws: ``DataModelError`` `badDefinitions` if two loaded clusters of one vendor share an id, or a loaded cluster
    ///   has the name of another loaded or of a standard cluster.
    public init(loaded definitions: [VendorDefinitions]) throws(DataModelError) {
        var clusters: [ClusterDefinition] = []
        var ids: [ClusterID: [(vendor: UInt16?, source: String)]] = [:]
        var names: [NameKey: (id: ClusterID, source: String)] = [:]
        for file in definitions {
            for cluster in file.clusters {
                func refused(_ what: String) -> DataModelError {
                    DataModelError(
                        .badDefinitions, "\(file.source): cluster \(cluster.name) (\(hexadecimal(cluster.id))) \(what)",
                        place: file.source)
                }
                if let other = ids[cluster.id]?.first(where: { $0.vendor == cluster.vendor || $0.vendor == nil }) {
                    throw refused("has the id of one in \(other.source)")
                }
                ids[cluster.id, default: []].append((cluster.vendor, file.source))
                let key = NameKey(cluster.name)
                if let other = names.updateValue((cluster.id, file.source), forKey: key), other.id != cluster.id {
                    throw refused("has the name of \(hexadecimal(other.id)) in \(other.source)")
                }
                clusters.append(cluster)
            }
        }
        for entry in CompiledIndex.shared.entries
        where !definitions.isEmpty && ids[entry.id] == nil && !entry.id.isManufacturerSpecific {
            if let other = names[NameKey(entry.name)] {
                throw DataModelError(
                    .badDefinitions,
                    "\(other.source): cluster \(hexadecimal(other.id)) has the name of \(entry.name) (\(hexadecimal(entry.id)))",
                    place: other.source)
            }
        }
        extensions = definitions.flatMap(\.extensions).reduce(into: [:]) {
            $0[$1.cluster, default: []] += $1.attributes
        }
        loaded = clusters.map { [extensions] in $0.adding(extensions[$0.id]) }
        loadedDeviceTypes = definitions.flatMap(\.deviceTypes)
    }

    private init(_ other: Catalogue, _ clusters: [ClusterDefinition]) {
        loaded = clusters
        extensions = other.extensions
        loadedDeviceTypes = other.loadedDeviceTypes
    }

    private init() {
        loaded = []
        extensions = [:]
        loadedDeviceTypes = []
    }
}

// MARK: - Several vendors

extension Catalogue {
    /// The clusters that several vendors define, by id, with those vendors.
    public var contested: [(id: ClusterID, vendors: [UInt16])] {
        Dictionary(grouping: loaded, by: \.id).filter { $0.value.count > 1 }
            .map { ($0.key, $0.value.compactMap(\.vendor)) }.sorted { $0.id < $1.id }
    }

    /// The catalogue for the nodes of a vendor: of several definitions of one id, that of the vendor comes first.
    public func preferring(vendor: UInt16) -> Catalogue {
        Catalogue(self, loaded.filter { $0.vendor == vendor } + loaded.filter { $0.vendor != vendor })
    }
}

// MARK: - Clusters

extension Catalogue {
    /// The cluster with an id; `nil` if it is not known.
    public func cluster(_ id: ClusterID) -> ClusterDefinition? {
        if let found = loaded.first(where: { $0.id == id }) { return found }
        if let found = decoded.withLock({ $0[id] }) { return found }
        guard let found = CompiledIndex.onlyEntry(id)?.decode().adding(extensions[id]) else { return nil }
        decoded.withLock { $0[id] = found }
        return found
    }

    /// The cluster with a name, printed label or alias; case, blanks, hyphens and underscores do not matter.
    ///
    /// - Throws: ``DataModelError`` `unknownCluster` with the nearest spellings.
    public func cluster(named name: String) throws(DataModelError) -> ClusterDefinition {
        let key = NameKey(name)
        if let found = loaded.first(where: { $0.answers(to: key) }) { return found }
        if let entry = CompiledIndex.shared.entry(named: key), let found = cluster(entry.id) { return found }
        throw DataModelError(
            .unknownCluster, "no cluster is called \(quoted(name))", place: name,
            suggestions: Suggestions.nearest(to: name, among: clusterNames.map(\.name)).map(NameStyle.kebab),
            advice: .step("clusters.all"))
    }

    /// The name of the cluster with an id; decodes nothing.
    public func clusterName(_ id: ClusterID) -> String? {
        loaded.first { $0.id == id }?.name ?? CompiledIndex.shared.entry(id)?.name
    }

    /// Ids and names of all clusters, ascending by id; decodes nothing.
    public var clusterNames: [(id: ClusterID, name: String)] {
        let replaced = Set(loaded.map(\.id))
        let compiled = CompiledIndex.shared.entries.filter { !replaced.contains($0.id) }.map { ($0.id, $0.name) }
        let known = replaced.compactMap { id in clusterName(id).map { (id, $0) } }
        return (compiled + known).sorted { $0.0 < $1.0 }
    }

    /// All clusters, ascending by id; decodes everything.
    public var clusters: [ClusterDefinition] {
        clusterNames.compactMap { cluster($0.id) }
    }

    /// The attributes that every cluster has, known or not.
    public var globalAttributes: [AttributeDefinition] { GlobalDefinitions.shared.attributes }

    /// The attribute of a cluster; global attributes also of unknown clusters.
    public func attribute(cluster: ClusterID, _ attribute: AttributeID) -> AttributeDefinition? {
        guard let cluster = self.cluster(cluster) else { return globalAttributes.first { $0.id == attribute } }
        return cluster.attribute(attribute)
    }
}

// MARK: - Device types and status codes

extension Catalogue {
    /// All device types, ascending by id.
    public var deviceTypes: [DeviceTypeDefinition] {
        let replaced = Set(loadedDeviceTypes.map(\.id))
        return (CompiledIndex.deviceTypes.filter { !replaced.contains($0.id) } + loadedDeviceTypes).sorted {
            $0.id < $1.id
        }
    }

    /// The device type with an id.
    public func deviceType(_ id: DeviceTypeID) -> DeviceTypeDefinition? {
        deviceTypes.first { $0.id == id }
    }

    /// The device type with a name or printed label; case, blanks, hyphens and underscores do not matter.
    ///
    /// - Throws: ``DataModelError`` `unknownDeviceType` with the nearest spellings.
    public func deviceType(named name: String) throws(DataModelError) -> DeviceTypeDefinition {
        let all = deviceTypes
        if let found = all.named(name, \.name, { [$0.label] }) { return found }
        throw DataModelError(
            .unknownDeviceType, "no device type is called \(quoted(name))", place: name,
            suggestions: Suggestions.nearest(to: name, among: all.map(\.name)).map(NameStyle.kebab))
    }

    /// The status codes of the Interaction Model, ascending.
    package var statusCodes: [StatusCodeDefinition] { GlobalDefinitions.shared.statusCodes }

    /// The status code with a number.
    public func statusCode(_ code: UInt8) -> StatusCodeDefinition? {
        statusCodes.first { $0.code == code }
    }
}

extension ClusterDefinition {
    /// With the attributes of a vendor, in place of those that have their ids.
    fileprivate func adding(_ more: [AttributeDefinition]?) -> ClusterDefinition {
        guard let more else { return self }
        var cluster = self
        cluster.attributes = attributes.filter { known in !more.contains { $0.id == known.id } } + more
        return cluster
    }

    fileprivate func answers(to key: NameKey) -> Bool {
        key.matches(name) || key.matches(label) || aliases.contains(where: key.matches)
    }
}

/// An id as people write it: `0x0006`, `0x131BFC00`.
public func hexadecimal(_ id: some DataModelID<UInt32>) -> String { hexadecimal(id.rawValue) }

/// A number in the same form.
public func hexadecimal(_ id: UInt32) -> String {
    "0x" + Hex.number(id, digits: id > 0xFFFF ? 8 : 4, uppercase: true)
}
