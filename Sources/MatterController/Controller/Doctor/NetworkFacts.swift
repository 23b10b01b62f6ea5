import MatterState

/// The network around this machine, as it answers.
struct NetworkFacts: Sendable {
    /// The hosts other than this one that answered a question to all, by address; `nil` if it was not asked.
    var answers: Set<String>?
    /// Why it could not be asked.
    var obstacle: String?
    /// The border routers of Thread networks; `nil` if they were not looked for.
    var borderRouters: [BorderRouter]?
    /// The addresses of another host that acts as our own node; `nil` if they were not looked for.
    var otherSelves: [String]?
}

/// Judges the network. It reads nothing: all it knows is in the facts.
struct NetworkExamination {
    let facts: NetworkFacts
    let host: HostFacts

    /// A Thread network, as its border routers describe it.
    private struct Network {
        var id: String
        var routers: [BorderRouter]
        var name: String { routers.lazy.compactMap(\.networkName).first ?? id }
    }

    /// All checks of the network.
    var checks: [Check] {
        [ownNode, multicast, borderRouters, networks, partitions, datasets, routes].map { $0.naming(names) }
    }

    /// The names that border routers advertise: their own, which people often choose, and those of their networks.
    private var names: [String] {
        (facts.borderRouters ?? []).flatMap { router in
            [router.instance, router.host, router.networkName, router.extendedPANID.map { Hex.encode($0) }]
                .compactMap { $0 }
        }
    }

    private var known: [Network] {
        var networks: [Network] = []
        for router in facts.borderRouters ?? [] {
            guard let id = router.extendedPANID.map({ Hex.encode($0) }) else { continue }
            if let place = networks.firstIndex(where: { $0.id == id }) {
                networks[place].routers.append(router)
            } else {
                networks.append(Network(id: id, routers: [router]))
            }
        }
        return networks
    }

    private var ownNode: Check {
        guard let others = facts.otherSelves else {
            return Check(.ownNode, .notChecked, "our own node was not looked for")
        }
        guard !others.isEmpty else { return Check(.ownNode, .ok, "no other host acts as our node") }
        return Check(
            .ownNode, .warning, "another host acts as our node: \(list(others))", cure: .step("doctor.own-node"))
    }

    private var multicast: Check {
        guard let answers = facts.answers else {
            return Check(.multicast, .notChecked, facts.obstacle ?? "addresses were given, so nothing is looked up")
        }
        guard answers.isEmpty else {
            return Check(.multicast, .ok, "\(answers.count) other hosts answer, such as \(answers.min() ?? "")")
        }
        let expected = host.nodeCount > 0 || !(facts.borderRouters ?? []).isEmpty
        return Check(
            .multicast, expected ? .failure : .warning, "no other host answers a multicast DNS question",
            cure: .step("doctor.multicast"))
    }

    private func unknown(_ subject: CheckSubject) -> Check? {
        guard facts.borderRouters == nil else { return nil }
        return Check(subject, .notChecked, "border routers are found by Avahi, which does not answer")
    }

    private var borderRouters: Check {
        if let check = unknown(.borderRouters) { return check }
        let routers = facts.borderRouters ?? []
        guard !routers.isEmpty else {
            return host.hasThreadNodes
                ? Check(
                    .borderRouters, .failure, "no border router advertises itself, and nodes are on Thread",
                    cure: .step("doctor.border-routers"))
                : Check(.borderRouters, .ok, "no border router; only devices on Thread need one")
        }
        let idle = routers.filter { $0.isActive == false }
        if let first = idle.first {
            return Check(
                .borderRouters, idle.count == routers.count ? .failure : .warning,
                "\(list(idle.map(title))): not part of its Thread network",
                cure: .step("doctor.border-router-restart", title(first)))
        }
        let nameless = routers.filter { $0.addresses.allSatisfy { $0.family == .ipv4 } }
        if let first = nameless.first {
            return Check(
                .borderRouters, .warning, "\(list(nameless.map(title))): no IPv6 address is advertised",
                cure: .step("doctor.border-router-restart", title(first)))
        }
        if host.hasThreadNodes, routers.count == 1 {
            return Check(
                .borderRouters, .note, "\(title(routers[0])) is the only way to the devices on Thread",
                cure: .step("doctor.second-border-router"))
        }
        return Check(.borderRouters, .ok, list(routers.map(title)))
    }

    private var networks: Check {
        if let check = unknown(.threadNetworks) { return check }
        let networks = known
        guard networks.count > 1 else {
            let only = networks.first.map { "one Thread network: \($0.name)" }
            return Check(.threadNetworks, .ok, only ?? "no Thread network")
        }
        let names = networks.map(\.name)
        if let double = names.first(where: { name in names.count { $0 == name } > 1 }) {
            return Check(
                .threadNetworks, .warning, "\(names.count { $0 == double }) Thread networks have the name \(double)",
                cure: .step("doctor.thread-twins"))
        }
        return Check(
            .threadNetworks, .note,
            "\(networks.count) Thread networks: \(list(names)); each is smaller than one would be",
            cure: .step("doctor.thread-networks"))
    }

    private var partitions: Check {
        if let check = unknown(.threadPartitions) { return check }
        for network in known {
            let partitions = Set(network.routers.compactMap(\.partitionID))
            if partitions.count > 1 {
                return Check(
                    .threadPartitions, .failure,
                    "the Thread network \(network.name) is split into \(partitions.count) parts: "
                        + list(network.routers.map(title)), cure: .step("doctor.thread-partitions"))
            }
        }
        return Check(.threadPartitions, .ok, "each Thread network is in one piece")
    }

    private var datasets: Check {
        if let check = unknown(.threadDatasets) { return check }
        for network in known {
            let stamps = Set(network.routers.compactMap(\.activeTimestamp))
            if stamps.count > 1 {
                return Check(
                    .threadDatasets, .warning,
                    "the border routers of \(network.name) have datasets of different age: "
                        + list(network.routers.map(title)), cure: .step("doctor.thread-datasets"))
            }
        }
        return Check(.threadDatasets, .ok, "the border routers of each network agree")
    }

    private var routes: Check {
        if let check = unknown(.threadRoutes) { return check }
        var good: [String] = []
        for network in known {
            for prefix in Set(network.routers.compactMap(\.offMeshPrefix)).sorted(by: { "\($0)" < "\($1)" }) {
                let route = host.route(to: prefix.probe)
                guard let route, !route.isUnreachable else {
                    return Check(
                        .threadRoutes, .failure, "no route to \(prefix), the addresses of \(network.name)",
                        cure: .step("doctor.thread-route", title(network.routers[0])))
                }
                guard !route.isDefault else {
                    return Check(
                        .threadRoutes, .failure,
                        "\(prefix), the addresses of \(network.name), goes to the home router, which does not know "
                            + "the way",
                        cure: .step("doctor.thread-route", title(network.routers[0])))
                }
                good.append("\(prefix) through \(LocalPrefix.text(route.gateway)) on \(route.interface)")
            }
        }
        guard good.isEmpty else { return Check(.threadRoutes, .ok, list(good)) }
        return Check(.threadRoutes, .ok, "no border router names addresses of a Thread network")
    }

    private func title(_ router: BorderRouter) -> String {
        let maker = [router.vendor, router.model].compactMap { $0 }.joined(separator: " ")
        return maker.isEmpty ? router.instance : "\(router.instance) (\(maker))"
    }

    private func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}
