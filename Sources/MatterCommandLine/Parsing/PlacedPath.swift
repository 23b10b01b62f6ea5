import MatterController

/// A path of a node that was named by a device behind it, whose endpoint need not be said again.
enum PlacedPath {
    /// What was named, or why it is nothing: what is wrong with a path is said first.
    typealias Place = Result<(node: NodeRecord, endpoint: EndpointID?), any Error>

    /// That of the device; `nil` for a node.
    static func endpoint(_ place: Place?) -> EndpointID? { try? place?.get().endpoint }

    /// The node that was named, if there is one.
    static func nodes(_ place: Place) -> [NodeRecord] { (try? place.get().node).map { [$0] } ?? [] }

    /// The path with the endpoint of the device; as it is if a node was named.
    static func text(_ word: String, at place: Place?) -> String {
        guard let endpoint = endpoint(place),
            word.prefix(while: { !"=<>!".contains($0) }).count(where: { $0 == "/" }) < 2
        else { return word }
        return "\(endpoint)/\(word)"
    }
}
