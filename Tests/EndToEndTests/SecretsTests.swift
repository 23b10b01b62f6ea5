import Foundation
import Testing

@Suite("Secrets and terminals", .enabled(if: Laboratory.isHere), .laboratorySlot) struct SecretsTests {
    @Test("neither setup codes nor keys appear in the most talkative log, nor in a log file")
    func logs() async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let log = matterctl.folder.file("log")
        let verbose = try await matterctl(
            "commission", "-", "--address", light.address, "--allow-test-devices", "--name", "kitchen", "-vv",
            input: light.qrCode + "\n")
        #expect(verbose.status == 0, "\(verbose)")
        try await matterctl.succeed("toggle", "kitchen", "-vv", "--log-file", log.path)
        let toggled = try await matterctl.succeed("toggle", "kitchen", "-vv")
        let wrong = try await matterctl(
            "commission", light.manualCode, "--address", light.address, "-vv", "--json", "--timeout", "5s")
        #expect(wrong.status != 0)
        let written = try String(contentsOf: log, encoding: .utf8)
        #expect(!written.isEmpty && verbose.stderr.count > 500, "there is a log at all")
        let everything = [verbose.stdout, verbose.stderr, written, toggled.stderr, wrong.stdout, wrong.stderr]
            .joined(separator: "\n").lowercased()
        #expect(!everything.contains("\(light.passcode)"))
        #expect(!everything.contains(light.qrCode.dropFirst(3).lowercased()))
        #expect(!everything.contains(light.manualCode))
        #expect(!everything.contains(light.manualCode.filter(\.isNumber)))
        let keys = try SecretRecords.all(below: matterctl.home)
        #expect(keys.count >= 4, "the fabric's keys and the session's secret: \(keys.count)")
        for (name, forms) in keys {
            for form in forms { #expect(!everything.contains(form), "\(name)") }
        }
    }

    @Test("on a terminal: stages live, lists as tables, control characters of devices made harmless")
    func terminal() async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        func onTerminal(_ words: String) async throws -> String {
            var environment = Laboratory.environment
            environment["MATTERCTL_HOME"] = matterctl.home.path
            let child = try Child(
                URL(fileURLWithPath: "/usr/bin/script"), ["-qec", "\(Laboratory.binary.path) \(words)", "/dev/null"],
                environment: environment, folder: matterctl.folder)
            #expect(await child.status() == 0, "\(child.stdout)")
            return child.stdout
        }
        let live = try await onTerminal(
            "commission \(light.qrCode) --address \(light.address) --allow-test-devices --name kitchen")
        #expect(live.contains("pase") && live.contains("\r"), "\(live)")
        try await matterctl.succeed("write", "kitchen", "0/basic-information/node-label", "a\u{1B}[2Jb\tc")
        let table = try await onTerminal("node ls")
        #expect(table.contains("NODE") && table.contains("kitchen"), "\(table)")
        #expect(try await onTerminal("read kitchen 0/basic-information/node-label").contains("\u{1B}") == false)
        let plain = try await matterctl.succeed("read", "kitchen", "0/basic-information/node-label")
        #expect(plain.stdout == "a\\x1b[2Jb\\x09c\n" || plain.stdout == "a\\x1b[2Jb\\tc\n", "\(plain)")
    }

    @Test("help, version and completion are results: on stdout, 0")
    func results() async throws {
        let matterctl = try MatterCtl()
        for words in [
            ["--help"], ["commission", "--help"], ["--version"], ["--generate-completion-script", "bash"],
            ["--generate-completion-script", "zsh"], ["--generate-completion-script", "fish"],
        ] {
            let outcome = try await matterctl.run(words)
            #expect(outcome.status == 0 && !outcome.stdout.isEmpty && outcome.stderr.isEmpty, "\(outcome)")
        }
        let help = try await matterctl.succeed("--help").stdout
        for verb in ["commission", "discover", "toggle", "read", "invoke", "node", "fabric", "payload", "tlv"] {
            #expect(help.contains("  \(verb)"), "\(help)")
        }
    }

    @Test("the offline tools: a code taken apart and made again, TLV there and back")
    func offline() async throws {
        let matterctl = try MatterCtl()
        let made = try await matterctl.succeed(
            "payload", "make", "--passcode", "20202021", "--discriminator", "3840", "--vendor-id", "0xFFF4",
            "--product-id", "0x1234", "--json"
        ).json()
        let code = try #require(made["qrCode"]?.string)
        #expect(made["manualCode"]?.string?.filter(\.isNumber) == "34970112332")
        let parsed = try await matterctl.succeed("payload", "parse", code, "--json").json()
        #expect(
            parsed.description == """
                {"capabilities":["on-network"],"discriminator":3840,"flow":"standard","passcode":20202021,\
                "productId":4660,"shortDiscriminator":15,"vendorId":65524}
                """)
        #expect(
            try await matterctl.succeed("payload", "parse", "3497-011-2332").stdout.contains("passcode\t20202021\n"))
        // A serial number, and two elements of the vendor's own: 128 a text, 129 a number.
        let rich = "MT:Y.K90AFN00KA064IJ3P0GUE205QWE1EVO12RA573CM-80O0"
        let full = try await matterctl.succeed("payload", "parse", rich, "--json").json()
        #expect(full["serialNumber"]?.string == "AB")
        #expect(full["vendorElements"]?.description == #"{"128":"Acme","129":7}"#)
        #expect(
            try await matterctl.succeed("payload", "parse", rich).stdout
                .hasSuffix("serial number\tAB\nvendor element 128\tAcme\nvendor element 129\t7\n"))
        let json = try await matterctl.succeed("tlv", "1524012A18", "--json").result
        #expect(try await matterctl.succeed("tlv", json).result.lowercased() == "1524012a18")
        #expect(try await matterctl("tlv", input: "1524012A18\n").status == 0)
    }
}
