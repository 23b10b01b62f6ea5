public import MatterState

extension NodeService {
    /// The addresses of a node: those under which it is advertised now, and where it was reached last. Link-local ones have the name of
    /// their interface: `fe80::1%eth0`. None has a port.
    ///
    /// - Returns: each once, the advertised ones first; none if nothing is known.
    /// - Throws: if there is no fabric; `CancellationError`. A search that fails is no error.
    public func addresses(of node: NodeRecord) async throws -> [String] {
        var texts: [String] = []
        if let discovery = context.discovery() {
            let identity = try context.fabric().compressedFabricID.rawValue
            let found = Gathered<Bool, [ResolvedAddress]>()
            _ = try await TimedSearch(time: options.time).run {
                let updates = discovery.resolveOperational(
                    compressedFabricID: identity, nodeID: node.nodeID.rawValue)
                for try await case .found(let place) in updates { found[true] = place.addresses }
            }
            texts = (found[true] ?? []).map { Self.host("\($0)") }
        }
        for address in node.addresses {
            let text = Self.host("\(address)")
            if !texts.contains(text) { texts.append(text) }
        }
        return texts
    }

    /// An address without its port and brackets.
    private static func host(_ text: String) -> String {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            return String(text[text.index(after: text.startIndex)..<end])
        }
        guard let colon = text.lastIndex(of: ":") else { return text }
        return String(text[..<colon])
    }
}
