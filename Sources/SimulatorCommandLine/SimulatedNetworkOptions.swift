import ArgumentParser
import MatterCommandLine
import MatterSimulator

/// How a virtual device with a radio comes to its network.
struct SimulatedNetworkOptions: ParsableArguments {
    @Flag(help: "Be no node until told to join a network; until then, take commissioners over IP.")
    var setupOverIp = false
    @Flag(help: "Leave the commissioner to join a network, and do not report how that ends.")
    var nonConcurrent = false
    @Option(
        help: ArgumentHelp(
            "The only Wi-Fi network in reach; 'simulated' and others by default.", valueName: "SSID"))
    var networkSsid: String?
    @Option(
        help: ArgumentHelp("Its password: @FILE, or @- for stdin; open if left out.", valueName: "@FILE"),
        completion: .kind(.contents))
    var networkPassword: String?
    @Option(
        help: ArgumentHelp(
            "The only Thread network in reach: its dataset; by default, any is.", valueName: "@FILE"),
        completion: .kind(.contents))
    var networkDataset: String?

    func check(_ network: NodeConfiguration.Network) throws {
        guard network == .wifi || networkSsid == nil && networkPassword == nil else {
            throw ValidationError("--network-ssid and --network-password need --network wifi")
        }
        guard networkSsid != nil || networkPassword == nil else {
            throw ValidationError("--network-password needs --network-ssid")
        }
        guard network == .thread || networkDataset == nil else {
            throw ValidationError("--network-dataset needs --network thread")
        }
        guard network != .ethernet || !setupOverIp && !nonConcurrent else {
            throw ValidationError("--setup-over-ip and --non-concurrent need --network wifi or thread")
        }
        if let networkPassword { try SecretArgument.check(networkPassword, "--network-password") }
    }

    /// - Parameter hasBluetooth: whether commissioners reach it before it is on a network.
    func apply(to configuration: inout NodeConfiguration, hasBluetooth: Bool) throws {
        configuration.onboarding =
            setupOverIp ? .overIP : hasBluetooth && configuration.network != .ethernet ? .elsewhere : .joined
        configuration.isConcurrent = !nonConcurrent
        if let networkSsid {
            let password = try networkPassword.map { try SecretArgument.line($0) } ?? SecretBytes([])
            let checked = try WiFiCredential(ssid: Array(networkSsid.utf8), password: password)
            configuration.networksInReach = [RadioNetwork(ssid: networkSsid, password: checked.password)]
        }
        if let networkDataset {
            let dataset = try ThreadDataset(parsing: try SecretArgument.text(networkDataset, what: "a dataset"))
            configuration.networksInReach = [RadioNetwork(dataset: dataset.encoded.copyBytes())].compactMap { $0 }
        }
    }
}
