import JSON
import MatterController
import TestSupport
import Testing

@testable import MatterCommandLine

/// One run of each command in this process, in a home with a fabric and without nodes or accounts.
@Suite("Every command", .together) struct EveryCommandTests {
    /// The outcome of a run: a key or the beginning of the result, or the id of the error.
    enum Ending {
        case result(String)
        case error(Int32, String)

        static let noNode = Ending.error(3, "node.unknown")
        static let noLedger = Ending.error(9, "ledger.unreachable")
        static let noLogin = Ending.error(9, "cloud.not-logged-in")
    }

    /// Each command, with arguments and what comes of them.
    static let runs: [(command: String, arguments: String, ending: Ending)] =
        [
            ("commission", "34970112333", .error(64, "payload.check-digit")),
            ("attest", "lamp", .noNode),
            ("discover", "--for 1s", .error(64, "usage")),
            ("window open", "lamp", .noNode),
            ("window close", "lamp", .noNode),
            ("window status", "lamp", .noNode),
            ("share", "lamp", .noNode),
            ("conform", "lamp", .noNode),
            ("check-device", "34970112332 --report /proc/nowhere", .error(64, "usage.file")),
            ("ping", "lamp", .noNode),
            ("doctor", "lamp", .noNode),
            ("map", "", .result("{\"threadNetworks\":[")),
            ("node ls", "", .result("[]")),
            ("node show", "lamp", .noNode),
            ("node set", "lamp --room Hall", .noNode),
            ("node rename", "lamp hall", .noNode),
            ("node refresh", "lamp", .noNode),
            ("node disconnect", "lamp", .noNode),
            ("node forget", "lamp --yes", .noNode),
            ("node remove", "lamp --yes", .noNode),
            ("status", "", .result("[]")),
            ("on", "lamp", .noNode),
            ("off", "lamp", .noNode),
            ("toggle", "lamp", .noNode),
            ("level", "lamp 50%", .noNode),
            ("identify", "lamp", .noNode),
            ("door-lock codes", "lamp", .noNode),
            ("door-lock add-code", "lamp --pin @/nowhere", .noNode),
            ("door-lock remove-code", "lamp 1", .noNode),
            ("door-lock restrict", "lamp 1 --from 2026-12-01 --until 2026-12-24", .noNode),
            ("door-lock unrestrict", "lamp 1", .noNode),
            ("door-lock config", "lamp --volume low", .noNode),
            ("lock", "lamp", .noNode),
            ("unlock", "lamp", .noNode),
            ("read", "lamp 1/6/0", .noNode),
            ("write", "lamp 1/8/on-level 5%", .noNode),
            ("invoke", "lamp 1/6/2", .noNode),
            ("subscribe", "lamp 1/6/0", .noNode),
            ("events", "lamp", .noNode),
            ("wait", "lamp 1/6/0=true", .noNode),
            ("describe", "lamp", .noNode),
            ("supports", "lamp 1/6", .noNode),
            ("clusters", "on-off", .result("{\"id\":6,")),
            ("fabric ls", "", .result("[{\"name\":\"home\"")),
            ("fabric create", "lab", .result("{\"name\":\"lab\"")),
            ("fabric use", "home", .result("{\"fabric\"")),
            ("fabric show", "home", .result("{\"name\":\"home\"")),
            ("fabric import", "old --rcac /nowhere --noc a --key @b --ipk @c", .error(64, "usage.file")),
            ("fabric export", "/nowhere/house.age", .error(64, "usage.no-terminal")),
            ("fabric backup", "--to /nowhere", .error(64, "usage.no-terminal")),
            ("fabric restore", "/nowhere", .error(64, "usage.file")),
            ("fabric rotate identity-key", "--dry-run", .result("{\"dryRun\":true")),
            ("fabric rotate certificates", "--dry-run", .result("{\"dryRun\":true")),
            ("fabric remove", "home", .error(64, "usage.confirmation-needed")),
            ("fabric join-request", "--name lab", .result("{\"format\":\"matterctl-join-request\"")),
            ("fabric member ls", "", .result("[]")),
            ("fabric member add", "anna --csr /nowhere", .error(64, "usage.file")),
            ("fabric member renew", "anna", .error(3, "member.unknown")),
            ("fabric member receipt", "", .error(3, "member.not-member")),
            ("fabric member confirm", "/nowhere", .error(64, "usage.file")),
            ("fabric member remove", "eve --yes", .error(3, "member.unknown")),
            ("node fabrics ls", "lamp", .noNode),
            ("node fabrics remove", "lamp 2 --yes", .noNode),
            ("node fabrics label", "lamp Home", .noNode),
            ("acl ls", "lamp", .noNode),
            ("acl grant", "lamp 5", .noNode),
            ("acl revoke", "lamp 5", .noNode),
            ("acl set", "lamp [] --yes", .noNode),
            ("who", "lamp", .noNode),
            ("bind", "lamp hall", .noNode),
            ("unbind", "lamp hall", .noNode),
            ("session ls", "", .result("[]")),
            ("session drop", "lamp", .noNode),
            ("session warm", "lamp", .noNode),
            ("job ls", "", .result("[]")),
            ("job show", "1", .error(3, "job.unknown")),
            ("job resume", "1", .error(3, "job.unknown")),
            ("job cancel", "1", .error(3, "job.unknown")),
            ("room ls", "", .result("[]")),
            ("room add", "Hall", .result("{\"room\"")),
            ("room rename", "Hall Den", .error(3, "room.unknown")),
            ("room rm", "Hall", .error(3, "room.unknown")),
            ("net status", "lamp", .noNode),
            ("net scan", "lamp", .noNode),
            ("net add", "lamp --wifi home --wifi-open", .noNode),
            ("net connect", "lamp home", .noNode),
            ("net remove", "lamp home --yes", .noNode),
            ("network credentials ls", "", .result("[]")),
            ("network credentials add", "--wifi home --wifi-open", .result("[{\"network\":\"home\"")),
            ("network credentials forget", "home", .error(3, "network.unknown")),
            ("thread dataset show", "@/nowhere", .error(64, "usage.file")),
            ("thread dataset make", "--out /dev/null", .error(64, "usage.file")),
            ("icd ls", "", .result("[]")),
            ("icd listen", "--wait", .error(64, "usage")),
            ("icd register", "lamp", .noNode),
            ("icd unregister", "lamp", .noNode),
            ("icd stay-active", "lamp", .noNode),
            ("time sync", "lamp", .noNode),
            ("group create", "lights", .result("{\"group\":1,")),
            ("group ls", "", .result("[]")),
            ("group add", "lights lamp", .error(3, "group.unknown")),
            ("group remove", "lights lamp", .error(3, "group.unknown")),
            ("group rekey", "lights", .error(3, "group.unknown")),
            ("group delete", "lights --yes", .error(3, "group.unknown")),
            ("serve run", "--attestation ask", .error(64, "usage")),
            ("serve take", "north", .error(10, "serve.not-running")),
            ("serve shares", "", .error(10, "serve.not-running")),
            ("serve token ls", "", .result("[]")),
            ("serve token add", "panel --role read", .result("{\"id\":")),
            ("serve token rm", "nowhere", .error(3, "serve.token-unknown")),
            ("trust update", "", .noLedger),
            ("trust ls", "", .result("[{\"keyId\":")),
            ("trust show", "Legrand", .result("[{\"keyId\":")),
            ("trust add", "/nowhere", .error(64, "usage.file")),
            ("trust remove", "0A0B --yes", .error(3, "trust.unknown")),
            ("trust export", "/nowhere", .error(3, "trust.nothing-to-export")),
            ("dcl model", "1 2", .noLedger),
            ("dcl vendor", "1", .noLedger),
            ("dcl versions", "1 2", .noLedger),
            ("dcl certified", "1 2", .noLedger),
            ("dcl pki", "", .noLedger),
            ("payload parse", "34970112332", .result("{\"flow\":")),
            ("payload make", "--passcode 20202021 --discriminator 1", .result("{\"qrCode\":")),
            ("decode", "/nowhere", .error(64, "usage.file")),
            ("tlv", "1524012A18", .result("{\"tagControl\":")),
            ("simulate", "on-off-light --port 0 --mdns none --for 100ms", .result("{\"event\":")),
            ("bench toggle", "lamp", .noNode),
            ("cloud login", "--profile den --user a --password-file /nowhere", .error(64, "usage.no-url")),
            ("cloud logout", "", .noLogin),
            ("cloud status", "", .noLogin),
            ("cloud group ls", "", .noLogin),
            ("cloud group create", "Lake", .noLogin),
            ("cloud group convert", "--group Lake", .noLogin),
            ("cloud group delete", "--group Lake --yes", .noLogin),
            ("cloud group user-noc", "--group Lake", .noLogin),
            ("cloud node ls", "", .noLogin),
            ("cloud node metadata", "k3v", .noLogin),
            ("cloud share ls", "", .noLogin),
            ("cloud share add", "--group Lake bob", .noLogin),
            ("cloud share remove", "--group Lake bob --yes", .noLogin),
            ("cloud share requests", "", .noLogin),
            ("cloud share accept", "sh-1", .noLogin),
            ("cloud share decline", "sh-1", .noLogin),
            ("cloud sync", "--group Lake", .noLogin),
            ("cloud issue-noc", "--group Lake --csr /nowhere", .noLogin),
            ("cloud confirm", "rq-1", .noLogin),
            ("rainmaker access refresh", "", .error(64, "usage.issuer")),
            ("rainmaker node-id", "lamp", .noNode),
            ("rainmaker challenge", "lamp", .noNode),
            ("rainmaker controller setup", "lamp --user a --url http://127.0.0.1:9", .noNode),
            ("rainmaker controller show", "lamp", .noNode),
            ("rainmaker controller set-token", "lamp --token-file /nowhere", .error(64, "usage.file")),
            ("rainmaker controller reset-token", "lamp", .noNode),
            ("rainmaker controller authorize", "lamp", .noNode),
            ("rainmaker controller update-noc", "lamp", .noNode),
            ("rainmaker controller update-devices", "lamp", .noNode),
            ("rainmaker dataset show", "lamp", .noNode),
            ("rainmaker dataset set", "lamp /nowhere", .error(64, "usage.file")),
            ("rainmaker dataset start", "lamp", .noNode),
            ("rainmaker dataset stop", "lamp", .noNode),
            ("rainmaker participant show", "lamp", .noNode),
            ("rainmaker participant set", "lamp --name Ada", .noNode),
        ] + kinds

