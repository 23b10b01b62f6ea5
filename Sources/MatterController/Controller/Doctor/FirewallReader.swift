import MatterState

/// Asks the kernel for the rules of its firewall, with the program that the host has for that.
enum FirewallReader {
    private static let command = "PATH=$PATH:/usr/sbin:/sbin exec nft list ruleset"
    private static let patience = Duration.seconds(2)
    /// The exit status of a shell that does not find a program.
    private static let notFound = "status 127"

    static func rules() async -> HostFacts.Firewall {
        do {
            let output = try await ChildProcess.run(command, input: [], timeout: patience, withheld: [])
            return .rules(String(decoding: output, as: UTF8.self))
        } catch {
            let reason = (error as? any CodedError)?.message ?? "\(error)"
            return .unreadable(
                reason.contains(notFound)
                    ? "nft is not installed, so the rules of the firewall cannot be read"
                    : "the rules of the firewall cannot be read without root")
        }
    }
}
