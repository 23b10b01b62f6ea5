/// Which clusters the generated table holds, and where. Decoded at first use; a hundred and sixty short lines.
struct CompiledIndex: Sendable {
    static let shared = CompiledIndex()

    /// One cluster of the table.
    struct Entry: Sendable {
        let id: ClusterID
        let name: String
        fileprivate let record: Range<Int>

        fileprivate init(_ line: TableLine) {
            id = line.id(0)
            name = line.string(1)
            let start = Int(line.decimal(2) ?? 0)
            record = start..<(start + Int(line.decimal(3) ?? 0))
        }

        func decode() -> ClusterDefinition {
            RecordDecoder.cluster(TableReader(CatalogueTable.clusters, record))
        }
    }

    /// Ascending by id.
    let entries: [Entry]

    /// All device types of the table, ascending by id.
    static let deviceTypes: [DeviceTypeDefinition] = TableReader(CatalogueTable.deviceTypes).map {
        DeviceTypeDefinition($0)
    }

    private init() { entries = TableReader(CatalogueTable.index).map { Entry($0) } }

    func entry(_ id: ClusterID) -> Entry? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].id == id ? entries[low] : nil
    }

    /// The same for those who ask once: only the line of the cluster is decoded.
    static func onlyEntry(_ id: ClusterID) -> Entry? {
        for line in TableReader(CatalogueTable.index) {
            let found: ClusterID = line.id(0)
            if found >= id { return found == id ? Entry(line) : nil }
        }
        return nil
    }

    func entry(named key: NameKey) -> Entry? {
        entries.first { key.matches($0.name) }
    }
}
