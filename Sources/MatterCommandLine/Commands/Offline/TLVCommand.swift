import ArgumentParser
import MatterController

struct TLVCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "tlv", abstract: "Convert between TLV in hexadecimal and JSON.",
        discussion: """
            The direction follows from the input: hexadecimal becomes JSON with every tag and type, and such JSON becomes \
            hexadecimal again, octet for octet.

            Example: matterctl tlv 1524012A18
            """)

    @Argument(help: "Hexadecimal or JSON; - or nothing for stdin, @FILE for a file.", completion: .kind(.file))
    var input: String = "-"
    @OptionGroup(title: HelpPage.common) var output: OutputOptions

    func execute() async throws {
        let text = try source().trimmed
        if text.first == "{" {
            let octets = try TLVDocument.octets(encoding: try JSONValue(parsing: text))
            output.console.result(Hex.encode(octets))
        } else {
            let octets: [UInt8]
            do {
                octets = try Hex.decode(text)
            } catch {
                throw TLVError(.invalidHex, error.reason)
            }
            let document = try TLVDocument.json(decoding: octets)
            output.console.result(document.serialized(output.json ? .compact : .indented))
        }
    }

    private func source() throws -> String {
        guard input == "-" || input.hasPrefix("@") else { return input }
        let contents = try InputFile.contents(input == "-" ? "-" : String(input.dropFirst()))
        return String(decoding: contents, as: UTF8.self)
    }
}

extension String {
    fileprivate var trimmed: String {
        let start = firstIndex { !$0.isWhitespace } ?? endIndex
        guard let end = lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(self[start...end])
    }
}
