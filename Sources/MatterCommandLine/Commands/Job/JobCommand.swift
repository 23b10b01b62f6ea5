import ArgumentParser
import MatterController

struct JobCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job", abstract: "Work that has to reach every node, and how far it is.",
        discussion: """
            A job goes on where it was stopped, also after a crash or a power cut. A node that does not answer stays pending \
            until the job is resumed.

            Example: matterctl job ls
            """, subcommands: [List.self, Show.self, Resume.self, Cancel.self])

    struct List: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the jobs of the fabric.",
            discussion: "Example: matterctl job ls", aliases: ["list"])

        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let controller = try state.controller()
            let (jobs, faults) = try controller.jobs.sound()
            let names = try NodeTitles(controller)
            console.result(try jobs.map { Report($0, isRunning: try controller.jobs.isRunning($0), names) })
            // The readable part is of use; the fault is said after it.
            if let fault = faults.first { throw fault }
        }
    }

    struct Show: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a job with what came of it on each node.",
            discussion: "Example: matterctl job show 1")

        @Argument(help: "The number of the job.", completion: .kind(.job)) var job: NumberArgument<UInt64>
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let controller = try state.controller()
            let job = try controller.jobs.job(job.value)
            console.show(job, isRunning: try controller.jobs.isRunning(job), try NodeTitles(controller))
        }
    }

    struct Resume: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume", abstract: "Do what is left of a job, or of all jobs.",
            discussion: """
                Each node is looked at first: what it has already is not done twice. The exit code is that of the first node \
                that is still not done.

                Example: matterctl job resume 1
                """)

        @Argument(help: "The number of the job; all jobs by default.", completion: .kind(.job))
        var job: NumberArgument<UInt64>?
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let (controller, console) = (context.controller, context.console)
            let names = try NodeTitles(controller)
            if let job {
                let after = try await controller.jobs.resume(job.value, within: options.timeout?.duration)
                console.show(after, isRunning: false, names)
                return try after.requireDone()
            }
            let (jobs, faults) = try controller.jobs.sound()
            var results: [Job] = []
            for job in jobs where job.isOpen {
                results.append(try await controller.jobs.resume(job.id, within: options.timeout?.duration))
            }
            console.result(results.map { Report($0, isRunning: false, names) })
            if let fault = faults.first { throw fault }
            try results.first { !$0.isDone }?.requireDone()
        }
    }

    struct Cancel: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel", abstract: "Let a job go on no more; nodes that are done stay as they are.",
            discussion: "Example: matterctl job cancel 1")

        @Argument(help: "The number of the job.", completion: .kind(.job)) var job: NumberArgument<UInt64>
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let controller = try state.controller()
            let names = try NodeTitles(controller)
            let job = try await controller.jobs.cancel(job.value)
            if console.isJSON { console.show(job, isRunning: false, names) }
        }
    }
}
