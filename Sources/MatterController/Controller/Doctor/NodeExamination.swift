import Glibc
import MatterState

/// Judges the way to a node, layer by layer. It reads nothing: all it knows is in the facts.
struct NodeExamination {
    let facts: NodeWayFacts
    let host: HostFacts

    /// All checks of the way and of the node.
    var checks: [Check] { [advertisement, addresses, route, datagram, session] + diagnostics }

    var label: String { facts.node.label }

    // MARK: The way

    private var advertisement: Check {
        guard let advertised = facts.advertised else {
            return Check(
                .advertisement, .notChecked,
                host.service == nil ? "addresses were given, so nothing is looked up" : "Avahi does not answer")
        }
        guard !advertised.isEmpty else {
            return Check(
                .advertisement, facts.answerTime == nil ? .failure : .warning,
                facts.answerTime == nil
                    ? "the node does not advertise itself"
                    : "the node answers at its last address, but does not advertise itself",
                cure: .step("doctor.advertisement", label))
        }
        return Check(.advertisement, .ok, list(advertised.map(\.description)))
    }

    private var reachable: [PeerAddress] {
        let advertised = (facts.advertised ?? []).compactMap { address in
            PeerAddress(octets: address.octets, scope: address.scope?.index ?? 0, port: address.port)
        }
        return advertised.isEmpty ? facts.known : advertised
    }

    private var addresses: Check {
        let all = reachable.compactMap(\.udp)
        guard !all.isEmpty else { return Check(.addresses, .notChecked, "no address is known") }
        let new = all.filter(\.isIPv6)
        guard !new.isEmpty else {
            return Check(
                .addresses, .warning, "only IPv4: \(list(all.map(\.host))); Matter needs IPv6",
                cure: .step("doctor.addresses"))
        }
        // A link-local address may be missing among those that are known first.
        let old = facts.known.compactMap(\.udp).filter { $0.isIPv6 && !$0.isLinkLocal }.map(\.host)
        if let found = facts.advertised, !found.isEmpty, !old.isEmpty, Set(old).isDisjoint(with: all.map(\.host)) {
            return Check(
                .addresses, .note, "it has moved from \(list(old)) to \(list(all.map(\.host)))",
                cure: .step("doctor.moved", label))
        }
        return Check(.addresses, .ok, list(new.map(\.host)))
    }

    private var route: Check {
        let all = reachable.compactMap(\.udp).filter(\.isIPv6)
        guard !all.isEmpty else { return Check(.route, .notChecked, "no IPv6 address is known") }
        var seen: [String] = []
        var bad: [String] = []
        for address in all where !address.isLinkLocal {
            switch host.route(to: address.octets) {
            case nil: bad.append("no route to \(address.host)")
            case let route? where route.isUnreachable: bad.append("\(address.host) is unreachable by a route")
            case let route? where route.isDefault && address.octets[0] & 0xFE == 0xFC:
                bad.append("\(address.host) goes to the home router, which seldom knows the way")
            case let route?:
                let isDirect = route.gateway.allSatisfy { $0 == 0 }
                let way = isDirect ? "" : "through \(LocalPrefix.text(route.gateway)) "
                seen.append("\(address.host) \(way)on \(route.interface)")
            }
        }
        let isOnLink = all.contains(where: \.isLinkLocal)
        if isOnLink { seen.append("a link-local address") }
        guard bad.isEmpty else {
            let verdict: Check.Verdict = seen.isEmpty && facts.answerTime == nil ? .failure : .warning
            return Check(.route, verdict, list(bad), cure: .step("doctor.route"))
        }
        return Check(.route, .ok, list(seen))
    }

    private var datagram: Check {
        guard !facts.echoes.isEmpty else { return Check(.datagram, .notChecked, "no address is known") }
        for (address, echo) in facts.echoes {
            if case .answered(let time) = echo {
                return Check(.datagram, .ok, "\(address) answers a bare message after \(Self.text(time))")
            }
        }
        for (address, echo) in facts.echoes {
            if case .refused(let number) = echo {
                return Check(
                    .datagram, facts.answerTime == nil ? .failure : .note,
                    "\(address): \(String(cString: strerror(number)).lowercased())", cure: .step("doctor.route"))
            }
        }
        let addresses = list(facts.echoes.map { "\($0.address)" })
        guard facts.answerTime == nil else {
            return Check(.datagram, .ok, "no answer to a bare message at \(addresses); some devices give none")
        }
        return Check(
            .datagram, .failure, "no answer to a bare message at \(addresses)", cure: .step("doctor.datagram", label))
    }

