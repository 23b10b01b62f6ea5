import ArgumentParser
import MatterController

extension FabricCommand {
    struct RequestToJoin: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "join-request", abstract: "Ask to administer a fabric of another machine.",
            discussion: """
                Makes a key pair here and prints the request, in which nothing is secret. On the machine that has the key of the \
                fabric's authority, 'fabric member add' makes the answer, and here 'fabric import' takes it. Compare the \
                fingerprint with the one that is shown there. The same request is printed again until it is answered.

                Example: matterctl fabric join-request --output request.json
                """)

        @Option(help: ArgumentHelp("The name that the fabric gets here; home by default.", valueName: "NAME"))
        var name = "home"
        @Option(
            help: ArgumentHelp("Write the request into a file; stdout by default.", valueName: "FILE"),
            completion: .kind(.file))
        var output: String?
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let request = try await state.controller().members.request(name)
            guard let output, output != "-" else {
                console.result(String(decoding: request.encoded().dropLast(), as: UTF8.self))
                return console.message("fingerprint: \(request.fingerprint)")
            }
            try OutputFile.write(request.encoded(), to: output)
            console.result {
                Field("name", name, label: "fabric")
                Field("file", output, label: "file")
                Field("fingerprint", request.fingerprint, label: "fingerprint")
            }
        }
    }
}
