import ArgumentParser
import MatterController

/// The value of `--issuer`: who gives devices their certificates.
enum IssuerArgument: ExpressibleByArgument, Equatable {
    case local
    case exec(String)
    case service(FabricRecord.Issuer)

    /// The names of the services that may issue for a fabric.
    static var services: [String] { VendorModule.all.map(\.issuer) }

    init?(argument: String) {
        switch argument {
        case "local": self = .local
        case let text where text.hasPrefix("exec:") && text.count > 5: self = .exec(String(text.dropFirst(5)))
        case let text where Self.services.contains(text): self = .service(FabricRecord.Issuer(rawValue: text))
        default: return nil
        }
    }

    /// - Parameter settings: for the services.
    func choice(_ settings: [FabricRecord.Issuer: [String: String]]) -> IssuerChoice {
        switch self {
        case .local: .local
        case .exec(let command): .command(command)
        case .service(let issuer): .service(issuer, settings: settings[issuer] ?? [:])
        }
    }
}
