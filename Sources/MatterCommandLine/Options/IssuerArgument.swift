import ArgumentParser
import MatterController
import MatterRecords
import RainMaker

/// What `--issuer` says: who gives devices their certificates.
enum IssuerArgument: ExpressibleByArgument, Equatable {
    case local
    case exec(String)
    case service(FabricRecord.Issuer)

    init?(argument: String) {
        switch argument {
        case "local": self = .local
        case let text where text.hasPrefix("exec:") && text.count > 5: self = .exec(String(text.dropFirst(5)))
        case let text where Services.all.contains { $0.issuer.rawValue == text }:
            self = .service(FabricRecord.Issuer(rawValue: text))
        default: return nil
        }
    }

    /// - Parameter settings: for a service.
    func choice(_ settings: [String: String]) -> IssuerChoice {
        switch self {
        case .local: .local
        case .exec(let command): .command(command)
        case .service(let issuer): .service(issuer, settings: settings)
        }
    }
}

/// The services that may issue for a fabric.
enum Services {
    static let all: [any IssuerService] = [
        RainMakerService { account, state, logger, deadline in
            try CloudSetup(state: state, logger: logger, deadline: deadline).client(account)
        }
    ]
}
