import MatterDataModel

/// A path of a node that was named by a device behind it, whose endpoint need not be said again.
enum PlacedPath {
    /// - Parameter endpoint: that of the device; `nil` for a node, whose paths stay as they are.
    static func text(_ word: String, at endpoint: EndpointID?) -> String {
        guard let endpoint, word.prefix(while: { !"=<>!".contains($0) }).count(where: { $0 == "/" }) < 2 else {
            return word
        }
        return "\(endpoint)/\(word)"
    }
}
