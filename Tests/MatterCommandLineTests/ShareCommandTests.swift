import Foundation
import JSON
import MatterCommandLine
import TestSupport
import Testing

/// `share`, with virtual devices in this process. Tests/EndToEndTests has servers.
@Suite("Sharing several nodes", .fewAtATime) struct ShareCommandTests {
    private let shell: Shell
    private let devices: [Background]

    /// Two lights, of which the second one has room for its own fabric only.
    init() async throws {
        shell = try Shell()
        var devices: [Background] = []
        for (number, more) in [(1, ""), (2, " --fabrics 1")] {
            let device = try shell.start(
                "simulate on-off-light --port 0 --mdns none --state \(shell.path("light\(number)"))\(more)")
            let port = try await device.line("ready")
            try await shell.succeed(
                "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name light\(number) --room Hall --timeout 60s"
            )
            devices.append(device)
        }
        self.devices = devices
    }

    @Test("a device whose table of fabrics is full is named before a window is opened, and costs the others nothing")
    func fullTable() async throws {
        let run = try await shell.run("share --all --json")
        let lines = try run.stdout.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        let open = try #require(lines.first { $0["name"] == "light1" })
        let full = try #require(lines.first { $0["name"] == "light2" })
        #expect(run.status == 5 && lines.count == 2, "\(run)")
        #expect(open["result"] == "open" && open["window"] == "enhanced" && open["leftSeconds"] == 300, "\(open)")
        #expect(open["until"]?.stringValue?.hasSuffix("Z") == true && open["room"] == "Hall")
        #expect(full["result"] == "failed" && full["error"]?["id"] == "share.table-full", "\(full)")
        #expect(
            full["error"]?["message"] == "node 'light2' has no room for another fabric: 1 of 1 are taken", "\(full)")
        #expect(try run.error().text("id") == "share.incomplete")
        #expect(try await shell.succeed("window status light2").stdout == "closed\n")
        #expect(try await shell.succeed("window status light1").stdout.hasPrefix("enhanced\nopened by\tour fabric"))

        let again = try await shell.run("share --room Hall")
        #expect(
            again.stdout.split(separator: "\n").sorted() == [
                "1\tlight1\tfailed\t-\t-\t-", "2\tlight2\tfailed\t-\t-\t-",
            ])
        #expect(
            again.stderr.contains("node 'light1' has a commissioning window open already, opened by our own fabric"))
        let only = try await shell.run("share light2 --json")
        #expect(only.status == 5 && only.stdout.isEmpty)
        #expect(try only.error().text("id") == "share.table-full")
    }

    @Test("a page has a code for each window, with its picture, and needs nothing else; it is for its owner alone")
    func page() async throws {
        try await shell.succeed("node rename light1 <b>&light")
        let path = shell.path("codes.html")
        let run = try await shell.run("share --all --sheet \(path)")
        #expect(run.status == 5)
        let row = try #require(run.stdout.split(separator: "\n").first { $0.contains("\topen\t") }).split(
            separator: "\t")
        let page = try String(contentsOfFile: path, encoding: .utf8)
        for part in [
            String(row[3]), String(row[5]), "<svg viewBox=\"0 0 ", "&lt;b&gt;&amp;light", "node 1, Hall",
        ] {
            #expect(page.contains(part), "\(part): \(page)")
        }
        #expect(
            page.contains("<time datetime=\"\(row[4])\">") && page.contains("<li>node &#39;light2&#39;: "), "\(page)")
        #expect(
            !page.contains("<b>") && !page.contains("http:") && !page.contains("https:") && !page.contains("src=\""))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: shell.path("")).filter { $0.contains("codes") } == [
                "codes.html"
            ])
        // Paper takes its time.
        let status = try await shell.succeed("window status 1 --json").json()
        #expect((840...900).contains(status["leftSeconds"]?.integer() ?? 0), "\(status)")
    }

    @Test("a table has a line for each window; what looks like a formula is none")
    func table() async throws {
        #expect(try await shell.run(["node", "rename", "light1", "=1+1, \"x\""]).status == 0)
        let path = shell.path("codes.csv")
        let run = try await shell.run("share light* 1 --for 3min --sheet \(path) --json")
        let open = try JSONValue(
            parsing: String(try #require(run.stdout.split(separator: "\n").first { $0.contains("\"open\"") })))
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\r\n")
        #expect(lines.count == 2 && lines.first == "node,name,room,manualCode,qrCode,until", "\(lines)")
        let code = try #require(open["qrCode"]?.stringValue)
        #expect(lines.last?.hasPrefix("1,\"'=1+1, \"\"x\"\"\",Hall,") == true, "\(lines)")
        #expect(lines.last?.hasSuffix(",\(code),\(open["until"]?.stringValue ?? "-")") == true, "\(lines) \(open)")
    }

    @Test("a page that cannot be written is found out before a window is opened")
    func badPaths() async throws {
        let nowhere = try await shell.run("share light1 --sheet /proc/nowhere/codes.html --json")
        #expect(try nowhere.status == 64 && nowhere.error().text("id") == "usage.file", "\(nowhere)")
        try FileManager.default.createDirectory(atPath: shell.path("dir.csv"), withIntermediateDirectories: true)
        let run = try await shell.run("share light1 --sheet \(shell.path("dir.csv")) --json")
        #expect(try run.status == 64 && run.error().text("id") == "usage.file", "\(run)")
        #expect(try await shell.succeed("window status light1").stdout == "closed\n")
    }

    @Test("the next window is opened when another controller has used the one before")
    func turns() async throws {
        let third = try shell.start("simulate on-off-light --port 0 --mdns none --state \(shell.path("light3"))")
        let port = try await third.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name light3 --timeout 60s")
        let sharing = try shell.start("share light1 light3 --at-once 1")
        var code = ""
        _ = try await sharing.text { text in
            code = text.firstMatch(of: /light1\topen\t(\S+)/).map { String($0.1) } ?? ""
            return !code.isEmpty
        }
        #expect(try await shell.succeed("window status light3").stdout == "closed\n")
        let first = try await devices[0].line("ready")
        try await Shell().succeed("commission \(code) --address 127.0.0.1:\(first) --attestation skip --timeout 60s")
        let run = await sharing.end()
        #expect(run.status == 0 && run.stdout.split(separator: "\n").count == 2, "\(run)")
        #expect(run.messages == ["node 'light1' is on another fabric now, too"], "\(run)")
        #expect(try await shell.succeed("window status light3").stdout.hasPrefix("enhanced"))
    }

    @Test("options that contradict each other are refused, and so is an unencrypted way to another machine")
    func usage() async throws {
        for words in [
            "share", "share --all --basic", "share light1 --for 1min", "share --all --at-once 0",
            "share light1 --insecure",
            "share light1 --sheet codes.pdf", "share light1 --sheet a.csv --to unix:/x", "share light1 --ca x.pem",
            "share --all --address 127.0.0.1",
        ] {
            #expect(try await shell.run(words).status == 64, "\(words)")
        }
        let plain = try await shell.run("share light1 --to ws://hub.lan:5580/ws --json")
        #expect(try plain.status == 64 && plain.error().text("id") == "websocket.insecure-url", "\(plain)")
        #expect(try plain.error().text("message") == "open setup codes would travel unencrypted to hub.lan")
        #expect(try plain.error().text("hint")?.contains("--insecure") == true)
        let none = try await shell.run("share light1 --to unix:\(shell.path("none.sock")) --json")
        #expect(try none.status == 9 && none.error().text("id") == "websocket.unreachable", "\(none)")
        #expect(try await shell.succeed("window status light1").stdout == "closed\n")
    }
}
