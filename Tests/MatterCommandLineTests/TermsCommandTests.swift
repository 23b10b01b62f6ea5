import Foundation
import JSON
import MatterCommandLine
import MatterTestKit
import Synchronization
import TestSupport
import Testing

@testable import MatterCrypto

/// A device that wants its manufacturer's terms accepted, and the ledger that has them.
@Suite("Terms of a device", .fewAtATime) struct TermsCommandTests {
    private let shell: Shell
    private let device: Background
    private let server: StandInServer
    private let words: String

    private static let texts = #"""
        {"schemaVersion":1,"esfRevision":3,"defaultCountry":"US","countryEntries":{"US":{"defaultLanguage":"en",
        "languageEntries":{"en":[{"ordinal":0,"required":true,"title":"Terms","text":"<p>Be \u001b[31mkind.</p>"},
        {"ordinal":1,"required":false,"title":"Data use","text":"We count <b>toggles</b>."}]}}}}
        """#

    init() async throws {
        let digest = Data(SHA256.hash(Array(Self.texts.utf8))).base64EncodedString()
        let (size, texts) = (Self.texts.utf8.count, Self.texts)
        // The port is known only when the server is there.
        let address = SharedText()
        server = try StandInServer { target in
            switch target {
            case "/dcl/model/models/65521/32769":
                StandInServer.Answer(
                    #"""
                    {"model":{"vid":65521,"pid":32769,"productName":"Plug","enhancedSetupFlowOptions":1,
                    "enhancedSetupFlowTCUrl":"\#(address.text)/terms.json","enhancedSetupFlowTCRevision":3,
                    "enhancedSetupFlowTCDigest":"\#(digest)","enhancedSetupFlowTCFileSize":\#(size)}}
                    """#)
            case "/terms.json": StandInServer.Answer(texts)
            default: StandInServer.Answer(LedgerScene.notFound, status: 404)
            }
        }
        address.text = server.url
        shell = try Shell(["MATTERCTL_LEDGER": server.url])
        device = try shell.start(
            "simulate on-off-light --port 0 --mdns none --terms 2:1 --paa-out \(shell.path("trust"))/paa.der")
        let port = try await device.line("ready")
        words =
            "commission 34970112332 --address 127.0.0.1:\(port) --allow-test-devices --trust \(shell.path("trust")) "
            + "--timeout 60s --name plug --home \(shell.home)"
    }

    /// The same home, with a person at the terminal.
    private func atTerminal() throws -> Shell {
        try Shell(["MATTERCTL_LEDGER": server.url], terminals: [.input, .error])
    }

    private func accepted() async throws -> [JSONValue?] {
        let port = try await device.line("ready")
        let read = try await shell.succeed(
            "read plug 0/0x30/5 0/0x30/7 0/0x30/8 --json --address 127.0.0.1:\(port)")
        return try #require(try read.json().arrayValue).map { $0["value"] }
    }

    @Test("without a terminal the terms are an error that names the options; the device forgets, and stays open")
    func scripts() async throws {
        let refused = try await shell.run(words + " --json")
        #expect(refused.status == 8 && refused.stdout.isEmpty, "\(refused)")
        let error = try refused.error()
        #expect(error.text("id") == "commission.terms-required" && error.text("device") == "rolled-back")
        #expect(error["termsVersion"] == 2 && error["vendorId"] == 65521 && error["productId"] == 32769)
        #expect(error.text("hint")?.contains("--accept-terms") == true)
        #expect(server.requests.isEmpty, "nothing is fetched that was not asked for")
        let old = try await shell.run(words + " --terms 1:1 --json")
        #expect(try old.error().text("id") == "commission.terms-required")
        let less = try await shell.run(words + " --terms 2:2 --json")
        #expect(less.status == 8)
        #expect(try less.error().text("id") == "commission.device-refused")
        #expect(try less.error().text("device") == "rolled-back")
        #expect(try await shell.succeed("node ls --json").json().arrayValue?.isEmpty == true)
        try await shell.succeed(words + " --terms 2:0x1")
        #expect(try await accepted() == [2, 1, false] as [JSONValue])
        #expect(server.requests.isEmpty)
        let port = try await device.line("ready")
        try await shell.succeed("node remove plug --yes --address 127.0.0.1:\(port)")
        let anew = try await shell.run(words + " --json")
        #expect(try anew.error().text("id") == "commission.terms-required", "a reset device asks again")
    }

    @Test("--accept-terms accepts the required texts of the ledger, which are fetched once a device has asked for them")
    func flag() async throws {
        let run = try await shell.succeed(words + " --accept-terms --json")
        #expect(try run.json()["name"] == "plug")
        #expect(try await accepted() == [3, 1, false] as [JSONValue])
        #expect(server.requests == ["/dcl/model/models/65521/32769", "/terms.json"])
        let port = try await device.line("ready")
        try await shell.succeed("node remove plug --yes --address 127.0.0.1:\(port)")
        try await shell.succeed(words + " --accept-terms")
        #expect(server.requests.count == 2, "they are known now")
    }

    @Test("on a terminal the texts are shown without what could harm it, and asked for one by one")
    func terminal() async throws {
        let terminal = try atTerminal()
        let run = try await terminal.run(words, input: "y\nn\n")
        #expect(run.status == 0, "\(run)")
        for line in [
            "The manufacturer of this device 'Plug' wants its terms accepted, version 3:", server.url + "/terms.json",
            "Terms (required)", "Be \\x1b[31mkind.", "Data use (optional)", "We count toggles.",
        ] { #expect(run.messages.contains(line), "\(line)\n\(run)") }
        #expect(run.stderr.contains("Accept 'Terms'? [y/N] "))
        #expect(try await accepted() == [3, 1, false] as [JSONValue])
    }

    @Test("accepted optional texts count too; a required one that is not accepted leaves the device as it was")
    func answers() async throws {
        let terminal = try atTerminal()
        for input in ["n\n", "", "\n"] {
            let refused = try await terminal.run(words, input: input)
            #expect(refused.status == 8 && !refused.stderr.contains("Data use"), "\(refused)")
        }
        try await terminal.succeed(words, input: "Yes\ny\n")
        #expect(try await accepted() == [3, 3, false] as [JSONValue])
    }

    @Test("texts that cannot be had are said to be missing, and why")
    func missingTexts() async throws {
        let lost = try Shell(["MATTERCTL_LEDGER": "http://127.0.0.1:9"], terminals: [.input, .error])
        let run = try await lost.run(words, input: "y\n")
        #expect(run.status == 8 && run.stderr.contains("the texts could not be had: "), "\(run)")
        #expect(run.stderr.contains("hint: name them, as the manufacturer does: --terms VERSION:MASK"))
    }

    @Test("only a version and a mask are terms", arguments: ["1", "0:1", "1:", "65536:1", "1:0x10000", "a:b"])
    func usage(terms: String) async throws {
        #expect(try await shell.run(words + " --terms " + terms).status == 64)
        #expect(try await shell.run("simulate on-off-light --terms " + terms).status == 64)
    }
}

private final class SharedText: Sendable {
    private let value = Mutex("")

    var text: String {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
