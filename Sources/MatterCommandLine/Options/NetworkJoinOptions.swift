import ArgumentParser
import MatterController

/// The network that a device is to join; passwords and datasets are never arguments, which other users can see.
struct NetworkJoinOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The Wi-Fi network for the device.", valueName: "SSID")) var wifi: String?
    @Option(
        help: ArgumentHelp(
            "Its password: @FILE, or @- for stdin; a stored one, or asked for on a terminal, by default.",
            valueName: "@FILE"), completion: .kind(.contents))
    var wifiPassword: String?
    @Flag(help: "The Wi-Fi network has no password.") var wifiOpen = false
    @Option(
        help: ArgumentHelp(
            "The Thread network for the device: its dataset, or auto for that of a border router here, after a "
                + "question; auto:NETWORK names it.",
            valueName: "@FILE|auto"), completion: .kind(.contents))
    var thread: String?

    private static let auto = "auto"
    private static let separator: Character = ":"

    var isGiven: Bool { wifi != nil || thread != nil }

    /// A search for border routers.
    private struct Automatic {
        /// `nil` for the only network.
        var network: String?
    }

    /// `nil` for a dataset of the user's own.
    private var automatic: Automatic? {
        guard let thread else { return nil }
        if thread == Self.auto { return Automatic() }
        let parts = thread.split(separator: Self.separator, maxSplits: 1)
        guard parts.count == 2, parts[0] == Self.auto else { return nil }
        return Automatic(network: String(parts[1]))
    }

    func validate() throws {
        if let wifi, !(1...32).contains(wifi.utf8.count) { throw ValidationError("--wifi is 1 to 32 bytes long") }
        guard wifi != nil || wifiPassword == nil && !wifiOpen else {
            throw ValidationError("--wifi-password and --wifi-open need --wifi SSID")
        }
        guard wifiPassword == nil || !wifiOpen else {
            throw ValidationError("give either --wifi-password or --wifi-open")
        }
        if let wifiPassword { try SecretArgument.check(wifiPassword, "--wifi-password") }
        if let thread, automatic == nil, thread != "-", !thread.hasPrefix("@") {
            guard !thread.hasPrefix("\(Self.auto)\(Self.separator)") else {
                throw ValidationError("--thread auto:NETWORK needs the name or the extended PAN id of the network")
            }
            throw ValidationError(
                "--thread takes @FILE, - for stdin, auto or auto:NETWORK, and no dataset itself, which has keys in it")
        }
    }

    /// The named places, checked before anything is contacted.
    ///
    /// - Parameter store: where a password may be that was not given; `nil` to leave stored ones alone.
    func credentials(
        _ store: NetworkStore?, _ console: Console, _ output: OutputOptions, patience: Duration
    ) async throws -> [NetworkCredential] {
        var credentials: [NetworkCredential] = []
        if let wifi { credentials.append(.wifi(try await wiFi(wifi, store, console))) }
        if let thread {
            if let automatic {
                let search = BorderRouterSearch(
                    output: output, console: console, patience: patience, wanted: automatic.network)
                credentials.append(.thread(try await search.dataset()))
            } else {
                let dataset = try ThreadDataset(parsing: try SecretArgument.text(thread, what: "a dataset"))
                for warning in dataset.warnings { console.warning(warning) }
                credentials.append(.thread(dataset))
            }
        }
        return credentials
    }

    private func wiFi(_ name: String, _ store: NetworkStore?, _ console: Console) async throws -> WiFiCredential {
        let ssid = Array(name.utf8)
        if wifiOpen { return try WiFiCredential(ssid: ssid, password: SecretBytes([])) }
        if let wifiPassword {
            return try WiFiCredential(ssid: ssid, password: try SecretArgument.line(wifiPassword))
        }
        if let stored = try store?.network(.wifi, ssid) {
            return try WiFiCredential(ssid: ssid, password: stored.secret)
        }
        guard console.canAsk else {
            throw CommandLineError(
                .usageNoPassword,
                "the password of Wi-Fi '\(name)' is needed, and there is no terminal to ask for it",
                hint: .step("network.password-needed"))
        }
        let password = try await Prompt.awaited(
            "Password of Wi-Fi '\(TerminalText.escaped(name))' (empty if it has none): ", isSecret: true)
        return try WiFiCredential(ssid: ssid, password: SecretBytes(Array((password ?? "").utf8)))
    }
}
