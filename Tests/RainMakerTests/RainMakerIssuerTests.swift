import JSON
import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterLedger
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState
@testable import RainMaker
@testable import RainMakerEmulator

@Suite(.timed) struct RainMakerIssuerTests {
    private func csr() throws -> CertificateSigningRequest { try CertificateSigningRequest(key: .generate()) }

    @Test("joining a group makes a fabric with our certificate, its admin tag and the cloud's parameters")
    func join() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            let group = try await client.createFabric(name: "Lake House")
            let joined = try await cloud.fabrics("alice", client).join(group: group.id, name: "lake")
            let store = FabricStore(cloud.state("alice"))
            let record = try #require(try store.fabric(named: "lake"))
            #expect(record.issuer == .rainmaker)
            #expect(record.vendorID == VendorID(0x131B))
            let credentials = try store.credentials(of: record)
            try credentials.validate(at: .now(try #require(MatterEpoch.seconds(unix: cloud.clock.now))))
            #expect(credentials.identity.cats == [joined.fabric.adminCAT])
            #expect(credentials.nodeID == joined.fabric.userID)
            let parameters = try #require(try await cloud.issuer("alice", client, joined).prepare())
            #expect(parameters.caseAdminSubject == joined.fabric.adminCAT.subject)
            #expect(parameters.adminVendorID == VendorID(0x131B))
            #expect(parameters.rootCertificate == joined.fabric.root)
            // The certificate profile of the reference.
            #expect(
                record.noc.isEmpty == false
                    && credentials.noc.subject.attributes.map(\.type) == [.fabricID, .nodeID, .cat])
            #expect(joined.fabric.root.subject.attributes.map(\.type) == [.fabricID, .rcacID])
        }
    }

    @Test("a group that is no fabric is converted first")
    func convert() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            let object = try await client.call(
                CloudCall("createGroup", .post, "/user/node_group", body: ["group_name": "plain"]))
            let id = try #require(object["group_id"]?.stringValue)
            #expect(try await client.group(id).isMatter == false)
            let joined = try await cloud.fabrics("alice", client).join(group: id, name: "plain")
            #expect(joined.group.isMatter)
        }
    }

    @Test("our certificate is kept, and issued again for the same key when the tag has changed")
    func refresh() async throws {
        try await withCloud { cloud in
            let alice = try await cloud.loggedIn("alice")
            let bob = try await cloud.loggedIn("bob")
            let group = try await alice.createFabric(name: "home")
            let fabrics = cloud.fabrics("alice", alice)
            let joined = try await fabrics.join(group: group.id, name: "home")
            #expect(try await fabrics.refresh(joined.record).wasIssued == false)
            _ = try await alice.call(.share(group.id, with: "bob@example.com", primary: true))
            let offer = try #require(try await bob.sharingRequests(sent: false).first)
            _ = try await bob.call(.answer(offer.id, accept: true))
            _ = try await alice.call(.revoke(group.id, from: "bob@example.com"))
            let renewed = try await fabrics.refresh(joined.record)
            #expect(renewed.wasIssued)
            #expect(renewed.fabric.adminCAT.version == joined.fabric.adminCAT.version + 1)
            let store = FabricStore(cloud.state("alice"))
            let credentials = try store.credentials(of: try #require(try store.fabric(named: "home")))
            #expect(credentials.identity.cats == [renewed.fabric.adminCAT])
            #expect(credentials.nodeID == joined.record.nodeID)
            #expect(try await fabrics.refresh(renewed.record).wasIssued == false)
            #expect(try await fabrics.refresh(renewed.record, force: true).wasIssued)
        }
    }

    @Test("a device signs its node id as the cloud wrote it")
    func idAsGiven() async throws {
        try await withCloud({ $0.writesLowerCaseIDs = true }) { cloud in
            let key = try P256PrivateKey.generate()
            try await cloud.emulator.register(device: "k3vNodeIdExample000001", key: key.publicKey)
            let client = try await cloud.loggedIn("alice")
            let group = try await client.createFabric(name: "home")
            let joined = try await cloud.fabrics("alice", client).join(group: group.id, name: "home")
            let issuer = cloud.issuer("alice", client, joined) { node, text in
                #expect(text == node.description.lowercased())
                return RainMakerEvidence(
                    nodeID: "k3vNodeIdExample000001",
                    signature: Hex.encode(try ECDSASignature.rawToDER(key.sign(Array(text.utf8)))))
            }
            // Until an id has a letter in it.
            var issued = try await issuer.issue(try csr(), context: NOCIssueContext())
            while issued.nodeID.description == issued.nodeID.description.lowercased() {
                issued = try await issuer.issue(try csr(), context: NOCIssueContext())
            }
            try await issuer.confirm(issued.receipt, node: issued.nodeID)
            #expect(try await client.nodes().map(\.type) == ["rainmaker_matter"])
        }
    }

    @Test("a secondary user gets the operate tag and may not add devices")
    func secondary() async throws {
        try await withCloud { cloud in
            let alice = try await cloud.loggedIn("alice")
            let bob = try await cloud.loggedIn("bob")
            let group = try await alice.createFabric(name: "home")
            _ = try await alice.call(.share(group.id, with: "bob@example.com", primary: false))
            let offer = try #require(try await bob.sharingRequests(sent: false).first)
            _ = try await bob.call(.answer(offer.id, accept: true))
            let joined = try await cloud.fabrics("bob", bob).join(group: group.id, name: "home")
            let credentials = try FabricStore(cloud.state("bob")).credentials(of: joined.record)
            #expect(credentials.identity.cats == [joined.fabric.operateCAT])
            let issuer = cloud.issuer("bob", bob, joined)
            #expect(await code { _ = try await issuer.prepare() } == .notPrimary)
            let request = try csr()
            #expect(
                await code { _ = try await issuer.issue(request, context: NOCIssueContext()) } == .forbidden)
        }
    }

    @Test("a device is issued, confirmed and then listed")
    func issueAndConfirm() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            let group = try await client.createFabric(name: "home")
            let joined = try await cloud.fabrics("alice", client).join(group: group.id, name: "home")
            let issuer = cloud.issuer("alice", client, joined)
            let issued = try await issuer.issue(try csr(), context: NOCIssueContext())
            #expect(issued.noc.cats.isEmpty)
            #expect(try await client.nodes().isEmpty)
            try await issuer.confirm(issued.receipt, node: issued.nodeID)
            #expect(try await client.nodes().map(\.type) == ["pure_matter"])
            #expect(try await client.group(group.id).nodes.map(\.matterNodeID) == [issued.nodeID])
            // A second confirmation has nothing to do.
            try await issuer.confirm(issued.receipt, node: issued.nodeID)
            #expect(try await client.nodes().count == 1)
        }
    }

    @Test("a RainMaker device is confirmed with its signature, and refused with another one")
    func challenge() async throws {
        try await withCloud { cloud in
            let key = try P256PrivateKey.generate()
            try await cloud.emulator.register(device: "k3vNodeIdExample000001", key: key.publicKey)
            let client = try await cloud.loggedIn("alice")
            let group = try await client.createFabric(name: "home")
            let joined = try await cloud.fabrics("alice", client).join(group: group.id, name: "home")
            @Sendable func evidence(_ text: String) throws -> RainMakerEvidence {
                RainMakerEvidence(
                    nodeID: "k3vNodeIdExample000001",
                    signature: Hex.encode(try ECDSASignature.rawToDER(key.sign(Array(text.utf8)))))
            }
            let wrong = cloud.issuer("alice", client, joined) { _, _ in try evidence("0000000000000001") }
            let refused = try await wrong.issue(try csr(), context: NOCIssueContext())
            let error = await #expect(throws: RainMakerError.self) {
                try await wrong.confirm(refused.receipt, node: refused.nodeID)
            }
            #expect(error?.cloudCode == "108904")
            #expect(error?.hint == .step("cloud.repeat-confirmation", refused.receipt.rawValue))

            let right = cloud.issuer("alice", client, joined) { _, text in try evidence(text) }
            let issued = try await right.issue(try csr(), context: NOCIssueContext())
            try await right.confirm(issued.receipt, node: issued.nodeID)
            let node = try #require(try await client.nodes().first)
            #expect(node.id == "k3vNodeIdExample000001" && node.type == "rainmaker_matter")
        }
    }

    @Test("a confirmation that failed is kept with the device's proof, and can be repeated")
    func repeatedConfirmation() async throws {
        try await withCloud({ $0.acceptsUnknownDevices = true }) { cloud in
            let client = try await cloud.loggedIn("alice")
            let group = try await client.createFabric(name: "home")
            let joined = try await cloud.fabrics("alice", client).join(group: group.id, name: "home")
            let issuer = cloud.issuer("alice", client, joined, .withConfirm) { _, _ in
                RainMakerEvidence(nodeID: "node1", signature: "aabb")
            }
            let issued = try await issuer.issue(try csr(), context: NOCIssueContext())
            await cloud.emulator.inject(EmulatorFault(.status, value: "500", on: .confirm))
            #expect(
                await code { try await issuer.confirm(issued.receipt, node: issued.nodeID) } == .serverFailed)
            await cloud.emulator.clearFaults()
            let store = RainMakerStore(cloud.state("alice"), fabric: "home")
            let pending = try #require(try store.allPending().first)
            #expect(pending.evidence?.nodeID == "node1")
            try await RainMakerIssuer.confirm(pending, group: group.id, client: client, store: store)
            #expect(try store.allPending().isEmpty)
            #expect(try await client.nodes().map(\.id) == ["node1"])
        }
    }

    @Test("a request that ran out is refused with its meaning")
    func requestLife() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            let group = try await client.createFabric(name: "home")
            let joined = try await cloud.fabrics("alice", client).join(group: group.id, name: "home")
            let issuer = cloud.issuer("alice", client, joined)
            let issued = try await issuer.issue(try csr(), context: NOCIssueContext())
            cloud.clock.advance(by: 601)
            let error = await #expect(throws: RainMakerError.self) {
                try await issuer.confirm(issued.receipt, node: issued.nodeID)
            }
            #expect(error?.cloudCode == "108903")
        }
    }

    @Test(
        "wrong node certificates from the cloud are refused, and the next try succeeds",
        arguments: [
            "wrong-key", "wrong-fabric", "wrong-node", "expired", "not-yet-valid", "unsigned", "malformed-pem",
        ])
    func wrongNodeCertificates(text: String) async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            let group = try await client.createFabric(name: "home")
            let joined = try await cloud.fabrics("alice", client).join(group: group.id, name: "home")
            let issuer = cloud.issuer("alice", client, joined)
            await cloud.emulator.inject(try #require(EmulatorFault(parsing: text + ",on=nodeNoc,times=1")))
            let request = try csr()
            let found = await code { _ = try await issuer.issue(request, context: NOCIssueContext()) }
            #expect(found == .invalidCertificate)
            #expect(try RainMakerStore(cloud.state("alice"), fabric: "home").allPending().isEmpty)
            _ = try await issuer.issue(request, context: NOCIssueContext())
        }
    }

    @Test(
        "answers without what is needed are refused",
        arguments: ["missing=request_id", "missing=certificates", "missing=node_noc", "missing=matter_node_id"])
    func missing(text: String) async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            let group = try await client.createFabric(name: "home")
            let joined = try await cloud.fabrics("alice", client).join(group: group.id, name: "home")
            let issuer = cloud.issuer("alice", client, joined)
            await cloud.emulator.inject(try #require(EmulatorFault(parsing: text + ",on=nodeNoc,times=1")))
            let request = try csr()
            #expect(
                await code { _ = try await issuer.issue(request, context: NOCIssueContext()) } == .malformedAnswer)
            _ = try await issuer.issue(request, context: NOCIssueContext())
        }
    }

    @Test(
        "wrong user certificates from the cloud are refused, nothing is stored, and the next try succeeds",
        arguments: ["wrong-key", "wrong-fabric", "wrong-node", "wrong-cat", "expired", "unsigned", "malformed-pem"])
    func wrongUserCertificates(text: String) async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            let group = try await client.createFabric(name: "home")
            let fabrics = cloud.fabrics("alice", client)
            await cloud.emulator.inject(try #require(EmulatorFault(parsing: text + ",on=userNoc,times=1")))
            #expect(
                await code { _ = try await fabrics.join(group: group.id, name: "home") } == .invalidCertificate)
            #expect(try FabricStore(cloud.state("alice")).names().isEmpty)
            _ = try await fabrics.join(group: group.id, name: "home")
        }
    }

    @Test("certificates whose line ends are spelled out are understood")
    func escapedPEM() async throws {
        try await withCloud { cloud in
            await cloud.emulator.inject(EmulatorFault(.escapedPEM))
            let client = try await cloud.loggedIn("alice")
            let group = try await client.createFabric(name: "home")
            let joined = try await cloud.fabrics("alice", client).join(group: group.id, name: "home")
            _ = try await cloud.issuer("alice", client, joined).issue(try csr(), context: NOCIssueContext())
        }
    }

    @Test("an id that the user asks for is refused, since the cloud chooses")
    func requestedNodeID() async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            let group = try await client.createFabric(name: "home")
            let joined = try await cloud.fabrics("alice", client).join(group: group.id, name: "home")
            let issuer = cloud.issuer("alice", client, joined)
            let request = try csr()
            #expect(
                await code {
                    _ = try await issuer.issue(request, context: NOCIssueContext(requestedNodeID: NodeID(5)))
                } == .invalidInput)
        }
    }

    @Test(
        "metadata reaches the cloud with the request or with the confirmation",
        arguments: [
            RainMakerIssuer.MetadataMode.withNOC, .withConfirm, .none,
        ])
    func metadata(mode: RainMakerIssuer.MetadataMode) async throws {
        try await withCloud { cloud in
            let client = try await cloud.loggedIn("alice")
            let group = try await client.createFabric(name: "home")
            let joined = try await cloud.fabrics("alice", client).join(group: group.id, name: "home")
            let issuer = cloud.issuer("alice", client, joined, mode)
            let context = NOCIssueContext(readAttributes: { _, cluster, attribute in
                DeviceMetadataTests.readings.filter { $0.cluster == cluster && $0.attribute == attribute }
            })
            let issued = try await issuer.issue(try csr(), context: context)
            try await issuer.confirm(issued.receipt, node: issued.nodeID)
            let node = try #require(try await client.nodes().first)
            #expect(node.name == (mode == .none ? nil : "Porch"))
            #expect(node.deviceType == (mode == .none ? nil : 269))
            #expect(node.serverClusters[1] == (mode == .none ? nil : [6, 29]))
            let sent = cloud.transport.exchanges.filter {
                $0.request.body.map { String(decoding: $0, as: UTF8.self).contains("deviceName") } ?? false
            }
            #expect(sent.count == (mode == .none ? 0 : 1))
        }
    }
}

