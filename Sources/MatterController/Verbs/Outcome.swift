package import MatterDataModel
package import MatterInteraction

/// The meaning of the answer to a command.
package enum Outcome {
    /// - Parameter title: the node's name in messages, such as `node 'kitchen'`.
    /// - Throws: ``ControllerError`` `status` if the node did not carry out the command.
    package static func check(_ result: CommandResult, of title: String) throws(ControllerError) {
        guard case .status(let status) = result.outcome, !status.isSuccess else { return }
        let path = ElementPath(
            endpoint: result.path.endpoint, cluster: result.path.cluster, element: result.path.command.rawValue)
        throw ControllerError(
            .status, "\(title) answered the command \(path.text(.command, in: .standard)) with \(status)",
            status: status)
    }
}

extension Catalogue {
    package func isTimed(_ command: Command) -> Bool {
        cluster(command.path.cluster)?.command(command.path.command)?.isTimed ?? false
    }
}

extension NodeLink.Repeatability {
    /// What the catalogue says of a command.
    package init(of command: Command, in catalogue: Catalogue) {
        self =
            catalogue.mayRepeat(command: command.path.command, ofCluster: command.path.cluster)
            ? .absolute : .atMostOnce
    }
}
