import Glibc
import MatterDiscovery
import MatterSecureChannel
import MatterSession
import MatterTransport

/// Says why there is no session: the phase, what was tried, what was heard, and the likely remedy.
struct SessionFailure {
    let id: String
    let message: String
    let hint: String?

    init(_ error: SessionError, target: String?) {
        let who = target ?? "the device"
        id = "\(error.phase).\(error.code.rawValue.split(separator: ".").last ?? "failed")"
        switch error.code {
        case .notDiscovered:
            message = "\(who) was not found: mDNS does not know it and no address was kept"
            hint =
                Self.discoveryHint(error)
                ?? "see that it has power and is on this network; list what is: matterctl discover"
        case .unreachable:
            message = "no route to \(who): \(Self.routes(error))"
            hint = Self.routeHint(error)
        case .silent:
            message = "\(who) does not answer (\(error.phase.uppercased())): \(SessionAccount(error))"
            hint =
                Self.discoveryHint(error)
                ?? "see that it has power and is on this network, and that a firewall lets UDP through"
        case .noReply:
            message = "\(who) stopped answering during \(error.phase.uppercased()): \(SessionAccount(error))"
            hint = "it may be overloaded or restarting; try again in a minute"
        case .busy:
            message = "\(who) stayed busy with another handshake: \(SessionAccount(error))"
            hint = "try again in a minute"
        case .refused:
            message = "\(who) refused the session (\(error.phase.uppercased())): \(SessionAccount(error))"
            hint = Self.refusalHint(error, target: target)
        }
    }

    private static func refusalHint(_ error: SessionError, target: String?) -> String? {
        switch error.refusal?.code {
        case .noSharedTrustRoots:
            let node = target.map { $0.hasPrefix("node ") ? String($0.dropFirst("node ".count)) : $0 } ?? "NODE"
            return "the device has been reset or removed from this fabric: forget it and commission it again: "
                + "matterctl node forget \(node)"
        case .invalidCredentials, .wrongPeer:
            return "another device answers at this address, or a clock is wrong; try without a stored address after "
                + "'matterctl discover'"
        default:
            return nil
        }
    }

    private static func discoveryHint(_ error: SessionError) -> String? {
        guard let failure = error.discoveryFailure as? DiscoveryError else { return nil }
        return "discovery could not help (\(failure.reason)): \(failure.hint ?? "")"
    }

    /// Each address with the interface and the kernel's word for it.
    private static func routes(_ error: SessionError) -> String {
        error.tried.map { address in
            let reason = error.sendFailures[address].map { String(cString: strerror($0)) } ?? "no answer"
            let interface = address.interfaceName.map { " on \($0)" } ?? ""
            return "\(address)\(interface) (\(reason))"
        }.joined(separator: ", ")
    }

    private static func routeHint(_ error: SessionError) -> String {
        let unique = error.tried.filter { $0.isIPv6 && !$0.isLinkLocal }
        guard let address = unique.first else {
            return "see that this host has an address on the device's network: ip addr"
        }
        return
            "this host has no route to \(address.host); if a Thread border router announces its prefix, let the kernel take "
            + "it: sysctl -w net.ipv6.conf.all.accept_ra_rt_info_max_plen=64 (and accept_ra=2 where forwarding is on)"
    }
}
