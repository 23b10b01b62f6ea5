import Foundation
import TestSupport
import Testing

/// The official controller as another administrator of a device, by windows that either of us opens.
@Suite("A second administrator", .enabled(if: Laboratory.isHere), .laboratorySlot) struct SecondAdministratorTests {
    @Test(
        "joins by the codes of windows that we open, and opens one itself, by which another of us joins",
        .enabled(if: PeerPython.hasController), .timeLimit(.minutes(20)))
    func windows() async throws {
        let device = try await VirtualDevice.start(isAdvertised: true)
        defer { device.stop() }
        let (matterctl, other) = (try MatterCtl(), try MatterCtl())
        try await matterctl.commission(device, ["--name", "lamp"])
        let (first, second) = (try OfficialStorage(trusting: device), try OfficialStorage(trusting: device))

        let manual = try await matterctl.succeed("window", "open", "lamp", "--json").json()["manualCode"]?.string
        let joined = try await first("commission", "2", "--code", try #require(manual))
        #expect(joined.contains("commissioned node 2"), "\(joined)\n\(device.events)")
        #expect(try await matterctl.succeed("window", "status", "lamp").result == "closed")
        let qrCode = try await matterctl.succeed("share", "lamp", "--json").json()["qrCode"]?.string
        let scanned = try await second("commission", "3", "--code", try #require(qrCode))
        #expect(scanned.contains("commissioned node 3"), "\(scanned)\n\(device.events)")
        #expect(try await second("read", "3", "0.0x3e.3").contains("0.0x003e.0x0003 = 3"))

        let window = try await first("window", "2").split(separator: "\n").last ?? ""
        let code = try #require(window.split(separator: " ").first.map(String.init), "\(window)")
        let status = try await matterctl.succeed("window", "status", "lamp").result.split(separator: "\n")
        #expect(status == ["enhanced", "opened by\tanother fabric, index 2, test vendor 1 0xFFF1"], "\(status)")
        let table = try await matterctl.succeed("fabrics", "ls", "lamp", "--json").json()["fabrics"]?.elements ?? []
        #expect(
            table.map { $0["us"]?.bool } == [true, false, false] && table[1]["vendorId"]?.int == 0xFFF1, "\(table)")
        let who = try await matterctl.succeed("who", "lamp", "--json").json()
        #expect(who["openedBy"]?["fabricIndex"]?.int == 2 && who["hiddenEntries"]?.elements.count == 2, "\(who)")
        let refused = try await matterctl.fail(5, "window", "open", "lamp", "--json").error()
        #expect(refused["id"]?.string == "window.open")
        let words = ["commission", code, "--trust", device.trust, "--allow-test-devices", "--name", "lamp"]
        let ours = try await other.run(words)
        #expect(ours.status == 0, "\(ours)\n\(device.events)")
        try await other.succeed("toggle", "lamp")
        #expect(device.fabrics == 4 && device.switchings == 1)
        try await matterctl.succeed("fabrics", "remove", "lamp", "2", "--yes")
        #expect(device.fabrics == 3)
        #expect(try await !first("read", "2", "0.0x3e.3").contains("0.0x003e.0x0003"))
    }

    @Test("a device without the clusters for it has no window and no clock, and finds no network: 6")
    func absence() async throws {
        let light = try await Light.start()
        defer { light.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(light, nil, ["--name", "light"])
        for (words, status) in [
            (["window", "open"], "UNSUPPORTED_CLUSTER"), (["window", "status"], "UNSUPPORTED_CLUSTER"),
            (["window", "close"], "UNSUPPORTED_CLUSTER"), (["time", "sync"], "UNSUPPORTED_CLUSTER"),
            (["net", "scan"], "UNSUPPORTED_COMMAND"), (["identify"], "UNSUPPORTED_COMMAND"),
        ] {
            let run = try await matterctl.run(words + ["light", "--json"])
            #expect(run.status == 6 && run.stdout.isEmpty, "\(run)")
            #expect(try run.error()["status"]?.string == status, "\(run)")
        }
        try await matterctl.succeed("net", "status", "light")
    }
}
