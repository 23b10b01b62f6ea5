import Foundation
import TestSupport
import Testing

/// A house of eight virtual devices on two Thread networks, Wi-Fi and Ethernet, with border routers of another program, in a
/// laboratory of its own: border routers are seen by all that is in one.
@Suite("The network of a house", .enabled(if: Laboratory.isHere), .laboratorySlot) struct MapTests {
    private let matterctl: MatterCtl

    init() throws { matterctl = try MatterCtl() }

    private var house: URL { matterctl.folder.file("house") }

    private func play() async throws {
        var environment = Laboratory.environment
        environment["MATTERCTL"] = Laboratory.binary.path
        let child = try Child(
            Laboratory.scripts.appendingPathComponent("lab.sh"),
            [
                matterctl.folder.file("lab").path, Laboratory.python.path,
                Laboratory.scripts.appendingPathComponent("house.py").path, house.path, "--small", "--play", "--stop",
                "fan",
            ], environment: environment, folder: matterctl.folder)
        #expect(await child.status() == 0, "\(child.stdout) \(child.stderr)")
    }

    private func text(_ file: String) throws -> String {
        try String(contentsOf: house.appendingPathComponent(file), encoding: .utf8)
    }

    private func map(_ file: String) throws -> JSON { try JSON(parsing: try text(file)) }

    private func kinds(_ map: JSON) -> [String] { map["findings"]?.elements.compactMap { $0["kind"]?.string } ?? [] }

    @Test("the map of a house has what each device and each border router tells, and marks what is weak")
    func house() async throws {
        try await play()
        let nothing = try map("nothing.json")
        #expect(nothing["threadNetworks"]?.elements.isEmpty == true && nothing["obstacle"] == nil, "\(nothing)")

        let before = try map("before.json")
        #expect(before["threadNetworks"]?.elements.compactMap { $0["name"]?.string } == ["barn", "home"])
        #expect(kinds(before) == ["lonely-border-router", "lonely-border-router"])

        let map = try map("map.json")
        let meshes = map["threadNetworks"]?.elements ?? []
        #expect(meshes.compactMap { $0["name"]?.string } == ["home", "barn"])
        let home = try #require(meshes.first)
        let devices = home["devices"]?.elements ?? []
        func device(_ name: String) throws -> JSON { try #require(devices.first { $0["name"]?.string == name }) }
        #expect(devices.first?["id"]?.string == "border-router-6A00000000000001")
        #expect(devices.first?["borderRouter"]?["instance"]?.string == "border-1")
        // Its locator is known from its neighbours.
        #expect(devices.first?["rloc16"]?.string == "2800")
        let (hall, lamp, shed, door) = (try device("hall"), try device("lamp"), try device("shed"), try device("door"))
        #expect(hall["role"]?.string == "leader" && hall["hops"]?.int == 1 && lamp["role"]?.string == "router")
        #expect(home["partitions"]?.elements.first?["leader"]?.string == hall["id"]?.string)
        #expect(door["role"]?.string == "sleepy end device" && door["parent"]?.string == hall["id"]?.string)
        #expect(lamp["unknownChildren"]?.int == 1 && lamp["wayOut"]?.string == "several")
        #expect(shed["wayOut"]?.string == "single" && shed["through"]?.string == lamp["id"]?.string)
        let links = home["links"]?.elements ?? []
        let sided = links.filter { $0["oneSided"]?.bool == true }
        #expect(sided.count == 1 && links.count { $0["quality"]?.string == "weak" } == 2, "\(links)")
        #expect(sided.first?["hears"]?["lqi"]?.int == 3 && sided.first?["isHeard"]?["rssi"]?.int == -85, "\(sided)")

        #expect(map["accessPoints"]?.elements.count == 1)
        let point = try #require(map["accessPoints"]?.elements.first)
        #expect(point["bssid"]?.string == "02:00:00:00:01:1a" && point["ssid"]?.string == "house", "\(point)")
        #expect(point["nodes"]?.elements.compactMap { $0["rssi"]?.int } == [-52])
        #expect(map["ethernet"]?.elements.compactMap { $0["name"]?.string } == ["bridge"])
        #expect(map["bridges"]?.elements.first?["devices"]?.elements.count == 3)
        #expect(map["silent"]?.elements.compactMap { $0["name"]?.string } == ["fan"])
        #expect(
            kinds(map) == [
                "lonely-border-router", "lonely-border-router", "single-way-out", "single-way-out", "weak-link",
                "one-sided-link",
            ], "\(map["findings"] as Any)")

        let tree = try text("house.txt")
        #expect(tree.contains("\n└─ border-1 (Acme BorderRouter)  border router, 2 links [alone]\n"), "\(tree)")
        let (svg, dot) = (try text("house.svg"), try text("house.dot"))
        #expect(svg.hasSuffix("</svg>\n"))
        for name in ["border-1", "border-2", "hall", "lamp", "shed", "door", "gate", "plug", "fan", "bridge"] {
            #expect(svg.contains(">\(name)<") && dot.contains(name) && tree.contains(name), "\(name)")
        }
        let drawn = try await graphviz(house.appendingPathComponent("house.dot"))
        for name in ["border-1", "border-2", "hall", "lamp", "shed", "door", "gate", "plug", "fan", "bridge"] {
            #expect(drawn.contains { $0.hasPrefix(name) }, "\(name) in \(drawn)")
        }
    }

    /// The texts of the picture that Graphviz makes of a graph, about which it has no complaints.
    private func graphviz(_ graph: URL) async throws -> [String] {
        let painter = try Child(
            Laboratory.scripts.appendingPathComponent("graphviz.py"), [graph.path], folder: matterctl.folder)
        #expect(await painter.status() == 0, "\(painter.stdout) \(painter.stderr)")
        let picture = try JSON(parsing: painter.stdout)
        #expect(picture["complaints"]?.string == "")
        return picture["texts"]?.elements.compactMap(\.string) ?? []
    }

    @Test("a node that sleeps is said to give no answer; once it is awake it is drawn below its parent, by any name")
    func sleeper() async throws {
        let description = try Child(
            Laboratory.python,
            [Laboratory.scripts.appendingPathComponent("house.py").path, house.path, "--small"],
            folder: matterctl.folder)
        #expect(await description.status() == 0, "\(description.stderr)")
        let device = try await VirtualDevice.start(
            "on-off-light",
            options: ["--mesh", house.appendingPathComponent("house.json").path, "--as", "door", "--icd", "60s"],
            isAdvertised: true, hasKeys: true)
        defer { device.stop() }
        let name = #"the "front" \ <b>&amp;<b>"#
        try await matterctl.commission(device, ["--name", name])
        try await device.wait(for: "that it sleeps") { events in events.contains { $0["text"]?.string == "asleep" } }

        let without = try await matterctl.succeed("map", "--patience", "1s", "--json")
        #expect(try without.json()["silent"]?.elements.compactMap { $0["name"]?.string } == [name])
        #expect(without.stderr.contains("its next check-in may take up to 60 s"), "\(without)")

        let hand = try FileHandle(forWritingTo: URL(fileURLWithPath: device.keys))
        try hand.write(contentsOf: Data("0 icd-management press\n".utf8))
        let map = try await matterctl.succeed("map", "--json").json()
        #expect(map["silent"]?.elements.isEmpty == true, "\(map)")
        let home = try #require(
            map["threadNetworks"]?.elements.first { $0["extendedPanId"]?.string == "1122334455667788" }, "\(map)")
        let door = try #require(home["devices"]?.elements.first { $0["name"]?.string == name }, "\(home)")
        #expect(door["role"]?.string == "sleepy end device" && door["parent"]?.string == "router-0400", "\(door)")

        let graph = matterctl.folder.file("sleeper.dot")
        try Data(try await matterctl.succeed("map", "--dot").stdout.utf8).write(to: graph)
        let drawn = try await graphviz(graph)
        #expect(drawn.contains(name), "\(drawn)")
    }
}
