import MatterController

/// Asks the user which network a device is to join, with what the device sees in view.
struct NetworkPrompt: Sendable {
    private let printer: ProgressPrinter
    private let terminal: Terminal
    private let store: NetworkStore
    private let hostSSID: [UInt8]?

    /// - Returns: `nil` where no person can be asked.
    init?(printer: ProgressPrinter, console: Console, store: NetworkStore) {
        guard console.canAsk else { return nil }
        self.printer = printer
        terminal = console.terminal
        self.store = store
        hostSSID = HostWiFi.ssid()
    }

    /// - Returns: `nil` if the user gives up.
    func choose(_ choice: NetworkChoice) async throws -> NetworkCredential? {
        try await Terminal.$current.withValue(terminal) {
            printer.finish()
            if let failure = choice.failure {
                terminal.message(TerminalText.escaped(failure.sentence))
                if case .wifi(let wifi)? = choice.failed, failure.answer.status == .authFailure {
                    return try await password(of: wifi.ssid)
                }
            }
            return try await choice.kind == .wifi ? wifi(choice) : thread(choice)
        }
    }

    // MARK: Wi-Fi

    private func wifi(_ choice: NetworkChoice) async throws -> NetworkCredential? {
        let networks = Self.ordered(choice.seen, first: hostSSID)
        if networks.isEmpty { terminal.message("the device sees no Wi-Fi network") }
        for (index, network) in networks.enumerated() { terminal.message("\(index + 1)\t\(line(network))") }
        guard
            let answer = try await Prompt.awaited("Wi-Fi network for the device, by number or name: ", isSecret: false),
            !answer.isEmpty
        else { return nil }
        if let number = Int(answer), networks.indices.contains(number - 1) {
            let network = networks[number - 1]
            if case .wifi(let ssid, _, WiFiWords.open, _, _, _) = network {
                return .wifi(try WiFiCredential(ssid: ssid, password: SecretBytes([])))
            }
            return try await secret(of: network.id, choice)
        }
        return try await secret(of: Array(answer.utf8), choice)
    }

    /// The network of this machine comes first: the device is likely to be meant for it.
    static func ordered(_ seen: [SeenNetwork], first host: [UInt8]?) -> [SeenNetwork] {
        seen.filter { $0.id == host } + seen.filter { $0.id != host }
    }

    private func line(_ network: SeenNetwork) -> String {
        guard case .wifi(let ssid, _, let security, let band, let channel, let rssi) = network else { return "" }
        // 0 stands for a strength that is not known.
        let signal = rssi.flatMap { $0 == 0 ? nil : "\($0) dBm" }
        let place = [band.flatMap(WiFiWords.band), "channel \(channel)"].compactMap { $0 }.joined(separator: " ")
        let words = [
            network.name, signal, WiFiWords.security(security).joined(separator: "/"), place,
            ssid == hostSSID ? "this machine's network" : nil,
        ]
        return words.compactMap { $0 }.joined(separator: "\t")
    }

    private func password(of ssid: [UInt8]) async throws -> NetworkCredential? {
        while true {
            let answer = try await Prompt.awaited(
                "Password of Wi-Fi '\(NetworkName.text(ssid))' (empty to give up): ", isSecret: true)
            guard let answer, !answer.isEmpty else { return nil }
            do {
                return .wifi(try WiFiCredential(ssid: ssid, password: SecretBytes(Array(answer.utf8))))
            } catch {
                terminal.message("\(error)")
            }
        }
    }

    /// With a password that is stored, or is asked for.
    private func secret(of ssid: [UInt8], _ choice: NetworkChoice) async throws -> NetworkCredential? {
        if let known = try known(ssid, of: .wifi, except: choice.failed) { return known }
        return try await password(of: ssid)
    }

    private func known(
        _ id: [UInt8], of kind: StoredNetwork.Kind, except failed: NetworkCredential?
    ) throws -> NetworkCredential? {
        guard let stored = try store.network(kind, id)?.credential, stored != failed else { return nil }
        return stored
    }

    // MARK: Thread

    private func thread(_ choice: NetworkChoice) async throws -> NetworkCredential? {
        for network in choice.seen {
            guard case .thread(_, _, let id, let channel, _, let rssi, _) = network else { continue }
            let words = [network.name, Hex.number(id, digits: 16, uppercase: true), "channel \(channel)"]
            terminal.message((words + [rssi.map { "\($0) dBm" }].compactMap { $0 }).joined(separator: "\t"))
        }
        let answer = try await Prompt.awaited(
            "File with the dataset of the Thread network (empty to give up): ", isSecret: false)
        guard let answer, !answer.isEmpty else { return nil }
        let file = answer.hasPrefix("@") ? answer : "@" + answer
        return .thread(try ThreadDataset(parsing: try SecretArgument.text(file, what: "a dataset")))
    }
}
