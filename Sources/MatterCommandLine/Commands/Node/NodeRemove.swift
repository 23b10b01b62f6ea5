import ArgumentParser
import MatterController

extension NodeCommand {
    struct Remove: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Make the device leave the fabric, then forget it.",
            discussion: """
                If a service issues for the fabric, it is told too. If it cannot be told, that is kept, and the same command \
                again repeats it.

                Example: matterctl node remove kitchen --yes
                """)

        @Argument(help: "Node id or name.", completion: .kind(.node)) var node: String
        @Flag(help: "The device is gone for good: do not try to reach it.") var offline = false
        @Flag(help: "Skip the confirmation prompt.") var yes = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        var target: NodeTarget? { NodeTarget(node) }

        func run(_ context: CommandContext) async throws {
            let record: NodeRecord
            do {
                record = try context.controller.nodes.record(of: node)
            } catch let error as RecordError where error.code == .unknownNode {
                // It may have left, and the service may not know yet; or the records went only in part.
                let remains = try await removeRemains(context)
                guard
                    try await context.controller.administration.repeatRemoval(of: node, deadline: context.deadline)
                        || remains
                else {
                    throw error
                }
                return
            }
            try context.console.confirm(
                offline
                    ? "Forget \(NodeTarget(node).text) without telling it?"
                    : "Remove \(NodeTarget(node).text) from the fabric?",
                given: yes)
            let warning = try await GroupKeyWarning([record.nodeID], context.controller)
            do {
                try await context.controller.administration.remove(
                    record, isGone: offline, deadline: context.deadline(for: record),
                    serviceDeadline: context.deadline)
            } catch let error as SessionError {
                throw AdvisedError(
                    error: error,
                    advice: Hints.text(.step("node.remove-offline", NodeTarget(node).argument)))
            }
            try await warning.print(context.console)
            if offline {
                context.console.message(
                    "warning: the device was not told; if it comes back, its certificate is still valid on the fabric")
            }
            context.console.object(Report(record, result: "removed"))
        }

        /// Clears away what an interrupted removal has left.
        private func removeRemains(_ context: CommandContext) async throws -> Bool {
            guard let number = NameRule.parseNumber(node),
                try context.controller.administration.hasRemains(of: NodeID(number))
            else { return false }
            try await context.controller.administration.forget(NodeID(number))
            return true
        }
    }
}
