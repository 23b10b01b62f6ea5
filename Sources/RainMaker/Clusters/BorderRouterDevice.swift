import MatterController

/// The older cluster of Thread border routers (docs/rainmaker.md).
package struct BorderRouterDevice: Sendable {
    package static let cluster = RainMakerThreadBorderRouter.id
    package static let name = "RainMakerThreadBorderRouter"
    /// The longest operational dataset, bytes (Thread specification, 8.10.1).
    private static let longestDataset = 254

    private typealias Attribute = RainMakerThreadBorderRouter.Attribute
    private typealias Command = RainMakerThreadBorderRouter.Command

    private let device: CustomCluster

    /// - Parameter device: the cluster ``cluster``.
    package init(_ device: CustomCluster) { self.device = device }

    /// The active operational dataset, which has the network's key in it, and the id of the border agent.
    package func state() async throws -> (dataset: SecretBytes?, borderAgentID: [UInt8]) {
        let values = try await device.read([Attribute.activeOperationalDataset, Attribute.borderAgentId])
        let dataset = values[Attribute.activeOperationalDataset]?.octetString ?? []
        return (
            dataset.isEmpty ? nil : SecretBytes(dataset), values[Attribute.borderAgentId]?.octetString ?? []
        )
    }

    /// - Parameter text: the dataset in hexadecimal digits; blanks do not count.
    package func setDataset(_ text: SecretText) async throws {
        let digits = text.revealed.filter { !$0.isWhitespace }
        guard let octets = try? Hex.decode(digits), !octets.isEmpty, octets.count <= Self.longestDataset else {
            throw RainMakerError(
                .invalidInput, "a Thread dataset is 1 to \(Self.longestDataset) bytes in hexadecimal digits")
        }
        try await device.invoke(RainMakerThreadBorderRouter.ConfigureThreadDataset(dataset: digits), .absolute)
    }

    package func startNetwork() async throws {
        try await device.invoke(RainMakerThreadBorderRouter.StartThreadNetwork(), .absolute)
    }

    package func stopNetwork() async throws {
        try await device.invoke(RainMakerThreadBorderRouter.StopThreadNetwork(), .absolute)
    }
}
