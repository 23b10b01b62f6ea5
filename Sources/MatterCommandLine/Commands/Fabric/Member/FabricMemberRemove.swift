import ArgumentParser
import MatterController

extension FabricCommand.Member {
    struct Remove: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove an administrator: devices no longer admit it.",
            discussion: """
                First everyone else gets a certificate with the next version of the tag; the command stops until their receipts are \
                there ('fabric member confirm'), or --leave-behind says not to wait. Then a job raises the entries of each device \
                to that version, and searches it for what the member may have left. The same command goes on where it stopped.

                Example: matterctl fabric member remove eve --answers renewed
                """, aliases: ["rm"])

        @Argument(help: "The member's name.", completion: .kind(.member)) var name: String
        @Option(
            help: ArgumentHelp(
                "Do not wait for this member: devices refuse it until it imports its new certificate; may be repeated.",
                valueName: "NAME"), completion: .kind(.member))
        var leaveBehind: [String] = []
        @Option(
            help: ArgumentHelp(
                "Write the answers for those who are waited for into this folder, as NAME.answer.", valueName: "FOLDER"),
            completion: .kind(.folder))
        var answers: String?
        @Flag(help: "Skip the confirmation prompt.") var yes = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let (members, console) = (context.controller.members, context.console)
            // A removal that goes on was confirmed when it began.
            if try members.roster()?.removal?.name != name {
                try console.confirm("Remove '\(name)', so that no device admits it any more?", given: yes)
            }
            switch try await members.remove(name, leavingBehind: leaveBehind) {
            case .waiting(let others): try await wait(for: others, context)
            case .done(let former):
                try show(former, nil, context)
                // It may have been stopped before the last of them.
                try await changeGroupKeys(former, context)
            case .working(let job):
                let after =
                    job.isOpen
                    ? try await context.controller.jobs.resume(job.id, within: options.timeout?.duration) : job
                guard after.isDone else {
                    let names = try NodeTitles(context.controller)
                    console.show(after, isRunning: false, names)
                    return try after.requireDone()
                }
                guard let former = try members.roster()?.former.last(where: { $0.name == name }) else { return }
                try show(former, after, context)
                try await changeGroupKeys(former, context)
            }
        }

        private func wait(for others: [MemberRoster.Member], _ context: CommandContext) async throws {
            if let answers {
                for member in others {
                    try OutputFile.replace(
                        try await context.controller.members.answer(for: member.name),
                        at: "\(answers)/\(member.name).answer")
                }
            }
            throw context.controller.members.waiting(
                for: others, toRemove: name,
                hint: .step(answers == nil ? "member.waiting" : "member.answered", others.first?.name ?? ""))
        }

        private func show(_ former: MemberRoster.Former, _ job: Job?, _ context: CommandContext) throws {
            let names = try NodeTitles(context.controller)
            let console = context.console
            console.result {
                Field("name", former.name, label: "name")
                Field("nodeId", former.nodeID, label: "node id", text: "\(former.nodeID.rawValue)")
                Field("result", "removed", label: "result")
                Field("job", job.map { Report($0, isRunning: false, names) })
                Field("findings", former.findings.map { Report($0, names) }.json)
                Field(label: "found", [former.findings.isEmpty ? "nothing else" : "\(former.findings.count)"])
            }
            let reports = former.findings.map { Report($0, names) }
            if !console.isJSON { console.rows(reports.first?.columns ?? [], reports.map(\.row), isFolding: true) }
        }

        /// Exchanges the keys that the member still knows: those of groups. Each is a job.
        ///
        /// - Throws: `job.incomplete` if a node of a group is left.
        private func changeGroupKeys(_ former: MemberRoster.Former, _ context: CommandContext) async throws {
            var fault: (any Error)?
            let groups = try context.controller.rotations.groups(keyedBefore: former)
            for group in groups {
                do {
                    try await RotationRun(
                        plan: .groupKey(group), known: [], context: context, time: options.timeout?.duration
                    ).finish()
                } catch let error as CommandLineError where error.code == .jobIncomplete {
                    fault = fault ?? error
                }
            }
            if !groups.isEmpty, let other = try context.controller.members.roster()?.members.first {
                context.console.warning(
                    "the other administrators do not have the new keys of groups yet", .step("member.renew", other.name)
                )
            }
            if let fault { throw fault }
        }
    }
}
