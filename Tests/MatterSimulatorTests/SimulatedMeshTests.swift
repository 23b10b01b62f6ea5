import TestSupport
import Testing

@testable import MatterModel
@testable import MatterSimulator

/// The tables of virtual devices that are in one description.
@Suite("Described networks", .beside) struct SimulatedMeshTests {
    static let text = """
        {"thread":[{"name":"home","extendedPanId":"1122334455667788","channel":15,"partition":7,"devices":[
        {"name":"a","role":"leader","router":1},{"name":"b","role":"router","router":2},
        {"name":"c","role":"router","router":3,"extAddress":"6A00000000000001"},
        {"name":"d","role":"sleepy","parent":"b"},{"name":"e","role":"reed","parent":"b"}],
        "links":[{"devices":["a","b"],"lqi":[3,1],"rssi":[-50,-88],"age":[3,4]},{"devices":["b","c"]},
        {"devices":["a","c"],"lqi":[2,null]}]}],
        "wifi":[{"ssid":"house","bssid":"020000000106","channel":11,"devices":[{"name":"f","rssi":-72}]}],
        "ethernet":["g"]}
        """

    private func network() throws -> (SimulatedMesh, SimulatedMesh.Network) {
        let mesh = try SimulatedMesh(parsing: Array(Self.text.utf8))
        return (mesh, try #require(mesh.networks.first))
    }

    @Test("both ends of a link tell of it, each with its own side")
    func links() throws {
        let (_, network) = try network()
        let tables = network.devices.map { network.neighbors(of: $0) }
        #expect(tables.map(\.count) == [2, 4, 1, 1, 1])
        let (heard, hears) = (tables[0][0], tables[1][0])
        #expect(heard.extAddress == network.devices[1].extAddress && hears.extAddress == network.devices[0].extAddress)
        #expect(
            heard.lqi == 3 && heard.averageRssi == -50 && heard.age == 3 && hears.lqi == 1 && hears.averageRssi == -88)
        let second: UInt16 = 2 << 10
        // The third hears none of the first.
        #expect(!tables[2].contains { $0.extAddress == network.devices[0].extAddress })
        #expect(tables[1].filter(\.isChild).map(\.rloc16) == [second | 1, second | 2])
        #expect(tables[3].map(\.rloc16) == [second] && tables[3].allSatisfy { !$0.isChild })
        #expect(Set(network.devices.map(\.extAddress)).count == 5)
    }

    @Test("routers know the cheapest ways, and a link that is heard one way only is none")
    func routes() throws {
        let (_, network) = try network()
        let routes = network.routes(of: network.devices[0])
        #expect(routes.map(\.routerId) == [2, 3])
        #expect(routes.map(\.linkEstablished) == [true, false])
        #expect(routes.map(\.pathCost) == [4, 5] && routes.map(\.nextHop) == [2, 2])
        #expect((routes[0].lqiIn, routes[0].lqiOut) == (3, 1))
        #expect(network.routes(of: network.devices[3]).isEmpty)
    }

    @Test("a place has the interface, the address and the cluster that belong together")
    func places() throws {
        let (mesh, network) = try network()
        let thread = try mesh.place(of: "c")
        #expect(thread.network == .thread && thread.hardwareAddress == [0x6A, 0, 0, 0, 0, 0, 0, 1])
        #expect(thread.joined == [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88])
        let values = try #require(thread.servers.first).initialAttributes
        #expect(values[ThreadNetworkDiagnostics.Attribute.extendedPanId] == .uint(network.extendedPANID))
        #expect(values[ThreadNetworkDiagnostics.Attribute.leaderRouterId] == .uint(1))
        #expect(try mesh.place(of: "f").servers.map(\.id) == [WiFiNetworkDiagnostics.id])
        #expect(try mesh.place(of: "g").servers.map(\.id) == [EthernetNetworkDiagnostics.id])
        #expect(throws: SimulatorError.self) { try mesh.place(of: "h") }
    }

    @Test(
        "a description that contradicts itself is refused with the place",
        arguments: [
            ("{", "not valid JSON"), ("[]", "is not a JSON object"),
            (#"{"thread":[{"name":"x"}]}"#, "lacks 'extendedPanId'"),
            (router(#"{"name":"a","role":"router","router":63}"#), "0 to 62"),
            (router(#"{"name":"a","role":"king","router":1}"#), "a role is leader"),
            (
                router(#"{"name":"a","role":"router","router":1},{"name":"b","role":"router","router":1}"#),
                "router id 1"
            ),
            (router(#"{"name":"a","role":"sleepy","parent":"b"}"#), "the parent of 'a'"),
            (router(#"{"name":"a","role":"sleepy"}"#), "no parent"),
            (
                router(
                    #"{"name":"a","role":"router","router":1},{"name":"b","role":"router","router":2}"#,
                    links: #"{"devices":["a","b"],"lqi":[3]}"#), "two values"
            ),
            (
                router(#"{"name":"a","role":"router","router":1}"#, links: #"{"devices":["a","z"]}"#),
                "between two devices"
            ),
            (#"{"ethernet":["a","a"]}"#, "the same name"),
            (#"{"wifi":[{"ssid":"x","bssid":"0200","devices":[]}]}"#, "BSSID"),
        ])
    func contradictions(_ text: String, _ reason: String) {
        do {
            _ = try SimulatedMesh(parsing: Array(text.utf8))
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.code == .invalidMesh && error.reason.contains(reason), "\(error.reason)")
        }
    }

    private static func router(_ devices: String, links: String = "") -> String {
        #"{"thread":[{"name":"x","extendedPanId":"1122334455667788","devices":["# + devices + #"],"links":["# + links
            + "]}]}"
    }
}