    private var session: Check {
        if let time = facts.answerTime {
            let slow: Duration = facts.value(ThreadNetworkDiagnostics.routingRole) == nil ? .seconds(2) : .seconds(5)
            return time > slow
                ? Check(
                    .session, .warning, "the node answers after \(Self.text(time))", cure: .step("doctor.slow", label))
                : Check(.session, .ok, "the node answers after \(Self.text(time))")
        }
        guard let failure = facts.failure else { return Check(.session, .notChecked, "no session was tried") }
        let error = MatterError(failure)
        return Check(
            .session, .failure, error.message,
            cure: (failure as? any CodedError)?.hint ?? .step("doctor.session", label))
    }

    // MARK: Its table of sessions, and its fabrics

    var sessionTable: Check {
        guard let count = minima?[BasicInformation.CapabilityMinima.Field.caseSessionsPerFabric] else {
            return unread(.sessionTable)
        }
        return count < 3
            ? Check(
                .sessionTable, .note,
                "\(count) sessions for each fabric; the specification asks for 3, and one more ends another one",
                cure: .step("doctor.session-table"))
            : Check(.sessionTable, .ok, "\(count) sessions for each fabric")
    }

    private var minima: PartialStructure<BasicInformation.CapabilityMinima>? {
        facts.value(.init(BasicInformation.id, BasicInformation.Attribute.capabilityMinima))
    }

    var subscriptions: Check {
        guard facts.read != nil else { return unread(.subscriptions) }
        let most = minima?[BasicInformation.CapabilityMinima.Field.subscriptionsPerFabric]
        typealias Load = GeneralDiagnostics.DeviceLoad
        let load: PartialStructure<Load>? = facts.value(
            .init(GeneralDiagnostics.id, GeneralDiagnostics.Attribute.deviceLoadStatus))
        guard let load, let ours = load[Load.Field.currentSubscriptionsForFabric] else {
            return Check(
                .subscriptions, .notChecked,
                most.map { "room for \($0) for each fabric; the node does not say how many are in use" }
                    ?? "the node does not say how many there are")
        }
        let all = load[Load.Field.currentSubscriptions].map { " (\($0) of all fabrics)" } ?? ""
        guard let most, ours >= most else {
            return Check(.subscriptions, .ok, "\(ours)\(most.map { " of \($0)" } ?? "")\(all)")
        }
        return Check(
            .subscriptions, .warning, "all \(most) subscriptions of our fabric are in use\(all)",
            cure: .step("doctor.subscriptions"))
    }

    /// Subscriptions that are set up again and again are lost again and again, ours or those of others.
    var load: Check {
        guard facts.read != nil else { return unread(.load) }
        typealias Load = GeneralDiagnostics.DeviceLoad
        let load: PartialStructure<Load>? = facts.value(
            .init(GeneralDiagnostics.id, GeneralDiagnostics.Attribute.deviceLoadStatus))
        guard let load, let established = load[Load.Field.totalSubscriptionsEstablished],
            let up = facts.value(GeneralDiagnostics.upTime)
        else { return unread(.load) }
        let messages = [
            load[Load.Field.totalInteractionModelMessagesReceived].map { "\($0) messages received" },
            load[Load.Field.totalInteractionModelMessagesSent].map { "\($0) sent" },
        ].compactMap { $0 }
        let seen =
            ([Spelled.count(Int(clamping: established), "subscription") + " set up"] + messages).joined(separator: ", ")
            + " in \(Self.days(up))"
        let current = UInt64(load[Load.Field.currentSubscriptions] ?? 0)
        /// Those of a morning of tries say nothing.
        let (few, hours): (UInt64, UInt64) = (10, max(1, up / 3600))
        let lost = UInt64(established) - min(UInt64(established), current)
        return lost > few && lost > hours
            ? Check(.load, .warning, seen, cure: .step("doctor.load", label)) : Check(.load, .ok, seen)
    }

    var fabrics: Check {
        guard let table = facts.fabrics else { return unread(.fabrics) }
        guard let room = table.capacity else { return Check(.fabrics, .ok, "\(table.fabrics.count) fabrics") }
        let seen = "\(table.fabrics.count) of \(room)"
        return table.fabrics.count >= Int(room)
            ? Check(.fabrics, .note, "\(seen): no other controller can join", cure: .step("share.make-room", label))
            : Check(.fabrics, .ok, seen)
    }

    // MARK: Words

    func unread(_ subject: CheckSubject) -> Check {
        Check(subject, .notChecked, facts.read == nil ? "there is no session with the node" : "the node does not say")
    }

    func list(_ names: [String]) -> String { names.joined(separator: ", ") }

    static func text(_ time: Duration) -> String {
        let milliseconds = Int64(time / .milliseconds(1))
        return milliseconds < 1000
            ? "\(milliseconds) ms" : "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
    }
}