@Suite(.timed) struct DeviceMetadataTests {
    static let readings: [NOCIssueContext.AttributeReading] = [
        reading(0, 0x1D, 0, .array([type(22)])), reading(1, 0x1D, 0, .array([type(269)])),
        reading(0, 0x1D, 1, numbers([29, 40, 0x131B_FC00])), reading(1, 0x1D, 1, numbers([6, 29])),
        reading(0, 0x1D, 2, numbers([41])), reading(1, 0x1D, 2, numbers([])),
        reading(0, 0x28, 1, .string("Example")), reading(0, 0x28, 2, .uint(4891)), reading(0, 0x28, 4, .uint(2)),
        reading(0, 0x28, 3, .string("Light")), reading(0, 0x28, 9, .uint(1)), reading(0, 0x28, 10, .string("1.0")),
        reading(1, 6, 0xFFFB, numbers([0, 65533])),
    ]

    private static func reading(
        _ endpoint: UInt16, _ cluster: UInt32, _ attribute: UInt32, _ value: TLVValue
    ) -> NOCIssueContext.AttributeReading {
        NOCIssueContext.AttributeReading(endpoint: endpoint, cluster: cluster, attribute: attribute, value: value)
    }

    private static func type(_ number: UInt64) -> TLVElement {
        TLVElement(.anonymous, .structure([TLVElement(0, .uint(number)), TLVElement(1, .uint(1))]))
    }

