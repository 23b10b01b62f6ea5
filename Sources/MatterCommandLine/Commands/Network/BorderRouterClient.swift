import MatterController

/// Asks border routers for the datasets of their networks.
struct BorderRouterClient: Sendable {
    private static let largestAnswer = 4096
    private static let noContent = 204
    private static let textOnly = Dictionary(uniqueKeysWithValues: [("Accept", "text/plain")])

    /// Why a border router gave no dataset.
    struct Fault: Error {
        let text: String
    }

    struct Answer: Sendable {
        let source: BorderRouterSearch.Source
        let result: Result<(ThreadDataset, BaseURL), Fault>
    }

    let output: OutputOptions
    let patience: Duration

    /// All at once, in the order of the border routers.
    ///
    /// - Throws: `CancellationError`.
    func answers(of sources: [BorderRouterSearch.Source]) async throws -> [Answer] {
        try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
            for (index, source) in sources.enumerated() {
                group.addTask { (index, try await answer(of: source)) }
            }
            var answers: [Int: Answer] = [:]
            for try await (index, answer) in group { answers[index] = answer }
            return sources.indices.compactMap { answers[$0] }
        }
    }

    /// From the first of its addresses that answers.
    private func answer(of source: BorderRouterSearch.Source) async throws -> Answer {
        var faults: [String] = []
        for url in source.urls {
            do {
                return Answer(source: source, result: .success((try await fetch(url), url)))
            } catch let error as CancellationError {
                throw error
            } catch let error as HTTPError {
                faults.append("\(error)")
            } catch {
                return Answer(source: source, result: .failure(Fault(text: "\(url): \(error)")))
            }
        }
        if faults.isEmpty {
            faults = ["'\(source.router?.instance ?? "")' has a link-local address only"]
        }
        return Answer(source: source, result: .failure(Fault(text: faults.joined(separator: "; "))))
    }

    private func fetch(_ url: BaseURL) async throws -> ThreadDataset {
        let settings = HTTPSettings(
            proxy: nil, connectTimeout: .seconds(5), readTimeout: .seconds(10), largestBody: Self.largestAnswer,
            userAgent: LedgerConnection.userAgent)
        let service = HTTPService(
            url: url, transport: CurlTransport(settings), retries: .none, logger: try output.logger())
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
            throw CommandLineError(.threadNoDataset, "it is on no network yet")
        }
        guard answer.status == 200 else {
            throw CommandLineError(.threadNoDataset, "it answered with status \(answer.status)")
        }
        return try ThreadDataset(parsing: String(decoding: answer.body, as: UTF8.self))
    }
}
