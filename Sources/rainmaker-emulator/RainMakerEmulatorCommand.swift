import ArgumentParser
import CProcess
import Glibc
import MatterState
import RainMakerEmulator

/// A RainMaker-style cloud for one machine.
@main
struct RainMakerEmulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rainmaker-emulator",
        abstract: "Emulate the RainMaker REST interface on this machine.",
        discussion: """
            Users get the password that the environment variable RAINMAKER_EMULATOR_PASSWORD holds. The state stays in \
            the directory. Once it listens, it prints its URL on stdout.

            Example: RAINMAKER_EMULATOR_PASSWORD=secret123 rainmaker-emulator --state ./cloud --user me@example.com
            """)

    @Option(help: ArgumentHelp("Where the state is kept.", valueName: "DIR")) var state: String
    @Option(help: "The port on 127.0.0.1; 0 for any free one.") var port: UInt16 = 0
    @Option(help: ArgumentHelp("A user to add; may be repeated.", valueName: "NAME")) var user: [String] = []
    @Option(help: ArgumentHelp("How long access tokens last, seconds.", valueName: "SECONDS"))
    var tokenLife: Int64 = 3600
    @Option(help: ArgumentHelp("How long a certificate waits for its confirmation, seconds.", valueName: "SECONDS"))
    var requestLife: Int64 = 600
    @Option(
        help: ArgumentHelp(
            "A RainMaker device and the certificate (DER or PEM) of its client key; may be repeated.",
            valueName: "NODEID=FILE"))
    var device: [String] = []
    @Option(
        help: ArgumentHelp(
            "A controller of newer firmware, which is played here: KIND is setup, single or rainmaker; USER is whose account it is in, left out for a device that is commissioned; may be repeated.",
            valueName: "NODEID=KIND[,USER]"))
    var controller: [String] = []
    @Flag(help: "Replace objects of metadata, and do not merge them.") var replaceMetadata = false
    @Flag(help: "Believe RainMaker devices that are not registered.") var acceptUnknownDevices = false
    @Flag(help: "Give each key of a user a node id of its own; the lists of groups show another one.")
    var userIdPerKey = false
    @Flag(help: "Write node ids in lower case; devices have to sign them so.") var lowerCaseIds = false
    @Option(
        help: ArgumentHelp(
            "Something that goes wrong, such as status=500,on=nodeNoc,times=1; may be repeated.", valueName: "FAULT"))
    var fault: [String] = []
    @Flag(name: .shortAndLong, help: "Print each request on stderr.") var verbose = false

    func validate() throws {
        for text in fault where EmulatorFault(parsing: text) == nil {
            let kinds = EmulatorFault.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError(
                "'\(text)' is not a fault: KIND[=VALUE][,on=OPERATION][,group=NAME][,after=N][,times=N], where KIND is one of \(kinds)"
            )
        }
        guard tokenLife >= 1, requestLife >= 1 else { throw ValidationError("a life is at least one second") }
        guard controller.allSatisfy({ Self.controller($0) != nil }) else {
            throw ValidationError("--controller takes NODEID=setup, NODEID=single or NODEID=rainmaker, each with ,USER")
        }
        guard device.allSatisfy({ $0.contains("=") }) else { throw ValidationError("--device takes NODEID=FILE") }
    }

    func run() async throws {
        // It holds the keys of certificate authorities.
        cprocess_seal()
        var options = Emulator.Options(unixTime: { Int64(time(nil)) })
        options.tokenLife = tokenLife
        options.requestLife = requestLife
        options.acceptsUnknownDevices = acceptUnknownDevices
        options.userIDPerKey = userIdPerKey
        options.writesLowerCaseIDs = lowerCaseIds
        options.replacesMetadata = replaceMetadata
        options.notice = { Self.message($0) }
        let emulator = try Emulator(
            StateDirectory(path: state), options, faults: fault.compactMap { EmulatorFault(parsing: $0) })
        try await addUsers(to: emulator)
        for text in device { try await register(text, with: emulator) }
        for text in controller {
            guard let wanted = Self.controller(text) else { continue }
            guard try await emulator.addController(wanted.node, wanted.kind, owner: wanted.owner) else {
                throw ValidationError("there is no user '\(wanted.owner ?? "")'")
            }
        }
        let verbose = verbose
        let server = try EmulatorServer(emulator, port: port) { line in if verbose { Self.message(line) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            Self.write("http://127.0.0.1:\(try await server.port())", to: STDOUT_FILENO)
            try await group.waitForAll()
        }
    }

    private static func controller(
        _ text: String
    ) -> (node: String, kind: EmulatorController.Kind, owner: String?)? {
        let sides = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard sides.count == 2, !sides[0].isEmpty else { return nil }
        let words = sides[1].split(separator: ",", maxSplits: 1).map(String.init)
        guard let kind = words.first.flatMap({ EmulatorController.Kind(rawValue: $0) }) else { return nil }
        return (sides[0], kind, words.count == 2 ? words[1] : nil)
    }

    private func addUsers(to emulator: Emulator) async throws {
        guard !user.isEmpty else { return }
        guard let password = getenv("RAINMAKER_EMULATOR_PASSWORD").map({ String(cString: $0) }), !password.isEmpty
        else { throw ValidationError("--user needs a password in RAINMAKER_EMULATOR_PASSWORD") }
        for name in user { try await emulator.addUser(name, password: password) }
    }

    private func register(_ text: String, with emulator: Emulator) async throws {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let file = fopen(parts[1], "r") else {
            throw ValidationError("cannot read the certificate in '\(text)'")
        }
        defer { fclose(file) }
        var octets = [UInt8](repeating: 0, count: 16_384)
        let count = fread(&octets, 1, octets.count, file)
        octets = Array(octets.prefix(count))
        if octets.first != 0x30 {
            octets = try PEM.decode(String(decoding: octets, as: UTF8.self)).first?.contents ?? []
        }
        try await emulator.register(device: parts[0], key: AttestationCertificate(der: octets).publicKey)
    }

    private static func message(_ text: String) { write(text, to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        let line = Array((text + "\n").utf8)
        _ = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}
