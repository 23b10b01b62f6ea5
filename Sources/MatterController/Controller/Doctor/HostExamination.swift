import MatterState

/// Judges the state of this machine. It reads nothing: all it knows is in the facts.
struct HostExamination {
    let facts: HostFacts

    /// All checks of the machine.
    var checks: [Check] {
        [
            interface, ipv6, duplicateAddress, hostAddress, routerAdvertisements, routeInformation, forwarding,
            containerNetworks, bridgeSnooping, firewall, connectionTracking, receiveBuffer,
        ] + discovery + machine
    }

    // MARK: IPv6

    private var usable: [HostFacts.Interface] {
        facts.uplinks.filter { interface in
            interface.isUp && interface.isRunning && interface.isMulticast
                && interface.addresses.contains(where: \.isLinkLocal)
        }
    }

    private var interface: Check {
        let names = usable.map(\.name)
        guard names.isEmpty else { return Check(.interface, .ok, "\(list(names)): up, multicast, IPv6") }
        let seen = facts.uplinks.map { interface in
            let lacks: [String] =
                (interface.isUp ? [] : ["down"]) + (interface.isRunning ? [] : ["no carrier"])
                + (interface.isMulticast ? [] : ["no multicast"])
                + (interface.addresses.contains(where: \.isLinkLocal) ? [] : ["no link-local IPv6 address"])
            return "\(interface.name): \(lacks.joined(separator: ", "))"
        }
        return Check(
            .interface, .failure, seen.isEmpty ? "only the loopback interface is there" : seen.joined(separator: "; "),
            cure: facts.uplinks.contains { $0.isUp && !$0.isMulticast }
                ? .step("doctor.interface-multicast", facts.uplinks.first { !$0.isMulticast }?.name ?? "eth0")
                : .step("doctor.interface", facts.uplinks.first?.name ?? "eth0"))
    }

    private var ipv6: Check {
        guard facts.hasIPv6 else {
            return Check(.ipv6, .failure, "the kernel runs without IPv6", cure: .step("doctor.ipv6-kernel"))
        }
        let off = facts.uplinks.filter { $0.isIPv6Disabled == true }.map(\.name)
        guard let first = off.first else {
            return Check(.ipv6, .ok, "disable_ipv6=0 on \(list(facts.uplinks.map(\.name)))")
        }
        return Check(
            .ipv6, usable.isEmpty ? .failure : .warning, "disable_ipv6=1 on \(list(off))",
            cure: .step("doctor.ipv6", first))
    }

    private var duplicateAddress: Check {
        let doubles = facts.uplinks.flatMap { interface in
            interface.addresses.filter(\.isDuplicate).map { "\(LocalPrefix.text($0.octets)) on \(interface.name)" }
        }
        guard doubles.isEmpty else {
            return Check(
                .duplicateAddress, .failure, "another host has \(list(doubles))",
                cure: .step("doctor.duplicate-address"))
        }
        let tentative = facts.uplinks.filter { $0.addresses.contains { $0.isTentative && $0.isLinkLocal } }.map(\.name)
        guard tentative.isEmpty else {
            return Check(
                .duplicateAddress, .note,
                "the address of \(list(tentative)) is still being tested; it takes a second or two",
                cure: .step("doctor.again", ""))
        }
        return Check(.duplicateAddress, .ok, "each address is the only one of its kind")
    }

    private var hostAddress: Check {
        let routable = facts.uplinks.flatMap(\.addresses).filter { $0.isRoutable && !$0.isDuplicate }
        guard routable.isEmpty else {
            return Check(.hostAddress, .ok, list(routable.map { "\(LocalPrefix.text($0.octets))/\($0.length)" }))
        }
        let seen = "this host has link-local addresses only"
        return facts.hasThreadNodes
            ? Check(
                .hostAddress, .failure, "\(seen), which devices on Thread cannot answer",
                cure: .step("doctor.host-address"))
            : Check(
                .hostAddress, .note, "\(seen); that is enough for devices on Wi-Fi and Ethernet, not for Thread",
                cure: .step("doctor.host-address"))
    }

    // MARK: Routers

    private var kernelManaged: [HostFacts.Interface] { facts.uplinks.filter { $0.isUp && $0.manager == nil } }

    private var routerAdvertisements: Check {
        guard !facts.uplinks.isEmpty else { return Check(.routerAdvertisements, .notChecked, "there is no interface") }
        let managed = facts.uplinks.compactMap { interface in interface.manager.map { "\(interface.name) by \($0)" } }
        let known = kernelManaged.filter { $0.acceptsAdvertisements != nil }
        if let deaf = known.first(where: { !Self.accepts($0) }), let value = deaf.acceptsAdvertisements {
            let forwarding = deaf.isForwarding == true
            return Check(
                .routerAdvertisements, facts.hasThreadNodes ? .failure : .warning,
                "accept_ra=\(value)\(forwarding ? " with forwarding=1" : "") on \(deaf.name): routers are not heard",
                cure: .step("doctor.router-advertisements", deaf.name, forwarding ? "2" : "1"))
        }
        guard !known.isEmpty else {
            return managed.isEmpty
                ? Check(.routerAdvertisements, .notChecked, "/proc/sys/net/ipv6 cannot be read")
                : Check(.routerAdvertisements, .ok, "router advertisements are handled: \(list(managed))")
        }
        return Check(
            .routerAdvertisements, .ok,
            list(known.map { "accept_ra=\($0.acceptsAdvertisements ?? 0) on \($0.name)" } + managed))
    }

