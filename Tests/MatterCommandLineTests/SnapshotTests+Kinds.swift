import MatterController
import MatterSimulator
import Testing

@testable import MatterCommandLine

extension SnapshotTests {
    /// Commands to a device that is of every kind: 1 lock, 2 fan, 3 blind, 4 light, 5 motion sensor, 6 plug with a meter,
    /// 7 valve, 8 vacuum cleaner, 9 player, 10 button, 11 battery, 12 bridge with 13 to 15.
    private static let kinds = [
        "lock it", "door-lock show it", "door-lock unlock it", "unlock it --verify", "lock it --dry-run",
        "door-lock config it",
        "door-lock codes it",
        "door-lock add-code it --pin @{PIN} --name Ada", "door-lock add-code it --pin @{PIN}",
        "door-lock restrict it Ada --from 2026-12-01 --until 2026-12-24",
        "door-lock restrict it Ada --days mon-fri --hours 08:00-17:00", "door-lock codes it",
        "door-lock unrestrict it Ada",
        "door-lock remove-code it Ada", "fan it", "fan it 30% --verify",
        "fan mode it auto", "fan airflow it reverse", "cover show it", "cover it 40% --dry-run", "cover open it",
        "cover close it", "cover stop it", "cover it 40%", "cover tilt it 75%", "color it/4",
        "color it/4 2700K --dry-run",
        "color it/4 2700K",
        "color name it/4 red", "color hue it/4 240 80%", "color xy it/4 0.31 0.33", "level it/4 30% --verify",
        "motion it", "motion it --watch --count 1", "fan it --watch --count 1", "door-lock show it --watch --count 1",
        "valve --watch --count 1",
        "battery it", "energy it",
        "valve open it --verify",
        "valve status it", "valve close it", "vacuum start it", "vacuum pause it", "vacuum resume it",
        "vacuum status it",
        "vacuum home it", "vacuum stop it", "mode it", "mode it 0 --cluster rvc-run-mode",
        "mode it purple", "mode --all", "mode show it", "mode", "mode it --watch --count 1", "media play it",
        "media pause it --verify",
        "media next it", "media previous it", "media stop it", "media status it",
        "scene store it/4 3",
        "scene store it/4 4 --name Evening", "scene ls it/4", "scene show it/4 it/4", "scene",
        "scene it/4 --watch --count 1", "scene recall it/4 3",
        "scene remove it/4 3",
        "scene remove it/4 9", "button it", "status", "sensor --all", "node ls --status", "node refresh it",
        "node set it --room Hall", "node rename it that", "node rename that it", "on it/4 it/14",
        "off --type on-off-plug-in-unit",
        "off it/4 --verify",
        "toggle it/4", "identify it/4", "level --room Hall 20%", "lock --all --verify", "room rename Hall Den",
        "room rm Den", "room add Attic", "room rm Attic",
        "session ls", "session warm it", "session drop it", "icd ls", "group create lights", "group add lights it/4",
        "on group:lights", "level group:lights 40% --dry-run", "group rekey lights", "group ls",
        "group remove lights it/4",
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
                + "video-player,button,battery,aggregator --port 0 --mdns none", isTyped: true)
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name it --room Hall --timeout 60s")
        let places = ["PIN": try shell.file("pin", "4711\n")]
        let words = "button it/10 --watch --count 3"
        let watch = try shell.start(words + " --json")
        // A press from before it is followed is no news.
        _ = try await device.text { $0.contains(" subscribed ") }
        device.type("10 switch press")
        var text = try Self.shape(of: words, await watch.end())
        for words in Self.kinds { text += try await Self.shape(of: words, in: shell, places) }
        _ = await device.stop()
        try Snapshot.compare(text, "shapes-of-kinds.txt")
    }

    /// The shapes of what each kind of device shows, and of what comes of each of its verbs, with one device that has a
    /// virtual type for each.
    static func runsOfKinds() async throws -> String {
        let kinds = DeviceKind.all.map { $0.kind }
        var types: [SimulatedType] = []
        for kind in kinds {
            let type = try #require(
                SimulatedType.all.last { type in
                    type.clusters.contains { $0 == kind.clusters.first }
                }, "no virtual device is of the kind '\(kind.name)'")
            if !types.contains(where: { $0.name == type.name }) { types.append(type) }
        }
        let shell = try Shell()
        let device = try shell.start(
            "simulate \(types.map(\.name).joined(separator: ",")) --port 0 --mdns none", isTyped: true)
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name it --timeout 60s")
        var text = ""
        for kind in kinds {
            let verbs = kind.verbs.filter { $0.ownWords == nil }.map {
                [$0.name, "it", $0.example].compactMap { $0 }.joined(separator: " ")
            }
            for words in ["show it", "show"] + verbs + ["show it --watch --count 1 --timeout 20s"] {
                // A button that is not pressed has no news.
                if kind.name == "button", words.contains("--watch") { continue }
                text += try await Self.shape(of: "\(kind.name) \(words)", in: shell)
            }
        }
        _ = await device.stop()
        return text
    }
}
