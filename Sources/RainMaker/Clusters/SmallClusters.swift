import JSON
import MatterController
package import MatterCrypto
package import MatterDataModel
import MatterTLV

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
        try await device.invoke(
            Command.configureThreadDataset, "ConfigureThreadDataset", .absolute,
            fields: .structure([TLVElement(0, .string(digits))]))
    }

    package func startNetwork() async throws {
        try await device.invoke(Command.startThreadNetwork, "StartThreadNetwork", .absolute)
    }

    package func stopNetwork() async throws {
        try await device.invoke(Command.stopThreadNetwork, "StopThreadNetwork", .absolute)
    }
}

/// The cluster of a participant's badge (docs/rainmaker.md).
package struct ParticipantDevice: Sendable {
    package static let cluster = RainMakerParticipantData.id
    package static let name = "RainMakerParticipantData"

    /// Its attributes, which are fields of its one command too, by number.
    package enum Field: UInt8, Sendable, CaseIterable {
        case name, companyName, email, contact, eventName
    }

    private let device: CustomCluster

    /// - Parameter device: the cluster ``cluster``.
    package init(_ device: CustomCluster) { self.device = device }

    package func data() async throws -> [Field: String] {
        let values = try await device.read(Field.allCases.map { AttributeID(UInt32($0.rawValue)) })
        var data: [Field: String] = [:]
        for field in Field.allCases { data[field] = values[AttributeID(UInt32(field.rawValue))]?.text }
        return data
    }

    /// Sends what is given; the rest is left out.
    package func send(_ data: [Field: String]) async throws {
        let fields = Field.allCases.compactMap { field in
            data[field].map { TLVElement(.context(field.rawValue), .string($0)) }
        }
        try await device.invoke(
            RainMakerParticipantData.Command.sendData, "SendData", .absolute, fields: .structure(fields))
    }
}
