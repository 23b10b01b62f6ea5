import JSON
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork
@testable import MatterState

@Suite("Records")
struct RecordTests {
    static func node() throws -> NodeRecord {
        var node = NodeRecord(nodeID: NodeID(0xFFFF_FFEF_FFFF_FFFF), name: "Küche \"1\"")
        node.room = "ground floor"
        node.vendorID = 0xFFF1
        node.productID = 0x8001
        node.vendorName = "\u{1B}[31mACME\n"
        node.productName = "Lamp"
        node.serialNumber = "007"
        node.addresses = [
            try PeerAddress(parsing: "[2001:db8::7]:5541"), try PeerAddress(parsing: "192.0.2.9"),
            try PeerAddress(parsing: "[fe80::1%1]:5540"),
        ]
        node.endpoints = [
            .init(number: 0, deviceTypes: [0x16], serverClusters: [0x1D, 0x3E]),
            .init(number: 65_534, deviceTypes: [0xFFF1_0001, 0x100], serverClusters: [6, 0xFFF1_FC00]),
        ]
        node.endpoints[1].acceptedCommands = [6: [0, 1, 0x40], 0xFFF1_FC00: [.max]]
        node.isLongIdleTime = true
        node.commissionedAt = 1_786_000_000
        node.attestation = .untrusted
        node.reliability = ReliabilityParameters(
            idleInterval: .milliseconds(5000), activeInterval: .milliseconds(333), activeThreshold: .milliseconds(4001))
        return node
    }

    static func fabric() -> FabricRecord {
        var record = FabricRecord(
            name: "home", fabricID: FabricID(.max), compressedFabricID: CompressedFabricID(0x8765_4321_0FED_CBA9),
            vendorID: VendorID(0xFFF1), issuer: .local, nodeID: NodeID(1), root: [1, 2, 3], intermediate: [4],
            noc: [5, 6], nocIntermediate: [7])
        record.nextNodeID = 0x1_0000_0000
        return record
    }

    // MARK: Round trips

    @Test("a node record comes back as it was written")
    func nodeRoundTrip() throws {
        let node = try Self.node()
        #expect(try NodeRecord(decoding: node.encoded(), "n") == node)
        let bare = NodeRecord(nodeID: NodeID(1))
        #expect(try NodeRecord(decoding: bare.encoded(), "n") == bare)
        #expect(try NodeRecord(decoding: Array(#"{"nodeId":1}"#.utf8), "n") == bare)
    }

    @Test("a list of commands that makes no sense is left out, the rest of the record stays")
    func oddCommands() throws {
        let odd =
            #"{"nodeId":1,"endpoints":[{"endpoint":1,"acceptedCommands":[[6,1],[],7,["x"],[4294967296],[8,-1,2]]}]}"#
        let node = try NodeRecord(decoding: Array(odd.utf8), "n")
        #expect(node.endpoints.map(\.acceptedCommands) == [[6: [1], 8: [2]]])
    }

    @Test("a fabric record comes back as it was written")
    func fabricRoundTrip() throws {
        var record = Self.fabric()
        #expect(try FabricRecord(decoding: record.encoded(), "f") == record)
        record.issuer = .none
        record.intermediate = nil
        record.nocIntermediate = nil
        #expect(try FabricRecord(decoding: record.encoded(), "f") == record)
    }