    private static func accepts(_ interface: HostFacts.Interface) -> Bool {
        switch interface.acceptsAdvertisements {
        case 0: false
        case 1: interface.isForwarding != true
        default: true
        }
    }

    private var routeInformation: Check {
        /// A prefix of Thread has 64 bits.
        let needed = 64
        let known = kernelManaged.filter { $0.longestRoute != nil }
        guard let short = known.first(where: { ($0.longestRoute ?? 0) < needed }) else {
            return known.isEmpty
                ? Check(
                    .routeInformation, kernelManaged.isEmpty ? .ok : .notChecked,
                    kernelManaged.isEmpty
                        ? "another program takes the routes of border routers" : "/proc/sys/net/ipv6 cannot be read")
                : Check(.routeInformation, .ok, "accept_ra_rt_info_max_plen=64 or more on \(list(known.map(\.name)))")
        }
        return Check(
            .routeInformation, facts.hasThreadNodes ? .failure : .note,
            "accept_ra_rt_info_max_plen=\(short.longestRoute ?? 0) on \(short.name): routes to Thread networks are "
                + "not taken",
            cure: .step("doctor.route-information", short.name))
    }

    private var forwarding: Check {
        let on = facts.uplinks.filter { $0.isForwarding == true }.map(\.name)
        guard !on.isEmpty else { return Check(.forwarding, .ok, "this host does not forward") }
        return Check(
            .forwarding, .note,
            "forwarding=1 on \(list(on)): the kernel notices late that a border router has gone",
            cure: .step("doctor.forwarding"))
    }

    // MARK: What lies between

    private var containerNetworks: Check {
        if let container = facts.container {
            return Check(
                .containerNetworks, .warning, "this process runs in a container (\(container))",
                cure: .step("doctor.container"))
        }
        let names = facts.interfaces.filter { $0.isUp && $0.isForContainers }.map(\.name)
        guard !names.isEmpty else {
            return Check(.containerNetworks, .ok, "no networks of containers or virtual machines")
        }
        let avahi = AvahiConfiguration(facts.responderConfiguration ?? "")
        let isLimited = avahi.allowed.map { allowed in !names.contains { allowed.contains($0) } } ?? false
        return isLimited
            ? Check(.containerNetworks, .ok, "\(list(names)), which Avahi leaves alone")
            : Check(
                .containerNetworks, .note, "\(list(names)): Avahi may hear and tell addresses there that lead nowhere",
                cure: .step("doctor.container-networks", facts.uplinks.first?.name ?? "eth0"))
    }

    private var bridgeSnooping: Check {
        let bridges = facts.interfaces.filter { $0.bridge != nil && $0.isUp }
        guard !bridges.isEmpty else { return Check(.bridgeSnooping, .ok, "this host has no bridges") }
        let deaf = bridges.filter { $0.bridge?.isSnooping == true && $0.bridge?.isQuerier == false }
        guard let first = deaf.first else {
            return Check(.bridgeSnooping, .ok, "\(list(bridges.map(\.name))): multicast is not cut off")
        }
        let isOnWay = deaf.contains { bridge in facts.uplinks.contains { $0.name == bridge.name } }
        return Check(
            .bridgeSnooping, isOnWay ? .warning : .note,
            "multicast_snooping=1, multicast_querier=0 on \(list(deaf.map(\.name))): groups are forgotten after 260 s",
            cure: .step("doctor.bridge-snooping", first.name))
    }

    private var firewall: Check {
        switch facts.firewall {
        case .unreadable(let reason): return Check(.firewall, .notChecked, reason, cure: .step("doctor.firewall-read"))
        case .rules(let text):
            let rules = FirewallRules(text)
            guard let fault = rules.fault else { return Check(.firewall, .ok, rules.summary) }
            return Check(.firewall, .failure, fault, cure: .step("doctor.firewall"))
        }
    }

    private var connectionTracking: Check {
        /// Devices that sleep report at most once an hour.
        let needed = 1800
        guard let time = facts.trackingTime else {
            return Check(.connectionTracking, .ok, "the kernel keeps no track of connections")
        }
        guard time < needed else { return Check(.connectionTracking, .ok, "nf_conntrack_udp_timeout_stream=\(time)") }
        var isDropping = false
        if case .rules(let text) = facts.firewall { isDropping = FirewallRules(text).drops }
        return Check(
            .connectionTracking, isDropping ? .warning : .note,
            "nf_conntrack_udp_timeout_stream=\(time): reports of devices that sleep longer may be dropped",
            cure: .step("doctor.connection-tracking"))
    }

    private var receiveBuffer: Check {
        /// Reports of some hundred nodes that come at once.
        let (needed, many) = (1 << 20, 200)
        guard let size = facts.largestReceiveBuffer else {
            return Check(.receiveBuffer, .notChecked, "/proc/sys/net/core/rmem_max cannot be read")
        }
        guard size < needed, facts.nodeCount > many else {
            return Check(.receiveBuffer, .ok, "rmem_max=\(size) for \(facts.nodeCount) nodes")
        }
        return Check(
            .receiveBuffer, .warning, "rmem_max=\(size) for \(facts.nodeCount) nodes",
            cure: .step("doctor.receive-buffer"))
    }

    func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
