import Foundation
import TestSupport
import Testing

@testable import MatterCommandLine
@testable import MatterController
@testable import MatterNetwork

/// The forms of a map: tree, picture, graph, JSON.
@Suite("Map drawings", .beside) struct MapDrawingTests {
    /// A text that would end an attribute, an element, a label or a line, or steer a terminal.
    private static let evil = "</text><script>alert(1)</script>\"'\u{1B}[31m\n\u{202E}&amp;\\N\"\u{301} ]; x -- y"

    private static func tables(_ change: (inout NodeTables.Thread) -> Void) -> NodeTables {
        var thread = NodeTables.Thread()
        (thread.extendedPANID, thread.partitionID, thread.leaderRouterID) = (0x1122_3344_5566_7788, 1, 1)
        (thread.channel, thread.hasTables, thread.networkName) = (15, true, "home")
        change(&thread)
        var tables = NodeTables()
        tables.thread = thread
        return tables
    }

    private static func row(_ number: Int, _ rloc: UInt16, lqi: UInt8 = 3, rssi: Int8 = -50, isChild: Bool = false)
        -> NodeTables.Neighbor
    {
        NodeTables.Neighbor(
            extAddress: UInt64(number), rloc16: rloc, age: 5, lqi: lqi, rssi: rssi, frameErrors: 0, messageErrors: 0,
            isChild: isChild)
    }

    private static func reading(_ number: Int, _ name: String, _ tables: NodeTables) -> MapReading {
        MapReading(
            node: NodeRecord(nodeID: NodeID(UInt64(number)), name: name), tables: .success(tables),
            readAt: 1_790_000_000)
    }

    private static func borderRouter(_ name: String) throws -> BorderRouter {
        func entry(_ key: String, _ value: [UInt8]) -> [UInt8] {
            let text = Array("\(key)=".utf8) + value
            return [UInt8(text.count)] + text
        }
        let data =
            entry("xp", [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]) + entry("xa", [0, 0, 0, 0, 0, 0, 0, 9])
            + entry("nn", Array("home".utf8)) + entry("vn", Array("Acme".utf8)) + entry("pt", [0, 0, 0, 1])
        return BorderRouter(instance: name, host: "b.local", addresses: [], txt: try TXTRecord(decoding: data))
    }

    /// A border router with a router, which has a child and is the only way of another router.
    private static func map(naming name: String = "far") throws -> NetworkMap {
        let near = tables {
            ($0.role, $0.extAddress, $0.rloc16) = (.leader, 1, 1 << 10)
            $0.neighbors = [row(9, 9 << 10), row(2, 2 << 10, lqi: 3), row(3, 1 << 10 | 1, isChild: true)]
        }
        let far = tables {
            ($0.role, $0.extAddress, $0.rloc16) = (.router, 2, 2 << 10)
            $0.neighbors = [row(1, 1 << 10, lqi: 1, rssi: -88)]
        }
        let end = tables {
            ($0.role, $0.extAddress, $0.rloc16) = (.sleepyEndDevice, 3, 1 << 10 | 1)
            $0.neighbors = [row(1, 1 << 10)]
        }
        var wifi = NodeTables()
        wifi.wifi = NodeTables.WiFi(bssid: [2, 0, 0, 0, 0, 1], ssid: name, channel: 6, rssi: -75)
        var bridge = NodeTables()
        bridge.isWired = true
        bridge.bridged = [3: BridgedDevice(label: name, isReachable: false)]
        var readings = [
            reading(1, "near", near), reading(2, name, far), reading(3, "end", end), reading(4, "plug", wifi),
            reading(5, "hub", bridge),
        ]
        readings.append(
            MapReading(
                node: NodeRecord(nodeID: NodeID(6), name: "attic"),
                tables: .failure(ControllerError(.deviceLacks, name))))
        return NetworkMap(readings, [try borderRouter(name == "far" ? "Hub" : name)])
    }

