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

    /// - Parameter isAddressGiven: whether the user said where the device is, so that another one may be there.
    init(_ error: SessionError, target: NodeTarget?, isAddressGiven: Bool = false) {
        let who = target?.text ?? "the device"
        id = "\(error.phase).\(error.code.rawValue.split(separator: ".").last ?? "failed")"
        switch error.code {
        case .notDiscovered:
            message = "\(who) was not found: mDNS does not know it, and no address is stored"
            hint =
                Self.discoveryHint(error)
                ?? "check that it is powered on and on this network; if you know its address, add --address HOST:PORT"
        case .unreachable:
            message = "no route to \(who): \(Self.routes(error))"
            hint = Self.routeHint(error)
        case .silent:
            message = "\(who) does not answer (\(error.phase.uppercased())): \(SessionAccount(error))"
            hint =
                Self.discoveryHint(error)
                ?? "check that it is powered on and on this network, and that no firewall is blocking UDP"
        case .noReply:
            message = "\(who) stopped answering during \(error.phase.uppercased()): \(SessionAccount(error))"
            hint = "it may be overloaded or restarting; try again in a minute"
        case .busy:
            message = "\(who) stayed busy with another handshake: \(SessionAccount(error))"
            hint = "try again in a minute"
        case .refused:
            message = "\(who) refused the session (\(error.phase.uppercased())): \(SessionAccount(error))"
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
                return "another device may be at this address: try again without --address"
            }
        default:
            return nil
        }
        guard error.refusal?.code == .noSharedTrustRoots else {
            return
                "another device may have its last address, or a clock is wrong: check this host's time: date"
        }
        return "the device has been reset or removed from this fabric: forget it and commission it again: "
            + "matterctl node forget \(target?.argument ?? "NODE")"
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
            return "check that this host has an address on the device's network: ip addr"
        }
        return
            "this host has no route to \(address.host); if a Thread border router announces its prefix, let the kernel take "
            + "it: sysctl -w net.ipv6.conf.all.accept_ra_rt_info_max_plen=64 (and accept_ra=2 where forwarding is on)"
    }
}
