import Foundation
import RainMakerEmulator
import Testing

@testable import MatterCommandLine
@testable import MatterCrypto
@testable import MatterState

extension SnapshotTests {
    /// A cloud in this process, with users that all have one password.
    final class Cloud: Sendable {
        static let password = "wrong-battery-staple"

        let url: String
        private let emulator: Emulator
        private let server: EmulatorServer
        private let serving: Task<Void, any Error>

        init(in shell: Shell) async throws {
            let emulator = try Emulator(
                StateDirectory(path: shell.path("cloud")),
                Emulator.Options(unixTime: { Int64(Date().timeIntervalSince1970) }))
            for name in ["alice@example.com", "bob@example.com"] {
                try await emulator.addUser(name, password: Self.password)
            }
            let server = try EmulatorServer(emulator, port: 0)
            serving = Task { try await server.run() }
            url = "http://127.0.0.1:\(try await server.port())"
            (self.emulator, self.server) = (emulator, server)
        }

        func register(_ device: String, certificate: String) async throws {
            let der = try [UInt8](Data(contentsOf: URL(fileURLWithPath: certificate)))
            try await emulator.register(device: device, key: AttestationCertificate(der: der).publicKey)
        }

        func stop() async {
            await server.stop()
            serving.cancel()
        }
    }

    /// Commands of a user of a cloud that has no devices yet.
    static let ofCloud = [
        "cloud login --url {URL} --user alice@example.com --password-file {FILE}",
        "cloud status", "cloud group create Lake", "cloud group ls", "fabric ls", "cloud node ls",
        "cloud node ls --group Lake",
        "cloud share add --group Lake bob@example.com", "cloud share ls", "cloud share requests",
        "cloud share requests --sent",
        "cloud share remove --group Lake bob@example.com --yes", "cloud confirm", "cloud sync --group Lake",
        "cloud group user-noc --group Lake", "cloud node metadata none", "cloud group convert --group Lake",
        "cloud issue-noc --group Lake --csr {CSR}",
        "cloud group delete --group Lake --yes", "cloud logout", "cloud group ls",
    ]

    @Test("the shapes of results of the cloud's commands")
    func cloud() async throws {
        let shell = try Shell()
        let cloud = try await Cloud(in: shell)
        let csr = try CertificateSigningRequest(key: .generate()).der
        try Data(csr).write(to: URL(fileURLWithPath: shell.path("csr")))
        let places = [
            "URL": cloud.url, "FILE": try shell.file("password", Cloud.password + "\n"), "CSR": shell.path("csr"),
        ]
        var text = ""
        for words in Self.ofCloud { text += try await Self.shape(of: words, in: shell, places) }
        await cloud.stop()
        try Snapshot.compare(text, "shapes-of-cloud.txt")
    }

    /// Commands to devices of a group: a light, a controller, a border router and a badge, all in one node.
    static let ofDevices = [
        "cloud node ls", "cloud node ls --group Lake", "cloud group ls --group Lake", "cloud node metadata rmNode1",
        "cloud sync --group Lake", "cloud confirm", "cloud group user-noc --group Lake", "rainmaker node-id it",
        "rainmaker challenge it", "rainmaker controller show it",
        "rainmaker controller setup it --user alice@example.com --password-file {FILE}",
        "rainmaker controller show it", "rainmaker controller update-devices it",
        "rainmaker controller authorize it", "rainmaker controller update-noc it",
        "rainmaker controller set-token it --token-file {TOKEN}", "rainmaker controller reset-token it",
        "rainmaker dataset show it", "rainmaker dataset set it {DATASET}", "rainmaker dataset start it",
        "rainmaker dataset stop it", "rainmaker dataset show it --secrets",
        "rainmaker participant set it --name Ada --company Engines", "rainmaker participant show it",
        "cloud share ls --group Lake", "cloud share remove --group Lake bob@example.com --yes",
        "rainmaker access refresh --force", "rainmaker access refresh", "node remove it --yes", "cloud node ls",
    ]

    @Test("the shapes of results of the cloud's commands and RainMaker's clusters, with a device in a group")
    func cloudDevices() async throws {
        let shell = try Shell()
        let cloud = try await Cloud(in: shell)
        let device = try shell.start(
            "simulate dimmable-light,rainmaker-controller,rainmaker-border-router,rainmaker-badge --port 0 --mdns none "
                + "--rainmaker-node-id rmNode1 --online --state \(shell.path("device")) --dac-out \(shell.path("dac"))")
        let port = try await device.line("ready")
        try await cloud.register("rmNode1", certificate: shell.path("dac"))
        let places = [
            "FILE": try shell.file("password", Cloud.password + "\n"),
            "TOKEN": try shell.file("token", "not-a-real-token\n"),
            "DATASET": try shell.file("dataset", "0e080000000000010000\n"),
        ]
        func login(_ user: String, _ shell: Shell) async throws {
            try await shell.succeed(
                "cloud login --url \(cloud.url) --user \(user)@example.com --password-file \(places["FILE"] ?? "")")
        }
        try await login("alice", shell)
        try await shell.succeed("cloud group create Lake")
        try await shell.succeed("fabric create lake --issuer rainmaker --group Lake")
        var text = try await Self.shape(
            of:
                "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name it --room Hall --timeout 60s",
            in: shell
        ).replacing(":\(port)", with: ":PORT")
        // Another user declines, and then accepts.
        let bob = try Shell()
        try await login("bob", bob)
        for answer in ["decline", "accept"] {
            let offer = try await shell.succeed("cloud share add --group Lake bob@example.com").stdout
            if answer == "accept" { text += try await Self.shape(of: "cloud share requests", in: bob) }
            text += try await Self.shape(
                of: "cloud share \(answer) {OFFER}", in: bob,
                ["OFFER": offer.trimmingCharacters(in: .whitespacesAndNewlines)])
        }
        try await bob.succeed("fabric create lake --issuer rainmaker --group Lake")
        text += try await Self.shape(of: "cloud sync --group Lake", in: bob)
        for words in Self.ofDevices { text += try await Self.shape(of: words, in: shell, places) }
        _ = await device.stop()
        await cloud.stop()
        try Snapshot.compare(text, "shapes-of-cloud-devices.txt")
    }
}