    @Test("the tree has each device below the one that leads to a border router, with its marks")
    func tree() throws {
        let lines = MapTree(try Self.map()).lines.map(\.text)
        #expect(
            lines == [
                "Thread network 'home' (1122334455667788), channel 15: 1 border router, 2 routers, 1 end device",
                "└─ Hub (Acme)  border router, 1 link [alone]",
                "   └─ near  leader, node 1, LQI 3/-, -50/- dBm, 1 more link [single way out]",
                "      ├─ far  router, node 2, LQI 1/3, -88/-50 dBm [single way out] [weak] [one-sided]",
                "      └─ end  sleepy end device, node 3, LQI 3/3, -50/-50 dBm [single way out]",
                "Wi-Fi 'far' (02:00:00:00:00:01), channel 6: 1 node", "└─ plug  node 4, -75 dBm [weak]", "Ethernet",
                "└─ hub  node 5", "Behind hub (node 5)", "└─ far  endpoint 3 [unreachable]", "No answer",
                "└─ attic  node 6: far", "Remarks",
            ] + lines.dropFirst(14), "\(lines.joined(separator: "\n"))")
        #expect(lines.last?.hasPrefix("└─ weak-signal: plug hears far with -75 dBm") == true)
    }

    @Test("names that are markup, escapes or the end of a label stay names in every form")
    func hostileNames() throws {
        let map = try Self.map(naming: Self.evil)
        let (svg, dot) = (MapSVG(map).text, MapDOT(map).text)
        for text in [svg, dot, MapTree(map).lines.map(\.text).joined(separator: "\n")] {
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E })
        }
        #expect(!svg.contains("<script"))
        #expect(try XMLCounter.count(svg)["{http://www.w3.org/2000/svg}script"] == nil)
        // Outside of quotation marks, a graph has only what we wrote.
        let bare = Self.unquoted(dot)
        #expect(!bare.contains("x -- y") && !bare.contains("script") && !bare.contains("\\"), "\(bare)")
        #expect(bare.split(separator: "\n").filter { $0.contains("--") }.count == 6, "\(bare)")
    }

    @Test(
        "Graphviz draws every name as it is, and has nothing to complain of", .enabled(if: Graphviz.isHere),
        arguments: [
            "far", #"the "big" lamp"#, #"back\slash\"#, #"\N\G\l\"#, "<b>bold</b><table>", "&lt;i&gt;&amp;&#65;",
            "AT&T", "{a|b}", evil,
        ])
    func graph(name: String) throws {
        let picture = try Graphviz.draw(MapDOT(try Self.map(naming: name)).text)
        #expect(picture.complaints.isEmpty, "\(picture.complaints)")
        let shown = TerminalText.escaped(name)
        // The access point, the bridged device and the router have it.
        #expect(picture.texts.count { $0.contains(shown) } >= 3, "\(shown) in \(picture.texts)")
    }

    /// A graph without its quoted texts.
    private static func unquoted(_ text: String) -> String {
        var (bare, isQuoted, isEscaped) = ("", false, false)
        for scalar in text.unicodeScalars {
            if isEscaped {
                isEscaped = false
            } else if isQuoted, scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                isQuoted.toggle()
            } else if !isQuoted {
                bare.unicodeScalars.append(scalar)
            }
        }
        return isQuoted ? "not closed" : bare
    }

    @Test("JSON is as its schema has it, with all that the tree has")
    func json() throws {
        for name in ["far", Self.evil] {
            let json = Report(try Self.map(naming: name)).json
            #expect(ReportSchemas.faults(of: json, under: "map.json").isEmpty)
            #expect(json["threadNetworks"]?.arrayValue?.first?["devices"]?.arrayValue?.count == 4)
        }
    }

    @Test("the picture stands alone, is the same each time, and has each device, mark, legend and remark")
    func picture() throws {
        let map = try Self.map()
        let svg = MapSVG(map).text
        #expect(svg == MapSVG(try Self.map()).text)
        #expect(!svg.contains("href") && !svg.contains("url(") && svg.contains("prefers-color-scheme: dark"))
        for name in ["near", "far", "end", "plug", "hub", "attic", "Hub", "one-sided: heard well only", "-75 dBm"] {
            #expect(svg.contains(name), "\(name)")
        }
        for finding in map.findings { #expect(svg.contains(finding.kind.rawValue)) }
        // A weak link is told by its colour and by its line.
        #expect(
            svg.contains("class=\"weak main\"") && svg.contains("class=\"single\"") && svg.contains("class=\"alone\""))
    }

    @Test("a map of ten thousand hostile rows is drawn, and none of its numbers is not one")
    func large() throws {
        let rows = (0..<10_000).map { Self.row($0, UInt16($0 % 64) << 10) }
        let tables = Self.tables {
            ($0.role, $0.extAddress, $0.rloc16) = (.router, 1, 1 << 10)
            $0.neighbors = Array(rows.prefix(576))
        }
        let map = NetworkMap([Self.reading(1, "liar", tables)], nil)
        let svg = MapSVG(map).text
        #expect(try XMLCounter.count(svg)["{http://www.w3.org/2000/svg}circle", default: 0] > 60)
        #expect(!svg.contains("nan") && !svg.contains("inf\""))
        #expect(svg.utf8.count < 1_000_000 && !MapTree(map).lines.isEmpty)
    }

    @Test(
        "numbers of a picture have at most one decimal",
        arguments: [(1.0, "1"), (-0.04, "0"), (-2.55, "-2.6"), (7.25, "7.3")])
    func numbers(_ value: Double, _ text: String) { #expect(SVGCanvas.number(value) == text) }

    @Test("nothing is told as nothing")
    func empty() {
        let map = NetworkMap([], [])
        #expect(map.isEmpty && MapTree(map).lines.isEmpty)
        #expect(MapSVG(map).text.contains("no node, and no border router"))
    }
}
