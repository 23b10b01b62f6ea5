internal import CProcess
internal import MatterController

/// The version of this build.
public enum Version {
    /// The version of the program.
    public static let number = "0.2.0"
    static let text = "matterctl \(number)"

    /// The commit that the release was built from, with `+` if there were changes; `nil` in other builds.
    static var commit: String? {
        let text = String(cString: cprocess_commit())
        return text == "unknown" ? nil : text
    }

    /// The processors that this build is for, as `uname -m` calls them.
    static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "aarch64"
        #elseif arch(riscv64)
            "riscv64"
        #else
            "other"
        #endif
    }

    /// The name and number, then what is inside.
    static var report: Report {
        let place = LinkedLibrary.isPartOfProgram ? "in this program" : "of this system"
        return Report {
            Field("name", "matterctl")
            Field("version", number)
            Field("commit", commit)
            Field("architecture", architecture)
            Field("openssl", LinkedLibrary.version)
            Field("specification", Catalogue.specificationVersion)
            Field("catalogueDate", Catalogue.day)
            Field("authoritiesDate", ProductionAuthorities.day)
            Field(
                label: "",
                [
                    text, "commit \(commit ?? "unknown"), \(architecture)", "\(LinkedLibrary.description), \(place)",
                    "clusters of Matter \(Catalogue.specificationVersion) as of \(Catalogue.day), "
                        + "attestation authorities as of \(ProductionAuthorities.day)",
                ])
        }
    }

    /// The output of `--version` with these arguments, which are all that there are; `nil` if they ask for something else.
    static func answer(to arguments: [String]) -> String? {
        guard isAsked(by: arguments) else { return nil }
        if arguments.contains("--json") { return report.json.serialized() }
        return arguments.allSatisfy { $0 == option } ? text : report.lines.flatMap(\.values).joined(separator: "\n")
    }

    /// True if these arguments ask for the version, and for nothing else.
    static func isAsked(by arguments: [String]) -> Bool {
        arguments.contains(option) && arguments.allSatisfy { $0 == option || beside.contains($0) }
    }

    private static let option = "--version"
    private static let beside = ["--json", "-v", "-vv", "--verbose"]
}
