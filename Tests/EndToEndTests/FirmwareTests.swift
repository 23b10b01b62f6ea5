import Foundation
import MatterCrypto
import MatterTestKit
import Synchronization
import TestSupport
import Testing

/// New firmware through the server, as Home Assistant's clients ask for it. The devices are virtual: no requestor of another maker was
/// in reach. The clients are the others' own.
@Suite("Firmware", .enabled(if: Laboratory.isHere && HomeAssistantClient.areHere), .laboratorySlot)
struct FirmwareTests {
    private static let models = "/dcl/model/versions/65521/32769"

    /// A ledger that has an image, and serves it.
    ///
    /// - Parameters:
    ///   - served: what is fetched in its place.
    ///   - checksum: that in the ledger; that of the image by default.
    private func ledger(
        _ image: [UInt8], version: Int = 2, serving served: [UInt8]? = nil, checksum: [UInt8]? = nil
    ) throws -> StandInServer {
        let digest = Data(checksum ?? SHA256.hash(image)).base64EncodedString()
        let place = Place()
        let server = try StandInServer { target in
            switch String(target.prefix { $0 != "?" }) {
            case Self.models:
                return .init(
                    #"{"modelVersions":{"vid":65521,"pid":32769,"softwareVersions":[1,\#(version)]}}"#)
            case "\(Self.models)/\(version)":
                return .init(
                    #"{"modelVersion":{"vid":65521,"pid":32769,"softwareVersion":\#(version),"#
                        + #""softwareVersionString":"\#(version).0","#
                        + #""softwareVersionValid":true,"otaUrl":"\#(place.url)/light.ota","otaFileSize":"\#(image.count)","#
                        + #""otaChecksum":"\#(digest)","otaChecksumType":1,"minApplicableSoftwareVersion":0,"#
                        + #""maxApplicableSoftwareVersion":1}}"#)
            case "/light.ota":
                var answer = StandInServer.Answer("")
                answer.octets = served ?? image
                return answer
            default: return .init(LedgerScene.notFound, status: 404)
            }
        }
        place.set(server.url)
        return server
    }

    private final class Place: Sendable {
        private let text = Mutex("")

        var url: String { text.withLock { $0 } }
        func set(_ url: String) { text.withLock { $0 = url } }
    }

    private func image(_ count: Int, version: UInt32 = 2) -> [UInt8] {
        var image = FirmwareImage()
        (image.version, image.text) = (version, "\(version).0")
        image.payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        return image.octets
    }

    private func ask(
        _ client: HomeAssistantClient, _ ledger: StandInServer?, _ options: [String], _ steps: [String],
        serving more: [String] = []
    ) async throws -> (answers: [JSON], device: VirtualDevice, log: String) {
        let folder = try TemporaryFolder()
        let device = try await VirtualDevice.start("on-off-light", options: options, isAdvertised: true)
        var matterctl = try MatterCtl()
        try await matterctl.commission(device, ["--name", "lamp"])
        // Without a ledger: nothing listens there.
        matterctl.environment["MATTERCTL_LEDGER"] = ledger?.url ?? "http://127.0.0.1:9"
        let house = try await RunningHouse(matterctl, more)
        let child = try client.start(house.url, steps, in: folder)
        _ = await child.status(within: .seconds(240))
        device.stop()
        let answers = child.lines.filter { $0["step"] != nil }
        try #require(answers.count == steps.count, "\(child.stdout.suffix(3000))\n\(child.stderr)\n\(house.log)")
        return (answers, device, house.log)
    }

    @Test(
        "a client has a node updated, and sees the new version", .timeLimit(.minutes(15)),
        arguments: [HomeAssistantClient.ha8, .ha15])
    func update(client: HomeAssistantClient) async throws {
        let steps = [
            #"["expect", 1, 1, "OnOff", "OnOff", false]"#, #"["check-update", 1]"#, #"["update", 1, 2]"#,
            #"["expect", 1, 0, "BasicInformation", "SoftwareVersion", 2]"#, #"["update", 1, 2]"#,
        ]
        let seen = try await ask(client, ledger(image(200_000)), ["--updates"], steps)
        #expect(seen.answers[1]["result"]?["software_version"]?.int == 2, "\(seen.answers[1])")
        #expect(seen.answers[2]["error"] == nil, "\(seen.answers[2])\n\(seen.log)")
        #expect(seen.answers[3]["error"] == nil, "\(seen.answers[3])")
        // There is none for the version that it has now.
        #expect(seen.answers[4]["error"]?["code"]?.int == 10, "\(seen.answers[4])")
    }

    @Test(
        "an image that is damaged, or is not the ledger's, and a node that takes none, fail with the reason",
        .timeLimit(.minutes(15)))
    func refused() async throws {
        let steps = [#"["expect", 1, 1, "OnOff", "OnOff", false]"#, #"["update", 1, 2]"#, #"["update", 1, "7"]"#]
        let sound = image(5000)
        var damaged = sound
        damaged[damaged.count - 1] ^= 1
        for (ledger, options, words) in [
            (try ledger(sound, serving: damaged), ["--updates"], "digest"),
            (try ledger(sound, checksum: SHA256.hash([1])), ["--updates"], "checksum"),
            (try ledger(sound), [], "takes no firmware"),
        ] {
            let seen = try await ask(.ha15, ledger, options, steps)
            #expect(seen.answers[1]["error"]?["code"]?.int == 11, "\(seen.answers[1])\n\(seen.log)")
            #expect(seen.answers[2]["error"]?["code"]?.int == 10, "\(seen.answers[2])\n\(seen.log)")
            #expect("\(seen.answers[1])".contains(words), "\(seen.answers[1])")
            #expect("\(seen.answers[2])".contains("no version '7'"), "\(seen.answers[2])")
        }
    }

    @Test(
        "an image that a client uploads is told and given to a node, without the ledger and before the ledger's",
        .timeLimit(.minutes(15)))
    func uploaded() async throws {
        let folder = try TemporaryFolder()
        let own = image(150_000)
        try Data(own).write(to: folder.file("own.ota"))
        let steps = [
            #"["expect", 1, 1, "OnOff", "OnOff", false]"#, #"["check-update", 1]"#,
            #"["call", "upload_ota_file", {"image": "\#(folder.file("own.ota").path)"}]"#, #"["check-update", 1]"#,
            #"["update", 1, 2]"#, #"["expect", 1, 0, "BasicInformation", "SoftwareVersion", 2]"#,
            #"["check-update", 1]"#,
        ]
        // The ledger's image of this version cannot be fetched, so that the uploaded one was used.
        for ledger in [nil, try ledger(image(5000), serving: [])] {
            let seen = try await ask(.ha15, ledger, ["--updates"], steps, serving: ["--schema", "13"])
            if ledger == nil {
                #expect(seen.answers[1]["error"]?["code"]?.int == 10, "\(seen.answers[1])")
            } else {
                #expect(seen.answers[1]["result"]?["update_source"]?.string == "main-net-dcl", "\(seen.answers[1])")
            }
            for number in [2, 3] {
                let told = seen.answers[number]["result"]
                #expect(told?["software_version"]?.int == 2, "\(seen.answers[number])\n\(seen.log)")
                #expect(told?["update_source"]?.string == "local", "\(seen.answers[number])")
            }
            #expect(seen.answers[4]["error"] == nil, "\(seen.answers[4])\n\(seen.log)")
            #expect(seen.answers[5]["error"] == nil, "\(seen.answers[5])")
            // None is newer than what it has now.
            #expect(seen.answers[6]["result"]?["software_version"] == nil, "\(seen.answers[6])")
        }
    }

    @Test(
        "an image in the folder of --firmware is given as well; a newer one of the ledger is told instead",
        .timeLimit(.minutes(15)))
    func shelf() async throws {
        let folder = try TemporaryFolder()
        try Data(image(9000)).write(to: folder.file("light.ota"))
        try Data("nothing".utf8).write(to: folder.file("wrong.ota"))
        let options = ["--firmware", folder.url.path, "-v"]
        let steps = [
            #"["expect", 1, 1, "OnOff", "OnOff", false]"#, #"["check-update", 1]"#, #"["update", 1, "2.0"]"#,
            #"["expect", 1, 0, "BasicInformation", "SoftwareVersion", 2]"#,
        ]
        let seen = try await ask(.ha15, nil, ["--updates"], steps, serving: options)
        #expect(seen.answers[1]["result"]?["update_source"]?.string == "local", "\(seen.answers[1])\n\(seen.log)")
        #expect(seen.answers[2]["error"] == nil && seen.answers[3]["error"] == nil, "\(seen.answers)\n\(seen.log)")
        #expect(seen.log.components(separatedBy: "firmware is left out").count == 2, "\(seen.log)")

        let later = try ledger(image(5000, version: 3), version: 3)
        let newer = try await ask(.ha15, later, [], Array(steps.prefix(2)), serving: options)
        #expect(newer.answers[1]["result"]?["update_source"]?.string == "main-net-dcl", "\(newer.answers[1])")
    }
}