    private static func numbers(_ numbers: [UInt64]) -> TLVValue {
        .array(numbers.map { TLVElement(.anonymous, .uint($0)) })
    }

    @Test("metadata has both layouts")
    func layouts() throws {
        let json = DeviceMetadata(Self.readings, name: "Porch", group: "G").json
        let expected = try JSONValue(
            parsing: """
                {"Matter":{"group_id":"G","isRainmaker":true,"deviceName":"Porch","deviceType":269,"endpointsData":[0,1],\
                "serversData":{"0":[29,40,320601088],"1":[6,29]},"clientsData":{"0":[41]},"attributesData":{"6":[0,65533]},\
                "vendorId":4891,"productId":2,"softwareVersion":1,"softwareVersionString":"1.0",\
                "manufacturerName":"Example","productName":"Light","endpoints":{"0x0":{"clusters":{"servers":{"0x1d":\
                {"attributes":null},"0x28":{"attributes":null},"0x131bfc00":{"attributes":null}},"clients":{"0x29":\
                {"attributes":null}}}},"0x1":{"clusters":{"servers":{"0x6":{"attributes":["0x0","0xfffd"]},"0x1d":\
                {"attributes":null}},"clients":{}}}}}}
                """)
        #expect(JSONValue.object(json) == expected)
    }

    @Test("a device that tells nothing still has a group")
    func empty() {
        let json = DeviceMetadata([], name: nil, group: "G").json
        #expect(json["Matter"]?["group_id"] == "G")
        #expect(json["Matter"]?["isRainmaker"] == false)
        #expect(json["Matter"]?["deviceName"] == nil)
    }
}
