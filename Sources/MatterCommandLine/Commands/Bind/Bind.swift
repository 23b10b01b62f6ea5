import ArgumentParser
import MatterController

struct Bind: BindingCommand {
    static let configuration = CommandConfiguration(
        commandName: "bind",
        abstract: "Let a switch control a light by itself: a binding, and the right that it needs.",
        discussion: """
            SOURCE is the switch, TARGET what it controls: NODE, NODE/EP or group:GROUP. The target's access control list gets \
            an entry for the source, and the source's binding list one for the target; if the second fails, the first is \
            taken back. A group gives its members' rights itself.

            Example: matterctl bind switch light --cluster on-off
            """)

    @OptionGroup var binding: BindingArguments
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    static let words = BindingWords(changed: "added", present: "present", access: ["unchanged", "granted"])
    static let acceptsStrangers = false

    func change(_ request: BindingRequest, _ context: CommandContext) async throws -> BindingOutcome {
        try await context.controller.administration.bind(request, budget: context.budget)
    }
}

struct Unbind: BindingCommand {
    static let configuration = CommandConfiguration(
        commandName: "unbind", abstract: "Let a switch control a light no more: the opposite of bind.",
        discussion: """
            The entry leaves the source's binding list, and the target's access control list loses what was for it alone; if \
            the second fails, the first is taken back. With --no-access, the target need not be reached.

            Example: matterctl unbind switch light
            """)

    @OptionGroup var binding: BindingArguments
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    static let words = BindingWords(changed: "removed", present: "removed", access: ["unchanged", "withdrawn"])
    static let acceptsStrangers = true

    func change(_ request: BindingRequest, _ context: CommandContext) async throws -> BindingOutcome {
        try await context.controller.administration.unbind(request, budget: context.budget)
    }
}
