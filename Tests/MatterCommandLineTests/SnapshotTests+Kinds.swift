import Foundation
import MatterCredentials
import MatterStore
import RainMakerEmulator
import Testing

@testable import MatterCommandLine

extension SnapshotTests {
    /// Commands to a device that is of every kind: 1 lock, 2 fan, 3 blind, 4 light, 5 motion sensor, 6 plug with a meter,
    /// 7 valve, 8 vacuum cleaner, 9 player, 10 button, 11 battery, 12 bridge.
    private static let kinds = [
        "lock it", "unlock it --verify", "lock it --dry-run", "lock config it", "lock codes it", "fan it 30% --verify",
        "fan mode it auto", "cover it 40% --dry-run", "cover close it", "color it/4 2700K --dry-run",
        "color it/4 2700K",
        "color name it/4 red", "level it/4 30% --verify", "motion it", "battery it", "energy it",
        "valve open it --verify",
        "valve close it", "vacuum start it", "vacuum home it", "mode it", "mode it 0 --cluster rvc-run-mode",
        "mode it purple", "mode --all", "media play it", "media pause it --verify", "scene store it/4 3",
        "scene store it/4 4 --name Evening", "scene ls it/4", "scene ls it/4 it/4", "scene recall it/4 3",
        "scene remove it/4 9", "button it", "status", "sensor --all", "node ls --status", "node refresh it",
        "node set it --room Hall", "node rename it that", "node rename that it", "on it/4 it/14",
        "off --type on-off-plug-in-unit",
        "toggle it/4", "identify it/4", "level --room Hall 20%", "lock --all --verify", "room rename Hall Den",
        "room rm Den",
        "session ls", "session warm it", "session drop it", "icd ls", "group create lights", "group add lights it/4",
        "on group:lights", "level group:lights 40% --dry-run", "group ls", "group remove lights it/4",
        "group delete lights --yes", "wait it 6/on-off/on-off=false --timeout 20s", "clusters door-lock",
        "dcl model 0xFFF1 0x8001", "trust ls", "payload make --passcode 20202021 --discriminator 3840",
        "window open it", "window status it", "window close it", "node disconnect it", "node forget it --yes",
        "node ls",
    ]

    @Test("the shapes of results of what a device of every kind can be told")
    func kindsOfDevices() async throws {
        let shell = try Shell(["MATTERCTL_LEDGER": "http://127.0.0.1:9"])
        let device = try shell.start(
            "simulate door-lock,fan,window-covering,color-light,occupancy-sensor,energy-plug,water-valve,robot-vacuum,"
                + "video-player,button,battery,aggregator --port 0 --mdns none")
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name it --room Hall --timeout 60s")
        var text = ""
        for words in Self.kinds { text += try await Self.shape(of: words, in: shell) }
        _ = await device.stop()
        try Snapshot.compare(text, "shapes-of-kinds.txt")
    }

    /// Commands of a user of a cloud that has no devices yet.
    private static let ofCloud = [
        "cloud status", "cloud group create Lake", "cloud group ls", "fabric ls", "cloud node ls",
        "cloud node ls --group Lake",
        "cloud share add --group Lake bob@example.com", "cloud share ls", "cloud share requests",
        "cloud share remove --group Lake bob@example.com --yes", "cloud confirm", "cloud sync --group Lake",
        "cloud group user-noc --group Lake", "cloud node metadata none", "cloud group convert --group Lake",
        "cloud group delete --group Lake --yes", "cloud logout", "cloud group ls",
    ]

    @Test("the shapes of results of the cloud's commands")
    func cloud() async throws {
        let shell = try Shell()
        let password = "wrong-battery-staple"
        let emulator = try Emulator(
            StateDirectory(path: shell.path("cloud")),
            Emulator.Options(unixTime: { Int64(Date().timeIntervalSince1970) }))
        for name in ["alice@example.com", "bob@example.com"] { try await emulator.addUser(name, password: password) }
        let server = try EmulatorServer(emulator, port: 0)
        let serving = Task { try await server.run() }
        let url = "http://127.0.0.1:\(try await server.port())"
        let file = try shell.file("password", password + "\n")
        var text = try await Self.shape(
            of: "cloud login --url \(url) --user alice@example.com --password-file", in: shell, file
        ).replacing(url, with: "URL")
        for words in Self.ofCloud { text += try await Self.shape(of: words, in: shell) }
        await server.stop()
        serving.cancel()
        try Snapshot.compare(text, "shapes-of-cloud.txt")
    }
}