    /// The state of each kind of device, and each verb.
    private static var kinds: [(command: String, arguments: String, ending: Ending)] {
        DeviceKind.all.map { $0.kind }.flatMap { kind in
            [(kind.name, "lamp", .noNode), (kind.name, "show lamp --watch", .noNode)]
                + kind.verbs.filter { $0.ownWords == nil }.map { verb in
                    (kind.name, [verb.name, "lamp", verb.example].compactMap { $0 }.joined(separator: " "), .noNode)
                }
        }
    }

    /// The runs that end with an error, for their snapshots.
    static var mistakes: [String] {
        runs.dropLast(kinds.count).compactMap {
            if case .error = $0.ending { $0.command + ($0.arguments.isEmpty ? "" : " " + $0.arguments) } else { nil }
        }
    }

    @Test("every command of the tree has a run here")
    func tree() {
        let commands = UsageTests.commands.map { $0.words.joined(separator: " ") }
        #expect(Set(commands) == Set(Self.runs.map(\.command)))
    }

    @Test("an endpoint of a node is taken where the declaration says so, and nowhere else")
    func endpoints() async throws {
        let types = Dictionary(
            uniqueKeysWithValues: UsageTests.commands.map { ($0.words.joined(separator: " "), $0.type) })
        let shell = try Shell()
        try await shell.succeed("fabric create home")
        var seen: Set<String> = []
        for (command, arguments, ending) in Self.runs where arguments.hasPrefix("lamp") {
            guard case .error(3, "node.unknown") = ending, let type = types[command],
                let kind = CommandDeclaration(of: type).argument(0)?.kind
            else { continue }
            let run = try await shell.run(
                "\(command) \(arguments.replacing("lamp", with: "lamp/1", maxReplacements: 1))")
            switch kind {
            case .endpoint, .endpointOrGroup, .deviceWords, .nodesAndValue:
                #expect(run.status == 3, "\(command): \(run)")
            case .node, .nodeOrGroup, .nodeOrPath:
                #expect([3, 64].contains(run.status), "\(command): \(run)")
                // A word with a slash is the name of no node.
                if run.status == 3 { #expect(run.stderr.contains("lamp/1"), "\(command): \(run)") }
            default: Issue.record("\(command): \(kind)")
            }
            seen.insert(kind.text)
        }
        #expect(seen.isSuperset(of: ["node", "nodeOrGroup", "endpoint", "endpointOrGroup", "deviceWords"]), "\(seen)")
    }

    @Test("every command parses, and ends with its result or its error: the exit code, one object, nothing else")
    func endings() async throws {
        for (command, arguments, ending) in Self.runs {
            let shell = try Shell(["MATTERCTL_LEDGER": "http://127.0.0.1:9"])
            try await shell.succeed("fabric create home")
            let run = try await shell.run("\(command) \(arguments) --json")
            switch ending {
            case .result(let start):
                #expect(run.status == 0 && run.stdout.hasPrefix(start), "\(command): \(run)")
                #expect(start.isEmpty == run.stdout.isEmpty, "\(command): \(run)")
            case .error(let status, let id):
                #expect(run.status == status && run.stdout.isEmpty, "\(command): \(run)")
                let error = try run.error()
                #expect(error.text("id") == id && error["exitCode"] == .int(Int64(status)), "\(command): \(run)")
            }
        }
    }
}
