import MatterBase
import MatterTestKit
import Testing

@testable import MatterModel
@testable import MatterNetwork

/// Sessions and interactions on a link that delivers everything and takes long messages, as TCP does.
@Suite("A reliable link", .virtualTime)
struct ReliableLinkTests {
    private static let attribute = ConcreteAttributePath(endpoint: 1, cluster: 0x1F, attribute: 0)
    private static let items = TLVValue.array((0..<300).map { TLVElement(.anonymous, .string("item number \($0)")) })

    /// Sets up a session and reads a list of some 6,000 bytes.
    ///
    /// - Returns: how many messages each of them took.
    private func messages(_ properties: LinkProperties) async throws -> (setUp: Int, read: Int) {
        let network = TestNetwork(properties)
        var plan = LoopbackDevice.Plan()
        plan.passcode = Client.passcode
        plan.model.read = { path, _ in [.value(path, Self.items)] }
        let device = try await LoopbackDevice.start(plan, links: network.links())
        let client = try Client(links: network.links())
        let session = try await client.pair(.at([device.address]))
        try await testTime.sleep(for: .seconds(1))
        let setUp = network.messages
        var transaction = ReadTransaction(ReadRequest(attributePaths: [AttributePath(Self.attribute)]))
        let result = try await InteractionClient(session).run(&transaction, deadline: .testNow + .seconds(30))
        #expect(result.attributes.map(\.value) == [Self.items])
        try await testTime.sleep(for: .seconds(1))
        let read = network.messages - setUp
        await client.shutDown()
        await device.shutDown()
        return (setUp, read)
    }

    @Test("nothing is acknowledged or repeated, and a long list is one message")
    func reliable() async throws {
        let (setUp, read) = try await messages(LinkProperties(isReliable: true, largestMessage: 64_000))
        // PBKDFParamRequest and its response, Pake1 to Pake3, and the status report that ends PASE.
        #expect(setUp == 6)
        // ReadRequest and ReportData.
        #expect(read == 2)
    }

    @Test("over UDP each of them is acknowledged, and the list takes several messages")
    func datagrams() async throws {
        let (setUp, read) = try await messages(.udp)
        // The last status report is acknowledged by itself; the other messages acknowledge the ones before.
        #expect(setUp == 7)
        #expect(read > 10)
    }
}
