import MatterController

/// Takes the dataset of the Thread network from a border router on this network (the REST interface of OpenThread's).
struct BorderRouterSearch: Sendable {
    /// How long border routers are looked for, once one was found and before.
    private static let settling = Duration.seconds(1)
    private static let longestSearch = Duration.seconds(6)
    private static let port = 8081

    let output: OutputOptions
    let console: Console
    let patience: Duration
    /// The name or the id of the network; `nil` for the only one.
    let wanted: String?

    /// A border router, with the URLs at which it may answer.
    struct Source: Sendable {
        let urls: [BaseURL]
        /// Its description of itself; `nil` for one that was named.
        let router: BorderRouter?
    }

    /// A network, and where its dataset is from.
    private struct Found {
        let dataset: ThreadDataset
        let url: BaseURL
        let router: BorderRouter?

        var name: String { NetworkCredential.thread(dataset).name }
        var id: String { Hex.encode(dataset.extendedPANID, uppercase: true) }
        /// The id tells networks of one name apart.
        var title: String { "'\(name)' (\(id))" }

        func matches(_ wanted: String) -> Bool { name == wanted || id == wanted.uppercased() }
    }

    /// - Throws: ``CommandLineError`` if there is no border router, none that tells, or several networks.
    func dataset() async throws -> ThreadDataset {
        let sources = try await sources()
        var found: [Found] = []
        var faults: [String] = []
        var silent: [BorderRouter] = []
        for answer in try await BorderRouterClient(output: output, patience: patience).answers(of: sources) {
            switch answer.result {
            case .success(let (dataset, url)):
                guard !found.contains(where: { $0.dataset.extendedPANID == dataset.extendedPANID }) else { continue }
                found.append(Found(dataset: dataset, url: url, router: answer.source.router))
            case .failure(let fault):
                faults.append(fault.text)
                if let router = answer.source.router { silent.append(router) }
            }
        }
        guard !found.isEmpty else {
            throw CommandLineError(
                .threadNoDataset,
                "no border router gave the dataset of its network: \(faults.joined(separator: "; "))",
                hint: .step("thread.by-hand"))
        }
        // Any host can answer for a network; the one that is meant may be among those that keep their dataset to themselves.
        let others = silent.filter { router in
            !found.contains { $0.dataset.extendedPANID == router.extendedPANID }
        }.map(Self.title)
        if !others.isEmpty {
            console.message(
                TerminalText.escaped("border routers that gave no dataset: \(others.joined(separator: ", "))"))
        }
        let chosen = try await choose(found)
        for warning in Self.warnings(chosen.dataset, chosen.router) + chosen.dataset.warnings {
            console.warning(warning)
        }
        console.message(
            "the device is to join the Thread network '\(chosen.name)', whose dataset is from \(chosen.url)")
        return chosen.dataset
    }

    /// The network that was named, the only one, or the one that a person chooses.
    private func choose(_ found: [Found]) async throws -> Found {
        let titles = found.map(\.title).joined(separator: ", ")
        if let wanted {
            let matching = found.filter { $0.matches(wanted) }
            if let match = matching.first, matching.count == 1 { return match }
            guard matching.isEmpty else { throw several(matching) }
            throw CommandLineError(
                .threadNotHere, "no border router here has the Thread network '\(wanted)', but \(titles)",
                hint: found.first.map { .step("thread.choose", $0.name) })
        }
        if found.count == 1, let only = found.first { return try await confirmed(only) }
        guard console.canAsk else { throw several(found) }
        console.message("the border routers here have several networks:")
        for (index, network) in found.enumerated() {
            console.message("\(index + 1)\t\(network.title)\t\(network.url)")
        }
        let answer = try await Prompt.awaited("Thread network for the device, by number or name: ", isSecret: false)
        let text = answer ?? ""
        if let number = Int(text), found.indices.contains(number - 1) { return found[number - 1] }
        let matching = found.filter { $0.matches(text) }
        guard let match = matching.first, matching.count == 1 else { throw several(found) }
        return match
    }

