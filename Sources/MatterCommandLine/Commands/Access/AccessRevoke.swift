import ArgumentParser
import MatterController

struct AccessRevoke: AccessChange {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take away what nodes, tags or groups may do on a device.",
        discussion: """
            A subject (a node, cat:TAG or group:GROUP) loses what it has by its own id, in all entries; entry:N is the \
            whole entry with that number in acl ls. If the list changes meanwhile, nothing is taken by number.

            Example: matterctl acl revoke light switch
            """)

    @Argument(help: "Node id or name of the device.") var node: NodeArgument
    @Argument(help: "Subjects, or entries as entry:N.", completion: .kind(.accessEntry)) var words: [String]
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws {
        try node.requireBare()
        let entries = words.count { AccessWords.isEntry($0) }
        guard entries == 0 || entries == words.count else {
            throw ValidationError("name either subjects or entries: the numbers change with each subject")
        }
    }

    var dependsOnPlaces: Bool { words.contains(where: AccessWords.isEntry) }

    func change(_ words: AccessWords, _ console: Console) async throws -> AccessListEdit.Change {
        guard !dependsOnPlaces else {
            return .remove(try self.words.map(words.entry))
        }
        var subjects: [AccessSubject] = []
        for word in self.words { subjects.append(try await words.subject(word)) }
        return .revoke(subjects)
    }
}