    @Test("ids above 2^53 are written so that every JSON reader keeps them")
    func largeIDs() throws {
        let json = try JSONValue(parsing: Self.node().encoded())
        #expect(json["nodeId"] == "18446744004990074879")
        #expect(
            try JSONValue(parsing: NodeRecord(nodeID: NodeID(1 << 53)).encoded())["nodeId"] == 9_007_199_254_740_992)
    }

    @Test("an address whose interface is gone is left out, the rest of the record stays")
    func lostInterface() throws {
        let record = try NodeRecord(
            decoding: Array(
                #"{"nodeId":1,"addresses":["[fe80::1%nosuch0]:5540","192.0.2.1:5540","nonsense",7]}"#.utf8), "n")
        #expect(record.addresses == [try PeerAddress(parsing: "192.0.2.1")])
    }

    @Test("unknown members are passed over")
    func unknownMembers() throws {
        #expect(try NodeRecord(decoding: Array(#"{"later":[{}],"nodeId":"5"}"#.utf8), "n").nodeID == NodeID(5))
    }

    // MARK: Faults

    @Test(
        "a node record that cannot be used names the file and the member",
        arguments: [
            ("", "JSON"), ("{", "JSON"), ("[]", "object"), ("7", "object"), ("{}", "nodeId"),
            (#"{"nodeId":null}"#, "nodeId"),
            (#"{"nodeId":-1}"#, "nodeId"), (#"{"nodeId":1.5}"#, "nodeId"), (#"{"nodeId":"x"}"#, "nodeId"),
            (#"{"nodeId":""}"#, "nodeId"), (#"{"nodeId":"18446744073709551616"}"#, "nodeId"),
            (#"{"nodeId":1,"name":5}"#, "name"), (#"{"nodeId":1,"vendorId":65536}"#, "vendorId"),
            (#"{"nodeId":1,"longIdleTime":1}"#, "longIdleTime"),
            (#"{"nodeId":1,"commissionedAt":"soon"}"#, "commissionedAt"),
            (#"{"nodeId":1,"addresses":"::1"}"#, "addresses"), (#"{"nodeId":1,"endpoints":{}}"#, "endpoints"),
            (#"{"nodeId":1,"endpoints":[7]}"#, "object"), (#"{"nodeId":1,"endpoints":[{}]}"#, "endpoint"),
            (#"{"nodeId":1,"endpoints":[{"endpoint":65536}]}"#, "endpoint"),
            (#"{"nodeId":1,"endpoints":[{"endpoint":1,"deviceTypes":1}]}"#, "deviceTypes"),
            (#"{"nodeId":1,"idleIntervalMs":-1}"#, "idleIntervalMs"),
        ])
    func nodeFaults(json: String, member: String) throws {
        let error = try #require(throws: RecordError.self) {
            _ = try NodeRecord(decoding: Array(json.utf8), "fabrics/home/nodes/1.json")
        }
        #expect(error.code == .invalid)
        #expect(error.reason.contains("fabrics/home/nodes/1.json") && error.reason.contains(member), "\(error)")
    }

    @Test(
        "a fabric record lacks none of its members, and each has its kind",
        arguments: [
            "name", "fabricId", "compressedFabricId", "vendorId", "issuer", "nodeId", "root", "noc", "nextNodeId",
        ])
    func fabricFaults(member: String) throws {
        let whole = try #require(try JSONValue(parsing: Self.fabric().encoded()).objectValue)
        for bad: JSONValue? in [nil, .null, .bool(true), .array([]), "zz", .double(0.5)]
        where !["name", "issuer"].contains(member) || bad != "zz" {
            var object = whole
            object[member] = bad
            let error = try #require(throws: RecordError.self) {
                _ = try FabricRecord(decoding: JSONValue.object(object).utf8(), "fabric.json")
            }
            #expect(error.code == .invalid && error.reason.contains("fabric.json"))
            #expect(error.reason.contains(member), "\(error)")
        }
        var odd = whole
        odd["root"] = "abc"
        #expect(throws: RecordError.self) { try FabricRecord(decoding: JSONValue.object(odd).utf8(), "f") }
    }

    @Test("a fabric whose issuer this program does not know can be used and is written as it was")
    func otherIssuer() throws {
        var object = try #require(try JSONValue(parsing: Self.fabric().encoded()).objectValue)
        object["issuer"] = "elsewhere"
        let record = try FabricRecord(decoding: JSONValue.object(object).utf8(), "fabric.json")
        #expect(record.issuer.rawValue == "elsewhere")
        #expect(try JSONValue(parsing: record.encoded()).objectValue == object)
    }

    // MARK: Mutation

    @Test("damaged records are refused with a typed error, or stand for a record that can be written again")
    func mutation() async throws {
        let nodes = [try Self.node().encoded(), NodeRecord(nodeID: NodeID(1), name: "a").encoded()]
        let fabrics = [Self.fabric().encoded()]
        var mutator = Mutator(seed: 21, corpus: nodes + fabrics)
        var (refused, accepted) = (0, 0)
        for number in 0..<Effort.inputs(20_000) {
            if number.isMultiple(of: 100) { await Task.yield() }
            let input = mutator.next()
            do {
                let record = try NodeRecord(decoding: input, "n")
                #expect(try NodeRecord(decoding: record.encoded(), "n") == record)
                accepted += 1
            } catch {
                #expect(error.code == .invalid && error.reason.contains("n"))
                refused += 1
            }
            do {
                let record = try FabricRecord(decoding: input, "f")
                #expect(try FabricRecord(decoding: record.encoded(), "f") == record)
                accepted += 1
            } catch {
                #expect(error.code == .invalid)
                refused += 1
            }
        }
        #expect(
            refused > Effort.inputs(20_000) && accepted > Effort.inputs(1000),
            "\(refused) refused, \(accepted) accepted")
    }
}
