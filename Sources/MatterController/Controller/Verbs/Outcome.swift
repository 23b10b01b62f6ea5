public import MatterModel

/// The meaning of the answer to a command (Matter core specification 8.9).
public enum Outcome {
    /// The failure that an answer tells of: a status, or a response that says no.
    ///
    /// - Parameter title: the node's name in messages, such as `node 'kitchen'`.
    /// - Returns: ``ControllerError`` `status` or `refused`; `nil` if the node carried out the command.
    public static func failure(
        _ result: CommandResult, of title: String, in catalogue: Catalogue = .standard
    ) -> ControllerError? {
        let path = ElementPath(
            endpoint: result.path.endpoint, cluster: result.path.cluster, element: result.path.command.rawValue)
        let account = "\(title) answered the command \(path.text(.command, in: catalogue)) with"
        switch result.outcome {
        case .status(let status):
            guard !status.isSuccess else { return nil }
            return ControllerError(.status, "\(account) \(status)", status: status, at: path)
        case .response(let number, let fields):
            guard let cluster = catalogue.cluster(result.path.cluster), let response = cluster.response(number),
                let refusal = Refusal(fields, of: response, in: cluster)
            else { return nil }
            let words = refusal.reason.map { ": \($0)" } ?? ""
            var error = ControllerError(.refused, "\(account) \(refusal.name)\(words)")
            error.refusal = refusal
            return error
        }
    }

    /// - Throws: ``failure(_:of:in:)``.
    public static func check(_ result: CommandResult, of title: String) throws(ControllerError) {
        if let failure = failure(result, of: title) { throw failure }
    }
}

extension Catalogue {
    /// Whether a command is sent as a timed interaction (Matter core specification, 8.8.2).
    public func isTimed(_ command: Command) -> Bool {
        cluster(command.path.cluster)?.command(command.path.command)?.isTimed ?? false
    }
}

extension NodeLink.Repeatability {
    /// The catalogue's entry on a command.
    public init(of command: Command, in catalogue: Catalogue) {
        self =
            catalogue.mayRepeat(command: command.path.command, ofCluster: command.path.cluster)
            ? .absolute : .atMostOnce
    }
}
