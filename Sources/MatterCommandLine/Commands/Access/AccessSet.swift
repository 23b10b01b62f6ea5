import ArgumentParser
import MatterController

struct AccessSet: AccessChange {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Replace the access control list of a device.",
        discussion: """
            LIST is the whole list as JSON, as 'read NODE 0/access-control/acl' prints it; @FILE takes it from a file, @- \
            from stdin. Entries of other fabrics stay.

            Example: matterctl acl set kitchen @acl.json --yes
            """)

    @Argument(help: "Node id or name of the device.", completion: .kind(.node)) var node: NodeArgument
    @Argument(help: "The list, as JSON or @FILE.") var list: String
    @Flag(help: "Skip the confirmation prompt.") var yes = false
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var isServed: Bool { yes }

    func confirm(_ console: Console) throws {
        try console.confirm(
            "Replace our entries in the access control list of \(NodeTarget(node.node).text)?", given: yes)
    }

    func change(_ words: AccessWords, _ console: Console) async throws -> AccessListEdit.Change {
        let (entries, warnings) = try words.list(list)
        for warning in warnings { console.message("warning: \(warning); the device decides") }
        return .replace(entries)
    }
}
