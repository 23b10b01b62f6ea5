import JSON
import MatterCommissioning
import MatterDataModel
import MatterDiscovery
import MatterErrors
import MatterHTTP
import MatterTransport

/// Takes the dataset of the Thread network from a border router on this network (the REST interface of OpenThread's).
struct BorderRouterSearch: Sendable {
    /// How long border routers are looked for, once one was found and before.
    private static let settling = Duration.seconds(1)
    private static let longestSearch = Duration.seconds(6)
    private static let port = 8081
    private static let largestAnswer = 4096
    private static let noContent = 204
    private static let textOnly = Dictionary(uniqueKeysWithValues: [("Accept", "text/plain")])

    let output: OutputOptions
    let console: Console
    let patience: Duration

    /// A place to ask, with what its border router says of itself.
    private struct Source {
        let url: BaseURL
        let router: BorderRouter?
    }

    /// - Throws: ``CommandLineError`` if there is no border router, none that tells, or several networks.
    func dataset() async throws -> ThreadDataset {
        let sources = try await sources()
        var found: [(dataset: ThreadDataset, source: Source)] = []
        var faults: [String] = []
        for source in sources {
            do {
                let dataset = try await fetch(source)
                guard !found.contains(where: { $0.dataset.extendedPANID == dataset.extendedPANID }) else { continue }
                found.append((dataset, source))
            } catch let error as CancellationError {
                throw error
            } catch {
                faults.append("\(source.url): \(error)")
            }
        }
        guard let first = found.first else {
            throw CommandLineError(
                "thread.no-dataset",
                "no border router gave the dataset of its network: \(faults.joined(separator: "; "))",
                hint: .step("thread.by-hand"), status: .noAnswer)
        }
        guard found.count == 1 else {
            let names = found.map { NetworkCredential.thread($0.dataset).name }.joined(separator: "', '")
            throw CommandLineError(
                "thread.several-networks", "the border routers here have several networks: '\(names)'",
                hint: .step("thread.by-hand"))
        }
        for warning in Self.warnings(first.dataset, first.source.router) + first.dataset.warnings {
            console.warning(warning)
        }
        let name = NetworkCredential.thread(first.dataset).name
        console.message("the device is to join the Thread network '\(name)', whose dataset is from \(first.source.url)")
        return first.dataset
    }

    /// What does not fit together between a dataset and what the border router advertises.
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
            return [Source(url: try BaseURL(parsing: text, isPublic: true), router: nil)]
        }
        let routers = try await routers()
        guard !routers.isEmpty else {
            throw CommandLineError(
                "thread.no-border-router", "there is no Thread border router on this network",
                hint: .step("thread.by-hand"), status: .notFound)
        }
        return routers.compactMap { router in
            // A URL has no place for the interface of a link-local address.
            guard let address = router.addresses.first(where: { $0.scope == nil }) else { return nil }
            let host = address.family == .ipv6 ? "[\(address.host)]" : address.host
            return (try? BaseURL(parsing: "http://\(host):\(Self.port)", isPublic: true)).map {
                Source(url: $0, router: router)
            }
        }
    }

    private func routers() async throws -> [BorderRouter] {
        let avahi = AvahiDiscovery(logger: try output.logger(), patience: min(patience, .seconds(8)))
        try await avahi.check()
        let collected = Collection()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await event in avahi.browseBorderRouters() {
                    switch event {
                    case .found(let router): await collected.add(router)
                    case .allForNow: if await !collected.isEmpty { return }
                    }
                }
            }
            group.addTask { try await Task.sleep(for: min(Self.longestSearch, patience / 2)) }
            try await group.next()
            if await !collected.isEmpty { try await Task.sleep(for: min(Self.settling, patience / 4)) }
            group.cancelAll()
        }
        return await collected.routers
    }

    private actor Collection {
        private(set) var routers: [BorderRouter] = []
        var isEmpty: Bool { routers.isEmpty }

        func add(_ router: BorderRouter) {
            routers.removeAll { $0.instance == router.instance }
            routers.append(router)
        }
    }

    // MARK: What

    private func fetch(_ source: Source) async throws -> ThreadDataset {
        let settings = HTTPSettings(
            proxy: nil, connectTimeout: .seconds(5), readTimeout: .seconds(10), largestBody: Self.largestAnswer,
            userAgent: LedgerConnection.userAgent)
        let service = HTTPService(
            url: source.url, transport: CurlTransport(settings), retries: .none, logger: try output.logger())
        let answer: HTTPResponse
        do {
            answer = try await service.send(
                HTTPRequest(.get, "/node/dataset/active", headers: Self.textOnly),
                deadline: .now + min(patience, .seconds(15)))
            await service.close()
        } catch {
            await service.close()
            throw error
        }
        guard answer.status != Self.noContent else {
            throw CommandLineError("thread.no-dataset", "it is on no network yet", status: .noAnswer)
        }
        guard answer.status == 200 else {
            throw CommandLineError("thread.no-dataset", "it answered with status \(answer.status)", status: .noAnswer)
        }
        return try ThreadDataset(parsing: String(decoding: answer.body, as: UTF8.self))
    }
}
