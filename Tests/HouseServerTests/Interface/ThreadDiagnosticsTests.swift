import MatterController
import Testing

@testable import HouseServer
@testable import MatterModel
@testable import MatterNetwork

/// Batches of diagnostics, from the values of nodes and the advertisements of border routers.
@Suite struct ThreadDiagnosticsTests {
    private typealias Cluster = ThreadNetworkDiagnostics

    private static func router(_ instance: String, network: [UInt8], address: [UInt8]) throws -> BorderRouter {
        let pairs: [(String, [UInt8])] = [
            ("nn", Array("home".utf8)), ("xp", network), ("xa", address), ("vn", Array("Maker".utf8)),
            ("mn", Array("Model".utf8)),
        ]
        let octets = pairs.flatMap { key, value in
            let text = Array("\(key)=".utf8) + value
            return [UInt8(text.count)] + text
        }
        return BorderRouter(instance: instance, host: "host", addresses: [], txt: try TXTRecord(decoding: octets))
    }

    private static func node(_ id: UInt64, _ values: [(AttributeID, TLVValue)]) -> HouseBoard.Node {
        var node = HouseBoard.Node(record: NodeRecord(nodeID: NodeID(id)))
        for (attribute, value) in values {
            _ = node.attributes.set(CachePath(0, Cluster.id.rawValue, attribute.rawValue), value, at: 0)
        }
        return node
    }

    private static func parsed(_ batch: [UInt8]?) throws -> JSONObject {
        guard case .object(let object) = try JSONValue(parsing: try #require(batch)) else {
            Issue.record("no object")
            return JSONObject()
        }
        return object
    }

    private static let network: UInt64 = 0x1111_1111_2222_2222
    private static let octets: [UInt8] = [0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x22]

    @Test func aNodeTellsItsNetworkItsRoutersAndItsChildren() throws {
        let child = TLVValue.structure([
            TLVElement(.context(2), .uint(0x0402)), TLVElement(.context(5), .uint(3)),
            TLVElement(.context(10), .bool(false)), TLVElement(.context(11), .bool(false)),
            TLVElement(.context(13), .bool(true)),
        ])
        let peer = TLVValue.structure([TLVElement(.context(2), .uint(0x0800)), TLVElement(.context(13), .bool(false))])
        let route = TLVValue.structure([
            TLVElement(.context(2), .uint(2)), TLVElement(.context(4), .uint(1)), TLVElement(.context(5), .uint(3)),
            TLVElement(.context(6), .uint(2)), TLVElement(.context(8), .bool(true)),
        ])
        let node = Self.node(
            1,
            [
                (Cluster.Attribute.extendedPanId, .uint(Self.network)),
                (Cluster.Attribute.networkName, .string("home")),
                (Cluster.Attribute.extAddress, .uint(0xAB)), (Cluster.Attribute.rloc16, .uint(0x0400)),
                (Cluster.Attribute.neighborTable, .array(of: [child, peer])),
                (Cluster.Attribute.routeTable, .array(of: [route])),
                (Cluster.Attribute.partitionId, .uint(9)), (Cluster.Attribute.weighting, .uint(64)),
                (Cluster.Attribute.dataVersion, .uint(1)), (Cluster.Attribute.stableDataVersion, .uint(2)),
                (Cluster.Attribute.leaderRouterId, .uint(1)),
            ])
        let diagnostics = ThreadDiagnostics([node, Self.node(2, [])], [])
        #expect(diagnostics.ids == [Self.network])
        let batch = try Self.parsed(diagnostics.batch(Self.network, at: 5))
        #expect(batch["extPanIdHex"] == "1111111122222222" && batch["networkName"] == "home")
        #expect(batch["collectedAt"] == .int(5) && batch["source"] == "none" && batch["partialReason"] == "no_source")
        #expect(
            batch["nodes"] == [
                [
                    "extMacAddress": "00000000000000AB", "rloc16": 1024,
                    "leaderData": [
                        "partitionId": 9, "weighting": 64, "dataVersion": 1, "stableDataVersion": 2,
                        "leaderRouterId": 1,
                    ],
                    "route64": [
                        "idSequence": 0,
                        "entries": [["routerId": 2, "linkQualityIn": 3, "linkQualityOut": 2, "routeCost": 1]],
                    ],
                    "childTable": [
                        [
                            "timeoutExponent": 0, "timeoutSeconds": 0, "incomingLinkQuality": 3, "childId": 2,
                            "mode": ["rxOnWhenIdle": false, "ftd": false, "fullNetworkData": true],
                        ]
                    ],
                ]
            ])
    }

    @Test func borderRoutersAddNetworksAndNoNodeTwice() throws {
        let node = Self.node(
            1, [(Cluster.Attribute.extendedPanId, .uint(Self.network)), (Cluster.Attribute.extAddress, .uint(7))])
        let diagnostics = ThreadDiagnostics(
            [node],
            [
                try Self.router("one", network: Self.octets, address: [0, 0, 0, 0, 0, 0, 0, 7]),
                try Self.router("two", network: Self.octets, address: [0, 0, 0, 0, 0, 0, 0, 8]),
                try Self.router("far", network: [0, 0, 0, 0, 0, 0, 0, 1], address: [0, 0, 0, 0, 0, 0, 0, 9]),
            ])
        #expect(diagnostics.ids == [1, Self.network])
        let batch = try Self.parsed(diagnostics.batch(Self.network, at: 0))
        #expect(
            batch["nodes"] == [
                ["extMacAddress": "0000000000000007"],
                ["extMacAddress": "0000000000000008", "vendorName": "Maker", "vendorModel": "Model"],
            ])
        #expect(batch["networkName"] == "home" && diagnostics.batch(2, at: 0) == nil)
    }

    @Test func whatIsMissingOfTheLeaderLeavesItOut() throws {
        let node = Self.node(
            1,
            [(Cluster.Attribute.extendedPanId, .uint(Self.network)), (Cluster.Attribute.partitionId, .uint(9))])
        let batch = try Self.parsed(ThreadDiagnostics([node], []).batch(Self.network, at: 0))
        #expect(batch["nodes"] == [[:]])
    }
}
