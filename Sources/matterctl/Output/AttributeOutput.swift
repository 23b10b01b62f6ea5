import MatterDataModel
import MatterInteraction
import MatterTLV

/// Prints what was read: bare values, path lines, a table, or JSON.
struct AttributeOutput {
    private let context: CommandContext
    private let node: UInt64
    private let catalogue: Catalogue
    private let printer: ValuePrinter
    private let isStrict: Bool

    init(
        _ context: CommandContext, node: UInt64, catalogue: Catalogue = .standard, numeric: Bool = false,
        isStrict: Bool = false
    ) {
        self.context = context
        self.node = node
        self.catalogue = catalogue
        printer = ValuePrinter(numeric: numeric)
        self.isStrict = isStrict
    }

    /// - Parameter unattributed: what is wrong with reports that do not say which attribute they are about.
    /// - Throws: an error for the exit code if nothing, or with `--strict` not everything, succeeded.
    func print(_ reports: [AttributeReport], requested: [AttributePath], unattributed: [String] = []) throws {
        let isSingle = requested.count == 1 && requested.first?.isWildcard == false
        if context.console.isJSON {
            let objects = reports.map(json)
            if isSingle, let object = objects.first {
                context.console.result(object)
            } else {
                context.console.result(.array(objects))
            }
        } else if isSingle, let report = reports.first, let value = report.value {
            context.console.result(printer.text(value, as: type(of: report.path)))
        } else if !isSingle {
            let rows = reports.compactMap { report in
                report.value.map { [path(report.path), printer.text($0, as: type(of: report.path))] }
            }
            context.console.rows(["PATH", "VALUE"], rows)
        }
        if let fault = unattributed.first {
            let reason = "node \(node) sent a report that breaks the rules: \(fault)"
            guard !reports.isEmpty, !isStrict else { throw ReadFailure(reason: reason, status: nil, exit: .refused) }
            context.console.message("warning: \(reason)")
        }
        try judge(reports, isSingle: isSingle)
    }

    private func judge(_ reports: [AttributeReport], isSingle: Bool) throws {
        let failures = reports.compactMap { report -> (path: ConcreteAttributePath, status: StatusIB?, said: String)? in
            switch report.outcome {
            case .value: nil
            case .failure(let status): (report.path, status, status.description)
            case .unreadable(let reason): (report.path, nil, "an answer that breaks the rules: \(reason)")
            }
        }
        guard let first = failures.first else {
            if reports.isEmpty {
                throw ReadFailure(reason: "nothing on node \(node) fits the path", status: nil, exit: .unsupported)
            }
            return
        }
        let everythingFailed = failures.count == reports.count
        if everythingFailed || isStrict {
            let others = failures.count > 1 ? " (and \(failures.count - 1) more)" : ""
            throw ReadFailure(
                reason: "node \(node) answered \(path(first.path)) with \(first.said)\(others)", status: first.status,
                exit: first.status.map { ExitStatus(status: $0.status) } ?? .refused)
        }
        guard !context.console.isJSON else { return }
        for failure in failures { context.console.message("\(path(failure.path)): \(failure.said)") }
    }

    private func json(_ report: AttributeReport) -> JSONValue {
        var object: JSONObject = ["node": .id(node), "endpoint": .uint(UInt64(report.path.endpoint))]
        object["cluster"] = catalogue.clusterName(report.path.cluster).map { .string($0) }
        object["clusterId"] = .uint(UInt64(report.path.cluster))
        object["attribute"] = definition(of: report.path).map { .string($0.name) }
        object["attributeId"] = .uint(UInt64(report.path.attribute))
        switch report.outcome {
        case .value(let value):
            object["value"] = printer.json(value, as: type(of: report.path))
            object["dataVersion"] = report.dataVersion.map { .uint(UInt64($0)) }
        case .failure(let status):
            object["status"] = .string(status.status.description)
            object["statusCode"] = .uint(UInt64(status.status.rawValue))
            object["clusterStatus"] = status.significantClusterStatus.map { .uint(UInt64($0)) }
        case .unreadable(let reason):
            object["unreadable"] = .string(reason)
        }
        return .object(object)
    }

    private func definition(of path: ConcreteAttributePath) -> AttributeDefinition? {
        catalogue.attribute(cluster: path.cluster, path.attribute)
    }

    private func type(of path: ConcreteAttributePath) -> DataType? { definition(of: path)?.type }

    private func path(_ path: ConcreteAttributePath) -> String {
        ElementPath(endpoint: path.endpoint, cluster: path.cluster, element: path.attribute)
            .text(.attribute, in: catalogue)
    }
}

/// Nothing of what was asked for could be read.
struct ReadFailure: Error {
    let reason: String
    let status: StatusIB?
    let exit: ExitStatus
}