    /// The only network, if the user wants it: the answer of a border router is not authenticated.
    private func confirmed(_ only: Found) async throws -> Found {
        let offer = "\(only.url) offers the Thread network \(only.title), and nothing proves that it is yours"
        func unconfirmed() -> CommandLineError {
            CommandLineError(.threadNotConfirmed, offer, hint: .step("thread.confirm", only.id))
        }
        guard console.canAsk else { throw unconfirmed() }
        console.message(TerminalText.escaped(offer))
        let answer = try await Prompt.awaited("Let the device join it? [y/N] ", isSecret: false)?.lowercased()
        guard answer == "y" || answer == "yes" else { throw unconfirmed() }
        return only
    }

    private static func title(_ router: BorderRouter) -> String {
        let id = router.extendedPANID.map { " (\(Hex.encode($0, uppercase: true)))" } ?? ""
        return "'\(router.instance)'" + (router.networkName.map { " of '\($0)'\(id)" } ?? id)
    }

    private func several(_ found: [Found]) -> CommandLineError {
        let isNameEnough = Set(found.map(\.name)).count == found.count
        return CommandLineError(
            .threadSeveralNetworks,
            "the border routers here have several networks: \(found.map(\.title).joined(separator: ", "))",
            hint: found.first.map { .step("thread.choose", isNameEnough ? $0.name : $0.id) })
    }

    /// The contradictions between a dataset and what the border router advertises.
    static func warnings(_ dataset: ThreadDataset, _ router: BorderRouter?) -> [String] {
        guard let router else { return [] }
        var warnings: [String] = []
        if let id = router.extendedPANID, id != dataset.extendedPANID {
            warnings.append(
                "the border router '\(router.instance)' advertises another network "
                    + "(\(Hex.encode(id, uppercase: true))) than its dataset is for")
        }
        if let announced = router.activeTimestamp, let own = dataset.activeTimestamp, own < announced {
            warnings.append("the dataset is older than the network: it was changed since")
        }
        return warnings
    }

    // MARK: Where

    private func sources() async throws -> [Source] {
        if let text = Environment.variable("MATTERCTL_BORDER_ROUTER") {
            return try text.split(separator: " ").map { url in
                Source(urls: [try BaseURL(parsing: String(url), isPublic: true)], router: nil)
            }
        }
        let routers = try await routers()
        guard !routers.isEmpty else {
            throw CommandLineError(
                .threadNoBorderRouter, "there is no Thread border router on this network",
                hint: .step("thread.by-hand"))
        }
        return routers.map { Source(urls: Self.urls(of: $0), router: $0) }
    }

    /// Where a border router may answer: its interface need not listen at all of its addresses.
    static func urls(of router: BorderRouter) -> [BaseURL] {
        // A URL has no place for the interface of a link-local address.
        router.addresses.filter { $0.scope == nil }.compactMap { address in
            let host = address.family == .ipv6 ? "[\(address.host)]" : address.host
            return try? BaseURL(parsing: "http://\(host):\(port)", isPublic: true)
        }
    }

    private func routers() async throws -> [BorderRouter] {
        let avahi = AvahiDiscovery(logger: try output.logger(), patience: min(patience, .seconds(8)))
        try await avahi.check()
        let collected = Collection()
        let (first, found) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await event in avahi.browseBorderRouters() {
                    switch event {
                    case .found(let router): await collected.add(router)
                    case .allForNow: if await !collected.isEmpty { found.finish() }
                    }
                }
            }
            group.addTask {
                try? await Task.sleep(for: min(Self.longestSearch, patience / 2))
                found.finish()
            }
            group.addTask {
                for await _ in first {}
                // Others, and further addresses, come a little later.
                if await !collected.isEmpty { try await Task.sleep(for: min(Self.settling, patience / 4)) }
                throw Enough()
            }
            do {
                while try await group.next() != nil {}
            } catch is Enough {}
            group.cancelAll()
        }
        return await collected.routers
    }

    /// The end of a search.
    private struct Enough: Error {}

    private actor Collection {
        private(set) var routers: [BorderRouter] = []
        var isEmpty: Bool { routers.isEmpty }

        func add(_ router: BorderRouter) {
            routers.removeAll { $0.instance == router.instance }
            routers.append(router)
        }
    }
}
