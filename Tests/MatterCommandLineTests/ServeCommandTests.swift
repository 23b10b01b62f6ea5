import Foundation
import JSON
import MatterTestKit
import TestSupport
import Testing

@testable import MatterCommandLine

/// The tokens of the server.
@Suite("Tokens of the server", .together) struct ServeCommandTests {
    private static func shell() async throws -> Shell {
        let shell = try Shell(now: 1_767_225_600)
        try await shell.succeed("fabric create home")
        return shell
    }

    @Test("a token is made, is the only line on stdout, is listed without its text, and is taken back")
    func life() async throws {
        let shell = try await Self.shell()
        let made = try await shell.run("serve token add panel --role control --role read")
        let text = made.stdout.trimmingCharacters(in: .newlines)
        #expect(made.status == 0 && text.hasPrefix("mctl_") && text.utf8.count == 48, "\(made)")
        #expect(made.stdout == "\(text)\n" && !made.stderr.contains(text) && made.stderr.contains("panel"))
        let json = try await shell.run("serve token add öwner --role administer --json")
        let other = try JSONValue(parsing: json.stdout)
        #expect(other["token"]?.stringValue?.hasPrefix("mctl_") == true && other["token"]?.stringValue != text)
        #expect(other["roles"] == ["administer"] && other["createdAt"] == "2026-01-01T00:00:00Z")
        let listed = try await shell.run("serve token ls --json").stdout
        let list = try JSONValue(parsing: listed).arrayValue ?? []
        #expect(list.map { $0["name"] } == ["panel", "öwner"] && list.first?["roles"] == ["read", "control"])
        #expect(!listed.contains("mctl_") && !listed.contains("token\""))
        let table = try await shell.run("serve token list").stdout
        #expect(table.contains("panel") && table.contains("read, control"), "\(table)")
        // By its id, and by its name in other letters.
        let id = try #require(list.first?["id"]?.stringValue)
        #expect(
            try await shell.run("serve token rm \(id) --json").stdout
                == "{\"id\":\"\(id)\",\"name\":\"panel\",\"result\":\"removed\"}\n")
        #expect(try await shell.run("serve token remove Öwner").status == 0)
        #expect(try await shell.run("serve token ls --json").stdout == "[]\n")
    }

    @Test("the file belongs to the user alone, and has no token in it")
    func file() async throws {
        let shell = try await Self.shell()
        let text = try await shell.run("serve token add panel --role read").stdout.dropLast()
        let path = shell.home + "/fabrics/home/programs"
        let files = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(files == ["serve-tokens.json"])
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(path) == 0o700 && mode(path + "/serve-tokens.json") == 0o600)
        let contents = try String(contentsOfFile: path + "/serve-tokens.json", encoding: .utf8)
        #expect(contents.contains("panel") && !contents.contains(text) && !contents.contains(text.dropFirst(5)))
    }

    @Test("each fabric has tokens of its own, which go with it")
    func fabrics() async throws {
        let shell = try await Self.shell()
        try await shell.succeed("serve token add panel --role read")
        try await shell.succeed("fabric create lab")
        #expect(try await shell.run("serve token ls --fabric lab --json").stdout == "[]\n")
        try await shell.succeed("serve token add panel --role read --fabric lab")
        try await shell.succeed("fabric remove lab --yes")
        try await shell.succeed("fabric create lab")
        #expect(try await shell.run("serve token ls --fabric lab --json").stdout == "[]\n")
    }

    @Test(
        "what cannot be a token is refused",
        arguments: [
            ("serve token add panel", 64, "usage"), ("serve token add panel --role owner", 64, "usage"),
            ("serve token add 0123abcd --role read", 64, "usage"),
            ("serve token add taken --role read", 10, "serve.token-exists"),
            ("serve token add TAKEN --role read", 10, "serve.token-exists"),
            ("serve token rm nowhere", 3, "serve.token-unknown"),
            ("serve token add panel --role read --fabric nowhere", 3, "fabric.unknown"),
        ])
    func refused(line: String, status: Int32, id: String) async throws {
        let shell = try await Self.shell()
        try await shell.succeed("serve token add taken --role read")
        let run = try await shell.run(line + " --json")
        #expect(run.status == status && run.stdout.isEmpty, "\(run)")
        #expect(try run.error().text("id") == id)
    }

    @Test(
        "shares, their hosts and folders that cannot be are refused, and no token of a URL is shown",
        arguments: [
            ("serve run --firmware /nowhere", 64, "usage"), ("serve run --firmware /etc/passwd", 64, "usage"),
            ("serve run --stand-by north", 64, "usage"), ("serve run --only room:Hall --stand-by north", 64, "usage"),
            ("serve run --only room:Hall --peer unix:/run/x.sock", 64, "usage"),
            ("serve run --only north=room:Hall --peer south=unix:/run/x.sock", 64, "usage"),
            ("serve run --only north=room:Hall --peer ws://127.0.0.1:1/ws/mctl_secret", 64, "usage"),
            ("serve run --only north=room:Hall --peer north=ws://192.0.2.1/ws", 64, "usage"),
            ("serve take north", 10, "serve.not-running"), ("serve shares", 10, "serve.not-running"),
            ("serve take north --from ws://127.0.0.1:1/ws/mctl_secret", 64, "usage"),
            ("serve take north --from ws://192.0.2.1/ws", 64, "usage"),
            ("serve take north --from @/nowhere", 64, "usage.file"),
        ])
    func shares(line: String, status: Int32, id: String) async throws {
        let shell = try await Self.shell()
        let run = try await shell.run(line + " --json")
        #expect(run.status == status && run.stdout.isEmpty && !run.stderr.contains("secret"), "\(run)")
        #expect(try run.error().text("id") == id)
    }

    @Test("the name of a share stands before its nodes")
    func words() {
        for (word, share, text) in [
            ("north=room:Hall", "north", "room:Hall"), ("room:Hall", nil, "room:Hall"), ("3", nil, "3"),
            ("north=@/run/url", "north", "@/run/url"), ("ws://127.0.0.1/ws?a=b", nil, "ws://127.0.0.1/ws?a=b"),
            ("two words=3", nil, "two words=3"), ("n=room:a=b", "n", "room:a=b"),
        ] as [(String, String?, String)] {
            let parsed = ServeShare.Word(word)
            #expect(parsed.share == share && parsed.text == text, "\(word)")
        }
    }

    @Test("a record that is damaged is told as such, and is not written over")
    func damaged() async throws {
        let shell = try await Self.shell()
        try await shell.succeed("serve token add panel --role read")
        let path = shell.home + "/fabrics/home/programs/serve-tokens.json"
        try "{}".write(toFile: path, atomically: false, encoding: .utf8)
        for line in ["serve token ls", "serve token add other --role read", "serve token rm panel"] {
            let run = try await shell.run(line + " --json")
            #expect(try run.status == 10 && run.error().text("id") == "state.damaged", "\(line): \(run)")
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{}")
    }
}
