import Foundation
import Testing

/// Devices other than lights, by the names of the catalogue.
@Suite("Types of devices", .enabled(if: Laboratory.isHere), .waitingSlot)
struct VirtualTypesTests {
    private struct Devices {
        let device: VirtualDevice
        let matterctl: MatterCtl

        static func made(_ types: String) async throws -> Devices {
            let house = Devices(device: try await VirtualDevice.start(types), matterctl: try MatterCtl())
            try await house.matterctl.commission(house.device, ["--name", "house"])
            return house
        }

        /// The output of a read.
        func read(_ path: String) async throws -> String { try await matterctl.succeed("read", "house", path).result }
    }

    @Test("a door lock: its timed commands are timed without being asked to, users and codes are kept")
    func doorLock() async throws {
        let house = try await Devices.made("door-lock")
        let (device, matterctl) = (house.device, house.matterctl)
        defer { device.stop() }
        let answer = try await matterctl.succeed("invoke", "house", "1/door-lock/unlock-door", "--json").json()
        #expect(answer["command"]?.string == "UnlockDoor" && answer["status"]?.string == "SUCCESS", "\(answer)")
        #expect(try await house.read("1/door-lock/lock-state") == "Unlocked")
        // By numbers too.
        try await matterctl.succeed("invoke", "house", "1/0x101/0")
        #expect(try await house.read("1/0x101/0") == "Locked")
        try await matterctl.succeed(
            "invoke", "house", "1/door-lock/set-user", "operation-type=add", "user-index=1", "user-name=ada",
            "user-unique-id=7", "user-status=occupied-enabled", "user-type=unrestricted-user", "credential-rule=single")
        let credential = try await matterctl.succeed(
            "invoke", "house", "1/door-lock/set-credential", "operation-type=add",
            #"credential={"credentialType":"pin","credentialIndex":1}"#, "credential-data=hex:343535343535",
            "user-index=1", "user-status=null", "user-type=null", "--json"
        ).json()["response"]
        #expect(credential?["status"]?.string == "Success", "\(credential?.description ?? "-")")
        let user = try await matterctl.succeed(
            "invoke", "house", "1/door-lock/get-user", "user-index=1", "--json"
        ).json()["response"]
        #expect(user?["userName"]?.string == "ada" && user?["userStatus"]?.string == "OccupiedEnabled")
        #expect(user?["credentials"]?.elements.count == 1, "\(user?.description ?? "-")")
        // The right code, and a wrong one.
        try await matterctl.succeed("invoke", "house", "1/door-lock/unlock-door", "pin-code=hex:343535343535")
        #expect(try await house.read("1/door-lock/lock-state") == "Unlocked")
        let wrong = try await matterctl.fail(
            5, "invoke", "house", "1/door-lock/lock-door", "pin-code=hex:393939393939")
        #expect(wrong.stderr.contains("FAILURE"), "\(wrong)")
        #expect(try await house.read("1/door-lock/lock-state") == "Unlocked")
        try await matterctl.succeed("write", "house", "1/door-lock/auto-relock-time", "30s")
        #expect(try await house.read("1/door-lock/auto-relock-time") == "30")
        #expect(!device.events.contains { $0["status"]?.string == "NEEDS_TIMED_INTERACTION" })
    }

    @Test("a thermostat and a colour light: units, enums, limits, a transition")
    func thermostatAndColor() async throws {
        let house = try await Devices.made("thermostat,color-light")
        let (device, matterctl) = (house.device, house.matterctl)
        defer { device.stop() }
        try await matterctl.succeed("write", "house", "1/thermostat/system-mode", "heat")
        #expect(try await house.read("1/thermostat/system-mode") == "Heat")
        try await matterctl.succeed("write", "house", "1/thermostat/occupied-heating-setpoint", "21.5C")
        #expect(try await house.read("1/thermostat/occupied-heating-setpoint") == "2150")
        try await matterctl.succeed("invoke", "house", "1/thermostat/setpoint-raise-lower", "mode=heat", "amount=0.5C")
        #expect(try await house.read("1/thermostat/occupied-heating-setpoint") == "2200")
        let refused = try await matterctl.fail(
            5, "write", "house", "1/thermostat/occupied-heating-setpoint", "99C")
        #expect(refused.stderr.contains("CONSTRAINT_ERROR"), "\(refused)")
        // The only light needs no endpoint.
        try await matterctl.succeed("on", "house")
        try await matterctl.succeed("level", "house", "40%")
        #expect(try await house.read("2/level-control/current-level") == "102")
        try await matterctl.succeed(
            "invoke", "house", "2/color-control/move-to-hue-and-saturation", "hue=120", "saturation=200",
            "transition-time=0", "options-mask=0", "options-override=0")
        let color = try await matterctl.succeed(
            "read", "house", "2/color-control/current-hue", "2/color-control/current-saturation",
            "2/color-control/color-mode")
        let values = color.stdout.split(separator: "\n").compactMap { $0.split(separator: "\t").last.map(String.init) }
        #expect(values == ["120", "200", "CurrentHueAndCurrentSaturation"], "\(color)")
        try await matterctl.succeed("level", "house", "100%", "--transition", "1s")
        try await device.wait(for: "the end of the transition") { events in
            events.contains { $0["attribute"]?.string == "CurrentLevel" && $0["value"]?.int == 254 }
        }
        let missing = try await matterctl.fail(6, "read", "house", "2/thermostat/system-mode")
        #expect(missing.stderr.contains("UNSUPPORTED_CLUSTER"), "\(missing)")
    }

