import MatterModel

/// The features, attributes and commands of a cluster, by the conformance that the specification gives them.
extension ConformanceExamination {
    /// The rules for one kind of element.
    private struct Rules {
        var missing: ConformanceRule
        var notAllowed: ConformanceRule
        var choice: ConformanceRule
        var provisional: ConformanceRule
        var deprecated: ConformanceRule
        var unknown: ConformanceRule
        /// Where the elements stand.
        var list: String

        static let features = Rules(
            missing: .featureMissing, notAllowed: .featureNotAllowed, choice: .featureChoice,
            provisional: .featureProvisional, deprecated: .featureNotAllowed, unknown: .featureUnknown,
            list: "FeatureMap")
        static let attributes = Rules(
            missing: .attributeMissing, notAllowed: .attributeNotAllowed, choice: .attributeChoice,
            provisional: .attributeProvisional, deprecated: .attributeDeprecated, unknown: .attributeUnknown,
            list: "AttributeList")
        static let requests = Rules(
            missing: .commandMissing, notAllowed: .commandNotAllowed, choice: .commandChoice,
            provisional: .commandProvisional, deprecated: .commandDeprecated, unknown: .commandUnknown,
            list: "AcceptedCommandList")
        static let responses = Rules(
            missing: .responseMissing, notAllowed: .responseNotAllowed, choice: .commandChoice,
            provisional: .commandProvisional, deprecated: .commandDeprecated, unknown: .responseUnknown,
            list: "GeneratedCommandList")
    }

    mutating func examine(_ cluster: NodeStatement.Cluster, by demands: ClusterDemands, _ place: Place) {
        if let revision = cluster.revision, revision != demands.revision {
            find(
                .clusterRevision, place.naming("ClusterRevision"),
                expected: "\(demands.revision) (Matter \(ConformanceModel.version))", found: "\(revision)")
        }
        guard !demands.isProvisional else {
            find(.clusterProvisional, place, expected: "clusters that are settled", found: demands.name)
            return
        }
        let tolerance = tolerance(cluster, place.endpoint ?? 0)
        let facts = Self.facts(cluster, demands)
        let features = cluster.featureMap ?? 0
        judge(
            demands.features, .features, { features & Self.bit($0) != 0 }, facts, place, tolerance)
        let known = demands.features.reduce(UInt32(0)) { $0 | Self.bit($1.id) }
        for bit in 0..<32 where features & ~known & Self.bit(bit) != 0 {
            find(
                .featureUnknown, place.naming("bit \(bit)"), expected: "bits of the features of \(demands.name)",
                found: "FeatureMap has bit \(bit)", tolerance)
        }
        let attributes = cluster.attributes
        judge(demands.attributes, .attributes, attributes.contains, facts, place, tolerance)
        unknown(
            attributes.filter { $0.rawValue <= 0x4FFF }.subtracting(demands.attributes.map(\.id)), .attributes, demands,
            place, tolerance)
        if let accepted = cluster.acceptedCommands.map({ Set($0) }) {
            judge(demands.requests, .requests, accepted.contains, facts, place, tolerance)
            unknown(
                accepted.filter { $0.rawValue <= 0xFF }.subtracting(demands.requests.map(\.id)), .requests, demands,
                place, tolerance)
        }
        if let generated = cluster.generatedCommands.map({ Set($0) }) {
            judge(demands.responses, .responses, generated.contains, facts, place, tolerance)
            unknown(
                generated.filter { $0.rawValue <= 0xFF }.subtracting(demands.responses.map(\.id)), .responses, demands,
                place, tolerance)
        }
    }

    static func bit(_ number: Int) -> UInt32 { (0..<32).contains(number) ? 1 << UInt32(number) : 0 }

    private mutating func unknown(
        _ ids: some Collection<some DataModelID<UInt32>>, _ rules: Rules, _ demands: ClusterDemands, _ place: Place,
        _ tolerance: Tolerance
    ) {
        for id in ids.sorted() {
            find(
                rules.unknown, place.naming(hexadecimal(id)), expected: "elements of \(demands.name)",
                found: "\(hexadecimal(id)) in \(rules.list)", tolerance)
        }
    }

    private mutating func judge<ID>(
        _ elements: [ClusterDemands.Element<ID>], _ rules: Rules, _ isPresent: (ID) -> Bool,
        _ facts: Conformance.Facts, _ place: Place, _ tolerance: Tolerance
    ) {
        var choices: [Conformance.Choice: [(name: String, isPresent: Bool)]] = [:]
        for element in elements {
            let isThere = isPresent(element.id)
            let place = place.naming(element.name)
            func find(_ rule: ConformanceRule, _ demand: String) {
                self.find(
                    rule, place, expected: "\(demand) (conformance: \(element.conformance.text))",
                    found: isThere ? "\(rules.list) has it" : "\(rules.list) lacks it", tolerance)
            }
            switch element.conformance.verdict(facts) {
            case .mandatory: if !isThere { find(rules.missing, "mandatory") }
            case .notApplicable, .disallowed: if isThere { find(rules.notAllowed, "not allowed") }
            case .deprecated: if isThere { find(rules.deprecated, "deprecated") }
            case .provisional: if isThere { find(rules.provisional, "provisional") }
            case .optional(let choice): choice.map { choices[$0, default: []].append((element.name, isThere)) }
            case .unknown: break
            }
        }
        for (choice, members) in choices.sorted(by: { $0.key.letter < $1.key.letter }) {
            let present = members.filter(\.isPresent).map(\.name)
            guard present.isEmpty || !choice.allowsMore && present.count > 1 else { continue }
            find(
                rules.choice, place.naming(rules.list),
                expected: (choice.allowsMore ? "at least one of " : "one of ")
                    + members.map(\.name).joined(separator: ", "),
                found: present.isEmpty ? "none of them" : present.joined(separator: ", "), tolerance)
        }
    }

    /// The facts that the conditions of a cluster's rules ask for.
    static func facts(_ cluster: NodeStatement.Cluster, _ demands: ClusterDemands) -> Conformance.Facts {
        var present: [String: Bool] = [:]
        var attributes: [String: AttributeID] = [:]
        // A feature comes before an attribute of its name, and an attribute before a command.
        for element in demands.responses {
            present[element.name.lowercased()] = cluster.generatedCommands.map { $0.contains(element.id) }
        }
        for element in demands.requests {
            present[element.name.lowercased()] = cluster.acceptedCommands.map { $0.contains(element.id) }
        }
        let listed = cluster.attributes
        for element in demands.attributes {
            present[element.name.lowercased()] = listed.contains(element.id)
            attributes[element.name.lowercased()] = element.id
        }
        for element in demands.features {
            present[element.name.lowercased()] = cluster.featureMap.map { $0 & bit(element.id) != 0 }
        }
        return Conformance.Facts(
            revision: cluster.revision, holds: { present[$0.lowercased()] },
            number: { attributes[$0.lowercased()].flatMap { cluster.value($0) }?.integer() })
    }
}
