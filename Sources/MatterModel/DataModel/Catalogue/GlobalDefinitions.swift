/// The definitions without a cluster: global types, global attributes, status codes. Decoded at first use.
struct GlobalDefinitions: Sendable {
    static let shared = GlobalDefinitions()

    private(set) var scope = TypeScope(usesGlobalTypes: false)
    private(set) var attributes: [AttributeDefinition] = []
    private(set) var statusCodes: [StatusCodeDefinition] = []

    private init() {
        let lines = Array(TableReader(CatalogueTable.globals))
        statusCodes = lines.filter { $0.kind == UInt8(ascii: "X") }.map { StatusCodeDefinition($0) }
        // Fields of these two types print the words that the Interaction Model's own statuses and events have.
        scope.enums["status"] = EnumDefinition(
            name: "status", bits: 8,
            values: statusCodes.map { .init(number: UInt64($0.code), name: $0.specificationName, label: $0.name) },
            isProvisional: false)
        scope.enums["priority"] = EnumDefinition(
            name: "priority", bits: 8,
            values: [(EventDefinition.Priority.debug, "debug"), (.info, "info"), (.critical, "critical")].map {
                .init(number: UInt64($0.rawValue), name: $1, label: nil)
            },
            isProvisional: false)
        var record = RecordDecoder(scope: scope)
        for line in lines {
            if line.kind == UInt8(ascii: "T") {
                record.scope.semantic[line.string(0)] = TypeScope.Semantic(
                    base: line.string(1), unit: ValueUnit(rawValue: line.string(2)))
            } else {
                record.take(line)
            }
        }
        record.finish()
        attributes = record.cluster.attributes.map { $0.naming(features: []) }.sorted { $0.id < $1.id }
        scope = record.scope
    }
}
