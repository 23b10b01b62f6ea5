import MatterController

/// A path of a node, which need not say its endpoint: that of a device behind a bridge that was named, or the only one that has the
/// cluster.
enum PlacedPath {
    /// The named element, or the reason why there is none: what is wrong with a path is said first.
    typealias Place = Result<(node: NodeRecord, endpoint: EndpointID?), any Error>

    /// That of the device; `nil` for a node.
    static func endpoint(_ place: Place?) -> EndpointID? { try? place?.get().endpoint }

    /// The node that was named, if there is one.
    static func nodes(_ place: Place) -> [NodeRecord] { (try? place.get().node).map { [$0] } ?? [] }

    /// The path with its endpoint: that of the device, or the only one that has the cluster; at several nodes, all that have it.
    ///
    /// - Throws: ``ControllerError`` `ambiguousEndpoint`, `unsupportedCluster`.
    static func text(_ word: String, at place: Place?, in catalogue: Catalogue) throws -> String {
        if word == everything { return text(everything + "/" + everything, with: endpoint(place)) }
        let parts = word.prefix { !"=<>!".contains($0) }.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count < 3, let first = parts.first.map(String.init) else { return word }
        if let endpoint = endpoint(place) { return "\(endpoint)/\(word)" }
        guard first != everything, NameRule.parseNumber(first) == nil,
            let cluster = try? catalogue.cluster(named: first)
        else { return word }
        guard let place else { return "\(everything)/\(word)" }
        // The path is right as far as can be seen, so a name of no node is told.
        let node = try place.get().node
        guard !node.endpoints.isEmpty else { return word }
        let endpoint = try node.endpoint(
            serving: cluster.id, named: nil, clusterName: NameStyle.kebab(cluster.name),
            example: { "\($0)/\(word)" })
        return "\(endpoint)/\(word)"
    }

    private static let everything = "*"

    private static func text(_ path: String, with endpoint: EndpointID?) -> String {
        endpoint.map { "\($0)/*" } ?? path
    }
}
