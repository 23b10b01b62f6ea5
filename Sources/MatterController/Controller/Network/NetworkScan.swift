public import MatterState

extension AdministrationService {
    /// Lets a node search for networks, the strongest first.
    ///
    /// - Parameters:
    ///   - named: the endpoint that searches; the only one that can by default.
    ///   - ssid: only Wi-Fi networks of this name, also hidden ones.
    ///   - title: the node in messages.
    /// - Throws: ``ControllerError`` `unsupportedCluster` for a node without a radio, `networkRefused` if the search failed.
    public func scanNetworks(
        of node: NodeRecord, endpoint named: EndpointID?, ssid: [UInt8]?, title: String, budget: Budget
    ) async throws -> [SeenNetwork] {
        let state = try await networkState(of: node, title: title, budget: budget)
        let radios = state.commissioning.filter { $0.kind == .wifi || $0.kind == .thread }
        let chosen = named == nil ? radios : radios.filter { $0.endpoint == named }
        guard let radio = chosen.first else {
            let isWired = state.commissioning.contains { $0.kind == .ethernet }
            throw ControllerError(
                .unsupportedCluster,
                named.map { "endpoint \($0) of \(title) has no radio that can search" }
                    ?? (isWired
                        ? "\(title) is on Ethernet, and has no radio that can search"
                        : "\(title) has no radio that can search"),
                hint: .step("net.status", node.label))
        }
        guard chosen.count == 1 else {
            throw ControllerError(
                .ambiguousEndpoint,
                "several endpoints of \(title) can search: "
                    + chosen.map(\.endpoint.description).joined(separator: ", "),
                hint: "name one, as in \(node.label)/\(radio.endpoint)")
        }
        let command = NetworkCommissioningCommand.scan(ssid: ssid).command(to: radio.endpoint)
        let usual = Catalogue.standard.expectedWork(ofCommand: command.path.command, inCluster: command.path.cluster)
        let work = [budget.given, usual, radio.scanPatience].compactMap { $0 }.max()
        let result = try await links.link(to: node).invoke(
            command, NodeLink.Repeatability(of: command, in: .standard), work: work,
            deadline: budget.deadline(for: node, work: work))
        // The response's own text on the search has better words below.
        if case .status = result.outcome { try Outcome.check(result, of: title) }
        return try Self.networks(in: result, of: title)
    }

    private static func networks(in result: CommandResult, of title: String) throws -> [SeenNetwork] {
        typealias Response = NetworkCommissioning.ScanNetworksResponse
        guard let answer = result.answer(as: Response.self), let status = answer[Response.Field.networkingStatus] else {
            throw ControllerError(.networkRefused, "\(title) sent a malformed list of networks")
        }
        // No network is a result too.
        guard status == .success || status == .networkNotFound else {
            let said = answer[Response.Field.debugText].flatMap { $0.isEmpty ? nil : " (\($0))" } ?? ""
            throw ControllerError(
                .networkRefused,
                "\(title) could not search: \(status.words)\(said)")
        }
        return SeenNetwork.all(in: answer)
    }
}
