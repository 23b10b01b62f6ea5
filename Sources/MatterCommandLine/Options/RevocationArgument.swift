import ArgumentParser
import MatterController

/// The value of `--revocation`.
enum RevocationArgument: String, ExpressibleByArgument, CaseIterable {
    case strict, soft, off

    var policy: TrustPolicy.Revocation {
        switch self {
        case .strict: .strict
        case .soft: .soft
        case .off: .off
        }
    }
}
