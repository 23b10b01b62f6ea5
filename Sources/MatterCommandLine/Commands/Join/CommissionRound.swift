import MatterController
import Synchronization

/// `commission --from`: a result for each line of a list in the order in which they end, and the failure of one costs the
/// others nothing.
struct CommissionRound<Vendor: VendorIssueOptions>: Sendable {
    let command: Commission<Vendor>
    let context: CommandContext

    private struct Outcomes {
        var done = 0
        var failures: [Int: any Error] = [:]
        /// An observation that holds for others too.
        var said: Set<String> = []
    }

    /// - Throws: `commission.incomplete` with the exit code of the first failure by line, after the rest was printed.
    /// - Parameter wish: for the networks of all of them.
    func run(_ list: SetupCodeList, _ wish: NetworkPreference) async throws {
        let (command, context) = (command, context)
        let progress = ListProgress(context.progress, count: list.entries.count, isJSON: context.console.isJSON)
        defer { progress.finish() }
        let flow = ColumnFlow(context.console, [("LINE", 0), ("NODE", 5), ("NAME", 20), ("RESULT", 0)])
        let names = LedgerNames(context.controller.options.state)
        let outcomes = Mutex(Outcomes())
        do {
            try await context.controller.commissioning.commission(
                list, time: context.timeout, deadline: command.options.timeout == nil ? nil : context.deadline
            ) { device in
                var options = command.commissionOptions { progress.report($0, of: device.entry.line) }
                options.discovery = device.discovery
                let requests = device.requests.map { request in
                    var request = command.completed(request)
                    request.network = wish
                    request.name = device.entry.name
                    request.room = device.entry.room ?? command.room
                    return request
                }
                return try await command.commissioned(requests, options, context, deadline: device.deadline) {}
            } report: { entry, outcome in
                let fabric = try? context.controller.context.fabric()
                switch outcome {
                case .success(let (node, result)):
                    let remarks = outcomes.withLock { outcomes in
                        outcomes.done += 1
                        let reason = result.attestation?.report.revocation?.reason
                        return reason.map { outcomes.said.insert($0).inserted ? [command.revocationNote($0)] : [] }
                            ?? []
                    }
                    let warnings = await command.warnings(about: node, result, context.controller)
                    progress.end(isFailure: false) {
                        for remark in remarks where !context.console.isJSON { context.console.message(remark) }
                        for warning in warnings {
                            context.console.warning("line \(entry.line): \(warning)")
                        }
                        print(entry, flow, node: "\(node.nodeID.rawValue)", "done") {
                            if let fabric {
                                Report(node: node, result: result, fabric: fabric, showsChecks: command.evidence)
                            }
                            Field("ledger", names.product(node.vendorID, node.productID)?.report.json)
                        }
                    }
                case .failure(let error):
                    outcomes.withLock { $0.failures[entry.line] = error }
                    let report = ErrorReport(error)
                    progress.end(isFailure: true) {
                        if !context.console.isJSON {
                            context.console.warning("line \(entry.line): \(report.message)")
                        }
                        print(entry, flow, node: "-", "failed") {
                            Field("name", entry.name)
                            Field("room", entry.room ?? command.room)
                            Field("error", report.body)
                        }
                    }
                }
            }
        } catch is CancellationError {
            let outcomes = outcomes.withLock { $0 }
            guard outcomes.done == list.entries.count else {
                throw CommandLineError(
                    .interrupted, "interrupted; \(outcomes.done) of \(list.entries.count) devices are commissioned")
            }
        }
        let failures = outcomes.withLock { $0.failures }
        guard let first = failures.keys.min(), let failure = failures[first] else { return }
        progress.finish()
        throw CommandLineError(
            .commissionIncomplete, "\(failures.count) of \(list.entries.count) devices were not commissioned",
            kind: FailureKind(failure))
    }

    private func print(
        _ entry: SetupCodeList.Entry, _ flow: ColumnFlow, node: String, _ result: String,
        @Report.Builder _ fields: () -> [Field]
    ) {
        guard context.console.isJSON else {
            let name = entry.name.map(TerminalText.escaped) ?? "-"
            return flow.print(["\(entry.line)", node, name, result])
        }
        context.console.result(
            Report {
                Field("line", entry.line)
                Field("result", result)
                Report(fields)
            })
    }
}