    @Test("a bridge: its lights are told apart, and all that a node has is read in pieces and parsed")
    func aggregator() async throws {
        let house = try await Devices.made("aggregator,door-lock,thermostat,color-light")
        let (device, matterctl) = (house.device, house.matterctl)
        defer { device.stop() }
        let node = try await matterctl.succeed("node", "show", "house", "--json").json()
        let bridged = node["endpoints"]?.elements.filter { endpoint in
            endpoint["deviceTypes"]?.elements.contains { $0.string == "Bridged Node" } == true
        }.compactMap { $0["endpoint"]?.int }
        #expect(bridged == [2, 3, 4], "\(node)")
        let ambiguous = try await matterctl.fail(64, "on", "house", "--json").error()
        #expect(ambiguous["id"]?.string == "node.ambiguous-endpoint", "\(ambiguous)")
        try await matterctl.succeed("toggle", "house/3")
        let lights = try await matterctl.succeed("read", "house", "*/on-off/on-off")
        #expect(
            lights.stdout == "2/on-off/on-off\tfalse\n3/on-off/on-off\ttrue\n4/on-off/on-off\tfalse\n"
                + "7/on-off/on-off\tfalse\n")
        let label = "2/bridged-device-basic-information/node-label"
        try await matterctl.succeed("write", "house", label, "Desk \u{1F4A1}")
        #expect(try await house.read(label) == "Desk \u{1F4A1}")
        // Everything: far more than one message holds.
        let all = try await matterctl.succeed("read", "house", "*/*/*", "--json")
        #expect(all.stdout.utf8.count > 20_000)
        let reports = try all.json().elements
        #expect(Set(reports.compactMap { $0["endpoint"]?.int }) == Set(0...7))
        #expect(reports.allSatisfy { $0["value"] != nil && $0["cluster"]?.string != nil && $0["attributeId"] != nil })
        let plain = try await matterctl.succeed("read", "house", "*/*/*")
        let rows = plain.stdout.split(separator: "\n")
        #expect(rows.count == reports.count && rows.allSatisfy { $0.count { $0 == "\t" } == 1 }, "\(rows)")
        let whole = try await matterctl.succeed("read", "house", "3/on-off", "--json").json().elements
        #expect(whole.count > 3 && whole.allSatisfy { $0["cluster"]?.string == "OnOff" }, "\(whole)")
        #expect(device.errors.isEmpty, "\(device.errors)")
    }

    @Test("RainMaker's border router and badge: dataset, network, participant")
    func rainMakerClusters() async throws {
        let house = try await Devices.made("rainmaker-border-router,rainmaker-badge")
        let (device, matterctl) = (house.device, house.matterctl)
        defer { device.stop() }
        let empty = try await matterctl.succeed("rainmaker", "dataset", "show", "house", "--json").json()
        #expect(empty["hasDataset"]?.bool == false && empty["borderAgentId"]?.string?.count == 32, "\(empty)")
        try await matterctl.fail(5, "rainmaker", "dataset", "start", "house")
        let file = matterctl.folder.file("dataset.hex")
        try Data("0E080000 00000001 0000\n".utf8).write(to: file)
        try await matterctl.succeed("rainmaker", "dataset", "set", "house", file.path)
        try await matterctl.succeed("rainmaker", "dataset", "start", "house/1")
        try await matterctl.succeed("rainmaker", "dataset", "stop", "house")
        let shown = try await matterctl.succeed("rainmaker", "dataset", "show", "house")
        #expect(
            shown.stdout.contains("has dataset\ttrue") && !shown.stdout.lowercased().contains("0e080000"), "\(shown)")
        let secrets = try await matterctl.succeed("rainmaker", "dataset", "show", "house", "--secrets", "--json").json()
        #expect(secrets["dataset"]?.string?.lowercased() == "0e080000000000010000", "\(secrets)")
        #expect(!device.events.contains { "\($0)".lowercased().contains("0e080000") }, "the key stays off the screen")
        // The other one is found on its endpoint.
        try await matterctl.succeed(
            "rainmaker", "participant", "set", "house", "--name", "Ada", "--event", "Open Day")
        try await matterctl.succeed("rainmaker", "participant", "set", "house/2", "--company", "Engines")
        let data = try await matterctl.succeed("rainmaker", "participant", "show", "house", "--json").json()
        #expect(data["name"]?.string == "Ada" && data["companyName"]?.string == "Engines", "\(data)")
        #expect(data["eventName"]?.string == "Open Day" && data["email"]?.string == "", "\(data)")
        try await matterctl.fail(6, "rainmaker", "participant", "show", "house/1")
        try await matterctl.fail(6, "rainmaker", "controller", "show", "house")
    }
}
