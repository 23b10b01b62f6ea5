internal import JSON
internal import MatterCrypto

/// What this build is.
package enum Version {
    package static let number = "0.1.0"
    static let text = "matterctl \(number)"

    /// The name and number, then what is inside.
    static var report: Report {
        let place = LinkedLibrary.isPartOfProgram ? "in this program" : "of this system"
        return Report {
            Field("name", "matterctl")
            Field("version", number)
            Field("openssl", LinkedLibrary.version)
            Field(label: "", [text, "\(LinkedLibrary.description), \(place)"])
        }
    }

    /// What `--version` prints with these arguments, which are all that there are; `nil` if they ask for something else.
    static func answer(to arguments: [String]) -> String? {
        let options = Set(arguments)
        guard options.contains("--version"), options.isSubset(of: Self.options) else { return nil }
        if options.contains("--json") { return report.json.serialized() }
        return options.count == 1 ? text : report.lines.flatMap(\.values).joined(separator: "\n")
    }

    private static let options: Set<String> = ["--version", "--json", "-v", "-vv", "--verbose"]
}
