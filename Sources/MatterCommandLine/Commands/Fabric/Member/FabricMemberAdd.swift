import ArgumentParser
import MatterController

extension FabricCommand.Member {
    struct Add: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add an administrator by the request of another machine.",
            discussion: """
                Makes the answer, which is encrypted for that machine, and lets each device admit the administrators' tag, by a job. \
                The fingerprint has to be that of the request: compare the two with the other person. The same request once more \
                makes the answer again.

                Example: matterctl fabric member add anna --csr request.json
                """)

        @Argument(help: "The member's name here.") var name: String
        @Option(
            help: ArgumentHelp("The request of 'fabric join-request'; stdin by default.", valueName: "FILE"),
            completion: .kind(.file))
        var csr = "-"
        @OptionGroup(title: "Answer") var answer: AnswerOptions
        @Flag(help: "Skip the confirmation prompt.") var yes = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let (members, console) = (context.controller.members, context.console)
            _ = try members.roster()
            let request = try JoinRequest(decoding: try InputFile.contents(csr))
            try answer.check(for: name)
            try console.confirm(
                "Add '\(name)' as an administrator of all devices? The fingerprint of the request is \(request.fingerprint)",
                given: yes)
            let (member, job) = try await members.add(name, request)
            try answer.write(try await members.answer(for: name), for: name, console)
            try await admit(job, context) { job in
                guard answer.path(for: name) != "-" else { return }
                let roster = try members.roster()
                console.result {
                    Report(member, in: roster)
                    Field("fingerprint", request.fingerprint, label: "fingerprint")
                    Field("file", answer.path(for: name), label: "answer")
                    Field("job", job)
                }
            }
        }
    }

    struct Renew: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "renew", abstract: "Make another answer for a member, with what is new.",
            discussion: """
                For a member who waits for a new certificate, and for one who is to know of new devices and groups. The member takes it with \
                'fabric import'. Devices that do not admit the administrators' tag yet are told.

                Example: matterctl fabric member renew anna
                """)

        @Argument(help: "The member's name.", completion: .kind(.member)) var name: String
        @OptionGroup(title: "Answer") var answer: AnswerOptions
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let members = context.controller.members
            try answer.check(for: name)
            try answer.write(try await members.answer(for: name), for: name, context.console)
            try await admit(try await members.admission(), context) { job in
                guard answer.path(for: name) != "-" else { return }
                context.console.result {
                    Field("name", name, label: "name")
                    Field("file", answer.path(for: name), label: "answer")
                    Field("job", job)
                }
            }
        }
    }
}

extension NetworkCommand {
    /// Does what can be done of a job about members, says so, and fails for the first node that is not done.
    fileprivate func admit(_ job: Job?, _ context: CommandContext, _ show: (Report?) throws -> Void) async throws {
        let names = try NodeTitles(context.controller)
        guard let job else { return try show(nil) }
        let after = try await context.controller.jobs.resume(job.id, within: options.timeout?.duration)
        try show(Report(after, isRunning: false, names))
        if context.console.isJSON == false, !after.isDone { context.console.nodes(of: after, names) }
        try after.requireDone()
    }
}
