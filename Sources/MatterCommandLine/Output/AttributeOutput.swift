import MatterController

/// Prints what was read: bare values, path lines, a table, or JSON.
struct AttributeOutput {
    private let context: CommandContext
    /// `nil` for a device that is on no fabric of ours.
    private let record: NodeRecord?
    private let title: String
    private let catalogue: Catalogue
    private let printer: ValuePrinter
    private let isStrict: Bool

    /// - Parameters:
    ///   - node: `nil` for a device that is on no fabric of ours.
    ///   - target: what the user called it; `nil` if it has no name.
    init(
        _ context: CommandContext, _ node: NodeRecord?, _ target: NodeTarget?, catalogue: Catalogue = .standard,
        numeric: Bool = false,
        isStrict: Bool = false
    ) {
        self.context = context
        record = node
        title = target?.text ?? "the device"
        self.catalogue = catalogue
        printer = context.console.printer(numeric: numeric, in: catalogue)
        self.isStrict = isStrict
    }

    /// - Parameters:
    ///   - events: what was read of the log of events; `nil` if it was not asked for.
    ///   - unattributed: what is wrong with reports that do not say which attribute they are about.
    ///   - isLit: of a level: whether the light is on; `nil` where that does not matter.
    /// - Throws: an error for the exit code if nothing, or with `--strict` not everything, succeeded.
    func print(
        _ reports: [AttributeReport], events log: [EventReport]? = nil, requested: [AttributePath],
        unattributed: [String] = [], isLit: Bool? = nil
    ) throws {
        let isSingle = requested.count == 1 && requested.first?.isWildcard == false && log == nil
        let events = log ?? []
        if context.console.isJSON {
            let records =
                reports.map { Report($0, of: record.map { NodeMark($0) }, isLit: isLit, in: catalogue, printer) }
                + events.map { Report($0, of: record.map { NodeMark($0) }, in: catalogue, printer) }
            if isSingle, let record = records.first {
                context.console.object(record)
            } else {
                context.console.result(records)
            }
        } else if isSingle, let report = reports.first, let value = report.value {
            // A level that is not lit is none.
            for line in isLit == false ? ["0"] : lines(value, at: report.path) { context.console.result(line) }
        } else if !isSingle {
            let rows = reports.flatMap { report in
                (report.value.map { lines($0, at: report.path) } ?? []).enumerated().map { index, line in
                    [index == 0 ? path(report.path) : "", line]
                }
            }
            context.console.rows(["PATH", "VALUE"], rows, isFolding: true)
        }
        show(events)
        if let fault = unattributed.first {
            let reason = "\(title) sent a report that breaks the rules: \(fault)"
            guard !reports.isEmpty || !events.isEmpty, !isStrict else { throw ControllerError(.status, reason) }
            context.console.message("warning: \(reason)")
        }
        if !requested.isEmpty { try judge(reports) }
        if reports.isEmpty { try judge(events) }
    }

    /// Prints what a verb has made of an endpoint.
    func print(_ state: SettledState) throws {
        if let name = state.name, context.console.isTerminal, !context.console.isJSON {
            return context.console.result(TerminalText.escaped(name))
        }
        guard state.paths.count > 1, let first = state.reports.first else {
            return try print(state.reports, requested: state.paths.map { AttributePath($0) }, isLit: state.isLit)
        }
        let values = state.reports.compactMap { report in
            report.value.map { ($0, catalogue.type(of: report.path)) }
        }
        if context.console.isJSON {
            context.console.object {
                Report(first, of: record.map { NodeMark($0) }, in: catalogue, printer)
                Field("also", state.also(of: record?.nodeID, printer))
            }
        } else if !values.isEmpty {
            context.console.result(printer.text(values))
        }
        try judge(state.reports)
    }

    /// Says that a cluster has not changed.
    func print(unchanged filter: DataVersionFilter, events log: [EventReport]?) throws {
        let events = log ?? []
        let (endpoint, cluster) = (filter.path.endpoint, filter.path.cluster)
        let name = catalogue.clusterName(cluster).map(NameStyle.kebab) ?? "\(cluster)"
        let report = Report {
            Report(endpoint, cluster, of: record.map { NodeMark($0) }, in: catalogue)
            Field("dataVersion", filter.dataVersion)
            Field("unchanged", true)
        }
        if !context.console.isJSON {
            context.console.message("unchanged: \(endpoint)/\(name) still has the data version \(filter.dataVersion)")
        } else if log == nil {
            context.console.object(report)
        } else {
            context.console.objects(
                [report] + events.map { Report($0, of: record.map { NodeMark($0) }, in: catalogue, printer) })
        }
        show(events)
    }

    /// As `events` prints them; JSON has them beside the attributes.
    private func show(_ events: [EventReport]) {
        guard !context.console.isJSON, let record else { return }
        var log = WatchLog(
            context.console, catalogue, numeric: printer.numeric, WatchLog.Style(hasTime: true, hasPast: true))
        log.events(events, of: record)
    }

    private func judge(_ events: [EventReport]) throws {
        let failures = events.compactMap { if case .failure(let status) = $0.outcome { status } else { nil } }
        guard let first = failures.first, failures.count == events.count else { return }
        throw ControllerError(.status, "\(title) answered with \(first)", status: first)
    }

    /// One line for programs, as many as it takes for people.
    private func lines(_ value: TLVValue, at path: ConcreteAttributePath) -> [String] {
        let type = catalogue.type(of: path)
        guard context.console.isTerminal else { return [printer.text(value, as: type)] }
        return printer.lines(value, as: type, cluster: path.cluster, attribute: path.attribute)
    }

    private func judge(_ reports: [AttributeReport]) throws {
        let failures = reports.compactMap { report -> (path: ConcreteAttributePath, status: StatusIB?, said: String)? in
            switch report.outcome {
            case .value: nil
            case .failure(let status): (report.path, status, status.description)
            case .unreadable(let reason): (report.path, nil, "an answer that breaks the rules: \(reason)")
            }
        }
        guard let first = failures.first else {
            if reports.isEmpty {
                throw CommandLineError(
                    .imStatus, "\(title) has nothing that matches the path")
            }
            return
        }
        let everythingFailed = failures.count == reports.count
        if everythingFailed || isStrict {
            let others = failures.count > 1 ? " (and \(failures.count - 1) more)" : ""
            throw ControllerError(
                .status, "\(title) answered \(path(first.path)) with \(first.said)\(others)",
                status: first.status,
                at: ElementPath(
                    endpoint: first.path.endpoint, cluster: first.path.cluster, element: first.path.attribute.rawValue))
        }
        guard !context.console.isJSON else { return }
        for failure in failures { context.console.message("warning: \(path(failure.path)): \(failure.said)") }
    }

    private func path(_ path: ConcreteAttributePath) -> String { path.text(in: catalogue) }
}

extension SettledState {
    /// The facts beside the attribute that tells most; `nil` if that is all.
    func also(of node: NodeID?, _ printer: ValuePrinter) -> [Report]? {
        guard paths.count > 1 else { return nil }
        return reports.dropFirst().map { Report($0, of: node.map { NodeMark(id: $0) }, in: .standard, printer) }
    }
}
