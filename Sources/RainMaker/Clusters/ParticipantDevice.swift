import MatterController

/// The cluster of a participant's badge (docs/rainmaker.md).
package struct ParticipantDevice: Sendable {
    package static let cluster = RainMakerParticipantData.id
    package static let name = "RainMakerParticipantData"

    /// Its attributes, which are fields of its one command too.
    package enum Field: Sendable, CaseIterable {
        case name, companyName, email, contact, eventName

        fileprivate var attribute: AttributeID {
            switch self {
            case .name: RainMakerParticipantData.Attribute.name
            case .companyName: RainMakerParticipantData.Attribute.companyName
            case .email: RainMakerParticipantData.Attribute.email
            case .contact: RainMakerParticipantData.Attribute.contact
            case .eventName: RainMakerParticipantData.Attribute.eventName
            }
        }
    }

    private let device: CustomCluster

    /// - Parameter device: the cluster ``cluster``.
    package init(_ device: CustomCluster) { self.device = device }

    package func data() async throws -> [Field: String] {
        let values = try await device.read(Field.allCases.map(\.attribute))
        var data: [Field: String] = [:]
        for field in Field.allCases { data[field] = values[field.attribute]?.text }
        return data
    }

    /// Sends what is given; the rest is left out.
    package func send(_ data: [Field: String]) async throws {
        try await device.invoke(
            RainMakerParticipantData.SendData(
                name: data[.name], companyName: data[.companyName], email: data[.email], contact: data[.contact],
                eventName: data[.eventName]), .absolute)
    }
}
