import Glibc
import MatterController

/// Says why there is no session: the phase, what was tried, what was heard, and the likely remedy.
struct SessionFailure {
    let id: String
    let message: String
    let hint: String?

    /// - Parameter isAddressGiven: whether the user said where the device is, so that another one may be there.
    init(_ error: SessionError, target: NodeTarget?, isAddressGiven: Bool = false) {
        let who = target?.text ?? "the device"
        let argument = target.map { " " + $0.argument } ?? ""
        id = "\(error.phase.rawValue).\(error.code.rawValue.split(separator: ".").last ?? "failed")"
        switch error.code {
        case .notDiscovered:
            message = "\(who) was not found: mDNS does not know it, and no address is stored"
            hint =
                Self.discoveryHint(error)
                ?? Hints.text(.step("session.not-discovered", argument))
        case .unreachable:
            message = "no route to \(who): \(Self.routes(error))"
            hint = Self.routeHint(error)
        case .silent:
            message = "\(who) does not answer (\(error.phase.rawValue.uppercased())): \(SessionAccount(error))"
            hint =
                Self.discoveryHint(error)
                ?? Hints.text(.step("session.silent", argument))
        case .noReply:
            message = "\(who) stopped answering during \(error.phase.rawValue.uppercased()): \(SessionAccount(error))"
            hint = Hints.text(.step("session.no-reply", argument))
        case .busy:
            message = "\(who) stayed busy with another handshake: \(SessionAccount(error))"
            hint = Hints.text(.step("session.busy"))
        case .refused:
            message = "\(who) refused the session (\(error.phase.rawValue.uppercased())): \(SessionAccount(error))"
            hint = Self.refusalHint(error, target: target, isAddressGiven: isAddressGiven)
        }
    }

    private static func refusalHint(
        _ error: SessionError, target: NodeTarget?, isAddressGiven: Bool
    ) -> String? {
        switch error.refusal?.code {
        case .noSharedTrustRoots, .invalidCredentials, .wrongPeer:
            // Nothing may be given up because of what another device said.
            if isAddressGiven {
                return Hints.text(.step("session.other-address"))
            }
        case .rejected:
            return error.refusal?.ownNotBefore.map {
                Hints.text(.step("session.certificate-refused", MatterEpoch.text($0)))
            }
        default:
            return nil
        }
        guard error.refusal?.code == .noSharedTrustRoots else {
            return Hints.text(.step("session.other-device"))
        }
        return Hints.text(target.map { .step("session.forgotten", $0.argument) } ?? .step("node.see"))
    }

    private static func discoveryHint(_ error: SessionError) -> String? {
        guard let failure = error.discoveryFailure as? DiscoveryError else { return nil }
        return "discovery could not help (\(failure.reason)): \(Hints.text(for: failure) ?? "")"
    }

    /// Each address with the interface and the kernel's word for it.
    private static func routes(_ error: SessionError) -> String {
        error.tried.map { address in
            let reason = error.sendFailures[address].map { String(cString: strerror($0)) } ?? "no answer"
            let interface = address.udp?.interfaceName.map { " on \($0)" } ?? ""
            return "\(address)\(interface) (\(reason))"
        }.joined(separator: ", ")
    }

    private static func routeHint(_ error: SessionError) -> String {
        let unique = error.tried.compactMap(\.udp).filter { $0.isIPv6 && !$0.isLinkLocal }
        guard let address = unique.first else {
            return Hints.text(.step("session.no-route"))
        }
        return Hints.text(.step("session.no-route-to", "\(address.host)"))
    }
}
