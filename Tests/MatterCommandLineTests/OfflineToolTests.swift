import Foundation
import JSON
import MatterCommandLine
import TestSupport
import Testing

@Suite("Offline tools", .fewAtATime) struct OfflineToolTests {
    @Test("payload parse: labelled lines, or one object; two payloads are an array, two blocks of lines")
    func payloadParse() async throws {
        let shell = try Shell()
        let lines = try await shell.succeed("payload parse 3497-011-2332").stdout
        #expect(lines == "flow\tstandard\nshort discriminator\t15\npasscode\t20202021\n")
        let object = try await shell.succeed("payload parse MT:Y.K9042C00KA0648G00 --json").stdout
        #expect(
            object == """
                {"vendorId":65521,"productId":32768,"flow":"standard","capabilities":["ble"],"discriminator":3840,\
                "shortDiscriminator":15,"passcode":20202021}

                """)
        #expect(try await shell.succeed("payload parse - --json", input: "34970112332\n").stdout.contains("20202021"))
    }

    @Test("payload make: both codes; what it makes, parse reads")
    func payloadMake() async throws {
        let shell = try Shell()
        let made = try await shell.succeed(
            "payload make --passcode 20202021 --discriminator 3840 --vendor-id 0xFFF1 --product-id 0x8001 "
                + "--capability ble --capability on-network --serial ABC --json"
        ).json()
        #expect(made["manualCode"]?.stringValue == "34970112332")
        let code = try #require(made["qrCode"]?.stringValue)
        let parsed = try await shell.succeed("payload parse \(code) --json").json()
        #expect(parsed["serialNumber"] == "ABC" && parsed["productId"] == .uint(0x8001))
        let text = try await shell.succeed("payload make --passcode 20202021 --discriminator 3840").stdout
        #expect(text.hasSuffix("\n3497-011-2332\n") && text.hasPrefix("MT:"))
    }

    @Test(
        "a code or a part of one that is not valid: 64, and the id says what",
        arguments: [
            ("payload parse 34970112333", "payload.check-digit"), ("payload parse 349", "payload.length"),
            ("payload parse hello", "payload.unrecognized"), ("payload parse MT:!", "payload.character"),
            ("payload make --passcode 11111111 --discriminator 1", "payload.passcode"),
            ("payload make --passcode 20202021 --discriminator 4096", "payload.discriminator"),
            ("payload make --passcode 20202021 --discriminator 1 --flow 7", "usage.flow"),
            ("payload make --passcode 20202021 --discriminator 1 --capability pigeon", "usage.capability"),
            ("tlv 15", "tlv.truncated"), ("tlv 1", "tlv.invalid-hex"), ("tlv {", "json.syntax"),
            ("tlv @/nowhere/at/all", "usage.file"), ("clusters zzz", "data-model.unknown-cluster"),
            ("clusters 0x12345678", "data-model.unknown-cluster"),
        ])
    func invalid(words: String, id: String) async throws {
        let run = try await Shell().run(words + " --json")
        #expect(run.status == 64 && run.stdout.isEmpty, "\(run)")
        #expect(try run.error().text("id") == id)
        #expect(try run.error()["exitCode"] == .uint(64))
    }

    @Test("thread dataset: what make writes is private, and show reads it; no output has a key in it")
    func threadDataset() async throws {
        let shell = try Shell()
        let file = shell.path("dataset.hex")
        let made = try await shell.succeed("thread dataset make --name MyHome --channel 15 --out \(file) --json")
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let secret = try String(contentsOfFile: file, encoding: .utf8)
        let shown = try await shell.succeed("thread dataset show @\(file) --json")
        #expect(try await shell.succeed("thread dataset show - --json", input: secret).stdout == shown.stdout)
        var object = try #require(try made.json().objectValue)
        #expect(object["file"]?.stringValue == file)
        object["file"] = nil
        #expect(.object(object) == (try shown.json()))
        #expect(object["networkName"] == "MyHome" && object["channel"] == .uint(15))
        #expect(object["hidden"] == ["PSKc", "network key"])
        let lines = try await shell.succeed("thread dataset show @\(file)").stdout
        #expect(lines.contains("channels\t11–26\n") && lines.contains("hidden\tPSKc, network key\n"))
        // The network key follows its type and length.
        let key = try #require(secret.range(of: "0510").map { secret[$0.upperBound...].prefix(32) })
        for text in [made.description, shown.description, lines] {
            #expect(!text.lowercased().contains(key.lowercased()))
        }
        // A file that is there is not overwritten.
        let again = try await shell.run("thread dataset make --out \(file) --json")
        let kept = try String(contentsOfFile: file, encoding: .utf8)
        #expect(again.status == 64 && kept == secret)
    }

    @Test(
        "a dataset with a mistake, or as an argument: 64, and the id says what",
        arguments: [
            ("thread dataset show 0e08", "", "usage.secret-argument"),
            ("thread dataset show -", "hello!", "thread.unrecognized"),
            ("thread dataset show -", "0e08", "thread.malformed"),
            ("thread dataset show -", "01021234", "thread.incomplete"),
            ("thread dataset show -", "3308000000000000000", "thread.unrecognized"),
            ("thread dataset show -", "33080000000000000000", "thread.invalid-value"),
            ("thread dataset make --out /x --passphrase secret", "", "usage"),
            ("thread dataset make --out /x --channel 27", "", "usage"),
        ])
    func threadMistakes(words: String, input: String, id: String) async throws {
        let run = try await Shell().run((words + " --json").split(separator: " ").map(String.init), input: input)
        #expect(run.status == 64 && run.stdout.isEmpty, "\(run)")
        #expect(try run.error().text("id") == id)
        #expect(!run.stderr.contains("--passphrase secret"))
    }

    @Test("tlv: hexadecimal to JSON and back, from an argument, a file or stdin")
    func tlv() async throws {
        let shell = try Shell()
        let json = try await shell.succeed("tlv 1524012A18 --json").stdout
        #expect(
            json == """
                {"tagControl":"anonymous","type":"structure","members":[{"tagControl":"context","type":"uint8","tag":1,"value":42}]}

                """)
        #expect(try await shell.succeed("tlv", input: json).stdout == "1524012a18\n")
        #expect(try await shell.succeed("tlv @\(shell.file("x", " 1524012A18\n")) --json").stdout == json)
        #expect(try await shell.succeed("tlv 1524012A18").stdout.contains("\n  \"type\": \"structure\""))
    }

    @Test("clusters: all of them, or one with what it has; a table on a terminal")
    func clusters() async throws {
        let shell = try Shell()
        #expect(try await shell.succeed("clusters").stdout.contains("\n0x0006\ton-off\t-\n"))
        let all = try await shell.succeed("clusters --json").json()
        #expect(try #require(all.arrayValue).contains(["id": .uint(6), "name": "OnOff"]))
        #expect(try await shell.succeed("clusters on-off --json").json()["revision"] != nil)
        #expect(try await shell.succeed("clusters 6").stdout.contains("off-with-effect"))
        let table = try await Shell(terminals: [.output]).succeed("clusters").stdout
        #expect(table.hasPrefix("ID ") && table.contains("\n0x0006") && !table.contains("\t"))
    }
}
