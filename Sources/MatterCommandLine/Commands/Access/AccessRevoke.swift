import ArgumentParser
import MatterController

struct AccessRevoke: AccessChange {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take away what nodes, tags or groups may do on a device.",
        discussion: """
            A subject (a node, cat:TAG or group:GROUP) loses what it has by its own id, in all entries; entry:N is the \
            whole entry with that number in acl ls. If the list changes meanwhile, nothing is taken by number. With --all, no \
            device is named: subjects lose it on every node, as a job (matterctl job ls).

            Example: matterctl acl revoke light switch
            """)

    @Argument(help: "Node id or name of the device.", completion: .kind(.node)) var node: NodeArgument
    @Argument(help: "Subjects, or entries as entry:N.", completion: .kind(.accessEntry)) var words: [String] = []
    @Flag(help: "On all nodes; the words are the subjects.") var all = false
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws {
        try node.requireBare()
        let words = allWords
        guard !words.isEmpty else { throw ValidationError("name a subject, or an entry as entry:N") }
        guard !all || options.address == nil else { throw ValidationError("--address is for one node") }
        let entries = words.count { AccessWords.isEntry($0) }
        guard entries == 0 || !all else {
            throw ValidationError("--all takes subjects: entry:N is an entry of one device")
        }
        guard entries == 0 || entries == words.count else {
            throw ValidationError("name either subjects or entries: the numbers change with each subject")
        }
    }

    var isForAll: Bool { all }

    private var allWords: [String] { (all ? [node.node] : []) + words }

    var dependsOnPlaces: Bool { !all && words.contains(where: AccessWords.isEntry) }

    func change(_ words: AccessWords, _ console: Console) async throws -> AccessListEdit.Change {
        guard !dependsOnPlaces else {
            return .remove(try self.words.map(words.entry))
        }
        var subjects: [AccessSubject] = []
        for word in allWords { subjects.append(try await words.subject(word)) }
        return .revoke(subjects)
    }
}
