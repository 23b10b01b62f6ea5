import Foundation
import TestSupport
import Testing

@testable import MatterCommandLine

extension SnapshotTests {
    /// Commands of those who keep a house, in the order of a life: keys, members, jobs, backups, tools.
    static let ofMaintenance = [
        "node set lamp --room Hall", "node set lamp --no-room", "door-lock add-code lamp --pin {PIN} --name Ada",
        "network credentials add --wifi Hall --wifi-open", "net add lamp --wifi simulated-open --wifi-open",
        "thread dataset make --name mesh --out {DATASET}", "thread dataset show @{DATASET}",
        "group create all", "group add all lamp/2", "group rekey all --dry-run", "group rekey all",
        "acl grant lamp 5 --privilege view", "acl grant --all 6 --privilege view", "job ls", "job show 1",
        "job resume 1", "job cancel 1", "fabric rotate identity-key --dry-run", "fabric rotate identity-key",
        "fabric rotate certificates --dry-run", "fabric rotate certificates", "fabric member ls",
        "fabric join-request --name other --output {REQUEST}",
        "fabric member add Ann --csr {REQUEST} --output {ANSWER} --yes", "fabric member ls", "fabric member receipt",
        "fabric member renew Ann --output {RENEWED}", "fabric member confirm /nonexistent",
        "fabric member remove Ann --yes",
        "fabric export {EXPORT} --plain --yes", "fabric backup --to {BACKUPS} --plain --yes",
        "fabric restore {BACKUPS} --check", "fabric import {EXPORT} --dry-run", "serve token add page --role read",
        "serve token ls", "serve token rm page", "serve shares", "serve take north", "trust export {TRUST}",
        "conform lamp", "conform lamp --strict", "doctor", "doctor lamp", "map", "discover --timeout 1s",
        "icd listen --for 1s", "bench toggle lamp/2 --count 2", "read lamp 2/on-off --trace {CAPTURE}",
        "decode {CAPTURE}",
    ]

    /// Those whose output tells times, keys, or the machine.
    private static let unsteady: Set<String> = [
        "acl", "job", "fabric", "serve", "conform", "doctor", "map", "discover", "icd", "bench", "read", "decode",
        "group rekey",
        "thread", "trust",
    ]

    @Test("what a person sees who keeps a house fits the terminal, too, in every look")
    func terminalsOfMaintenance() async throws {
        for look in Self.looks {
            let person = try Shell(look.variables, terminals: [.output])
            let device = try person.start(
                "simulate door-lock,on-off-light --network wifi --setup-over-ip --port 0 --mdns none")
            let port = try await device.line("ready")
            try await person.succeed("fabric create home")
            try await person.succeed(
                "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name lamp --timeout 60s "
                    + "--wifi simulated --wifi-password @\(try person.file("password", "simulated-password\n"))")
            let places = [
                "PIN": "@" + (try person.file("pin", "1234\n")), "DATASET": person.path("dataset"),
                "REQUEST": person.path("request"), "ANSWER": person.path("answer"), "RENEWED": person.path("renewed"),
                "EXPORT": person.path("export"),
                "BACKUPS": person.path("backups"), "TRUST": person.path("trust"),
                "CAPTURE": person.path("capture.pcapng"),
            ]
            var text = ""
            for words in Self.ofMaintenance {
                let run = try await person.run(places.reduce(words) { $0.replacing("{\($1.key)}", with: $1.value) })
                Self.check(run, words, at: look)
                guard !Self.unsteady.contains(where: { "\(words) ".hasPrefix("\($0) ") }) else { continue }
                text += "$ matterctl \(words)\n" + Self.steady(run, port: port)
            }
            _ = await device.stop()
            try Snapshot.compare(text, "terminal/\(Snapshot.name(look.name))-maintenance.txt")
        }
    }
}
