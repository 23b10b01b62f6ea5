import MatterBase
import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState

@Suite("Node link", .virtualTime)
struct NodeLinkTests {
    private var deadline: Instant { .testNow + .seconds(60) }
    private let path = [AttributePath(Light.onOff)]

    // MARK: Reading

    @Test("a read is repeated on a new session when the old one is dead")
    func readAfterRestart() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        #expect(try await link.read(path, deadline: deadline).attribute(Light.onOff)?.value == .bool(false))
        await bench.device.restart()
        #expect(try await link.read(path, deadline: deadline).attribute(Light.onOff)?.value == .bool(false))
        #expect(await bench.handshakes == 2)
        await bench.end()
    }

    @Test("a read whose answer stays away is asked again on the same session")
    func unansweredRead() async throws {
        let countdown = Countdown(1)
        let bench = try await Bench(processing: .milliseconds(200)) { plan in
            let answer = plan.model.read
            plan.model.read = { path, context in countdown.isOver() ? await answer(path, context) : nil }
        }
        let link = try await bench.connected()
        #expect(try await link.read(path, deadline: deadline).attributes.count == 1)
        #expect(await bench.handshakes == 1)
        await bench.end()
    }

    @Test("a read that is never answered ends with what was tried")
    func silentRead() async throws {
        let bench = try await Bench { $0.model.read = { _, _ in nil } }
        let link = try await bench.connected()
        let error = await #expect(throws: TransportError.self) {
            _ = try await link.read(path, deadline: .testNow + .seconds(1))
        }
        #expect(error?.code == .noReply && error?.report?.acknowledged == true)
        await bench.end()
    }

    @Test(
        "what only reads gives up on a node that says nothing, in the time that it asks for or the user gave",
        arguments: [(SilenceLimit.usual, 5, 12), (.given(.seconds(20)), 20, 22), (.wholeTime, 60, 62)])
    func silence(limit: SilenceLimit, least: Int, most: Int) async throws {
        let bench = try await Bench(silence: limit)
        let link = try await bench.connected()
        bench.relay.cutOff()
        let began = Instant.testNow
        await #expect(throws: (any Error).self) { _ = try await link.read(path, deadline: deadline) }
        let time = Instant.testNow - began
        #expect((.seconds(least) ... .seconds(most)).contains(time), "\(time)")
        await bench.end()
    }

    @Test("a node that has acknowledged and answers late has the whole time")
    func lateAnswer() async throws {
        let countdown = Countdown(3)
        let bench = try await Bench(processing: .seconds(5), silence: .given(.seconds(6))) { plan in
            let answer = plan.model.read
            plan.model.read = { path, context in countdown.isOver() ? await answer(path, context) : nil }
        }
        let link = try await bench.connected()
        let began = Instant.testNow
        #expect(try await link.read(path, deadline: deadline).attributes.count == 1)
        #expect(Instant.testNow - began > .seconds(10))
        await bench.end()
    }

    @Test("many paths are read in portions, and come back in their order")
    func portions() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        let paths = (0..<25).map { AttributePath(endpoint: 1, cluster: 6, attribute: $0) }
        let result = try await link.read(paths, deadline: deadline)
        #expect(result.attributes.map(\.path.attribute) == Array(0..<25))
        #expect(bench.light.reads == 25)
        await bench.end()
    }

    @Test("a refused read is an error with the device's status, and is not repeated")
    func refusedRead() async throws {
        let bench = try await Bench { plan in
            plan.model.read = { path, _ in
                [.status(AttributeStatusIB(path: path, status: StatusIB(.unsupportedEndpoint)))]
            }
        }
        let link = try await bench.connected()
        let report = try await link.read(path, deadline: deadline).attribute(Light.onOff)
        #expect(report?.outcome == .failure(StatusIB(.unsupportedEndpoint)))
        await bench.end()
    }

    // MARK: Writing

    private let write = [AttributeWrite(Light.onOff, value: .bool(true))]

    @Test("a write is repeated when the session is dead, and as a timed one when the device wants that")
    func writing() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        await bench.device.restart()
        #expect(try await link.write(write, isTimed: false, deadline: deadline).map(\.status) == [StatusIB(.success)])
        #expect(bench.light.writes == [false])
        await bench.device.change { plan in
            plan.model.write = { _, isTimed in isTimed ? .success : .needsTimedInteraction }
        }
        #expect(try await link.write(write, isTimed: false, deadline: deadline).map(\.status) == [StatusIB(.success)])
        await bench.device.change { $0.model.write = { _, _ in .needsTimedInteraction } }
        for isTimed in [true, false] {
            let results = try await link.write(write, isTimed: isTimed, deadline: deadline)
            #expect(results.map(\.status.status) == [.needsTimedInteraction])
        }
        await bench.end()
    }

    @Test(
        "what hangs on a data version, and what takes several messages, is written at most once", arguments: [0, 1, 2])
    func writtenOnce(kind: Int) async throws {
        let written = Collected()
        let bench = try await Bench { plan in
            plan.model.write = { operation, _ in
                written.add(operation.change)
                return .success
            }
        }
        let link = try await bench.connected()
        bench.relay.treat { $0.direction == .toClient && $0.session == 0 ? .lose : .pass }
        let items = TLVValue.array((0..<200).map { TLVElement(.anonymous, .string("item number \($0)")) })
        let writes = [
            AttributeWrite(Light.onOff, value: .bool(true), dataVersion: 7), AttributeWrite(Light.onOff, value: items),
            AttributeWrite(Light.onOff, value: .bool(true)),
        ]
        let error = await #expect(throws: ControllerError.self) {
            _ = try await link.write(
                [writes[kind]], isTimed: false, kind == 2 ? .atMostOnce : .absolute, deadline: .testNow + .seconds(4))
        }
        #expect(error?.code == .outcomeUnknown && error?.reason.contains("write") == true)
        #expect(await bench.handshakes == 1)
        // A list's first message is one piece more than its items.
        #expect(kind == 1 ? written.items.count < 200 : written.messages == 1)
        await bench.end()
    }

    @Test("a plain write is repeated on a new session, and the old one is closed")
    func writtenTwice() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.relay.treat { $0.direction == .toClient && $0.session == 0 ? .lose : .pass }
        #expect(try await link.write(write, isTimed: false, deadline: deadline).map(\.status) == [StatusIB(.success)])
        #expect(bench.light.writes.count == 2)
        #expect(await bench.device.closed == 1)
        #expect(await bench.handshakes == 2)
        await bench.end()
    }

    @Test("a long list goes in several messages and is whole")
    func longList() async throws {
        let written = Collected()
        let bench = try await Bench { plan in
            plan.model.write = { operation, _ in
                written.add(operation.change)
                return .success
            }
        }
        let link = try await bench.connected()
        let items = (0..<200).map { TLVElement(.anonymous, .string("item number \($0)")) }
        let results = try await link.write(
            [AttributeWrite(Light.onOff, value: .array(items))], isTimed: false, deadline: deadline)
        #expect(results.map(\.status) == [StatusIB(.success)])
        #expect(written.items == items.map(\.value) && written.messages > 1)
        await bench.end()
    }

    // MARK: Sessions

    @Test("many callers share one session")
    func sharedSession() async throws {
        let bench = try await Bench()
        let link = try await bench.link()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<12 {
                group.addTask { _ = try await link.read(path, deadline: .testNow + .seconds(60)) }
            }
            try await group.waitForAll()
        }
        #expect(bench.light.reads == 12)
        let handshakes = await bench.handshakes
        try await eventually { await bench.device.closed == handshakes - 1 }
        await bench.end()
    }

    @Test("a session that the device closes is not used again")
    func closedByDevice() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        let session = try await link.connect(deadline: deadline)
        let theirs = try #require(await bench.device.sessions.keys.first)
        let exchange = try await bench.device.manager.openExchange(on: theirs)
        try await exchange.send(
            StatusReport.closeSession.encoded(), opcode: SecureChannelOpcode.statusReport.rawValue,
            protocolID: .secureChannel, reliable: false)
        try await eventually { await !session.manager.contains(session.reference) }
        await bench.device.restart()
        // An at-most-once command needs no rescue now.
        let start = testTime.now
        _ = try await link.invoke(Light.toggle, .atMostOnce, deadline: deadline)
        #expect(.testNow - start < .milliseconds(1500) && bench.light.executed.count == 1)
        #expect(await bench.handshakes == 2)
        await bench.end()
    }

    @Test("other things that a device begins are left alone")
    func uninvited() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        let theirs = try #require(await bench.device.sessions.keys.first)
        for (opcode, payload) in [
            (SecureChannelOpcode.statusReport.rawValue, StatusReport.invalidParameter.encoded()),
            (SecureChannelOpcode.statusReport.rawValue, [1, 2, 3]), (0x77, []),
        ] as [(UInt8, [UInt8])] {
            let exchange = try await bench.device.manager.openExchange(on: theirs)
            try await exchange.send(payload, opcode: opcode, protocolID: .secureChannel, reliable: false)
        }
        try await testTime.sleep(for: .milliseconds(50))
        _ = try await link.read(path, deadline: deadline)
        #expect(await bench.handshakes == 1)
        await bench.end()
    }

    @Test("closing says goodbye, and the next process resumes")
    func closing() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        #expect(try await !link.connect(deadline: deadline).isResumed)
        await bench.controller.close()
        try await eventually { await bench.device.closed == 1 }
        let next = Controller(bench.controller.options)
        let session = try await next.links.link(to: next.nodes.record(of: "lamp")).connect(deadline: deadline)
        #expect(session.isResumed)
        await next.close()
        await bench.end()
    }

    @Test("an address that was given by hand is not kept, the device's intervals are")
    func kept() async throws {
        let bench = try await Bench()
        _ = try await bench.connected()
        await bench.controller.close()
        let record = try bench.controller.context.nodes().find("lamp")
        #expect(record.addresses == [] && record.reliability == SessionParameters.quick.reliability)
        await bench.end()
    }

    // MARK: Endpoints

    @Test("an everyday verb means the only endpoint that serves its cluster")
    func endpointChoice() throws {
        var node = NodeRecord(nodeID: Bench.node, name: "lamp")
        node.endpoints = [
            .init(number: 0, deviceTypes: [], serverClusters: [0x1D]),
            .init(number: 1, deviceTypes: [], serverClusters: [0x1D, 6, 8]),
            .init(number: 2, deviceTypes: [], serverClusters: [0x1D, 6]),
        ]
        #expect(try node.endpoint(serving: 8, named: nil, clusterName: "LevelControl") == 1)
        #expect(try node.endpoint(serving: 8, named: 7, clusterName: "LevelControl") == 7)
        let ambiguous = try #require(throws: ControllerError.self) {
            _ = try node.endpoint(serving: 6, named: nil, clusterName: "OnOff")
        }
        #expect(ambiguous.code == .ambiguousEndpoint && ambiguous.reason.contains("1, 2"))
        #expect(ambiguous.hint?.description.contains("lamp/1") == true)
        let none = try #require(throws: ControllerError.self) {
            _ = try node.endpoint(serving: 0x300, named: nil, clusterName: "ColorControl")
        }
        #expect(none.code == .unsupportedCluster && none.reason.contains("ColorControl"))
    }

    @Test("endpoints that are not known are read once and kept")
    func describedNode() async throws {
        let bench = try await Bench { plan in
            plan.model.read = { path, _ in
                let endpoint = AttributePath(endpoint: 1, cluster: path.cluster, attribute: path.attribute)
                let types: TLVValue = .array([
                    TLVElement(.anonymous, .structure([TLVElement(0, .uint(0x100)), TLVElement(1, .uint(1))]))
                ])
                let clusters: TLVValue = .array([
                    TLVElement(.anonymous, .uint(6)), TLVElement(.anonymous, .string("x")),
                ])
                return [.value(endpoint, path.attribute == 0 ? types : clusters)]
            }
        }
        let described = try await bench.controller.nodes.described(
            bench.controller.nodes.record(of: "lamp"), deadline: deadline)
        #expect(described.endpoints == [.init(number: 1, deviceTypes: [0x100], serverClusters: [6])])
        #expect(try bench.controller.nodes.record(of: "5").endpoints == described.endpoints)
        // The devices of a bridge at its commissioning do not say that it has no more.
        var stale = described
        stale.endpoints = [.init(number: 0, deviceTypes: [0x16], serverClusters: [0x1D])]
        try await bench.controller.context.nodes().save(stale)
        #expect(
            try await bench.controller.nodes.described(bench.controller.nodes.record(of: "lamp"), deadline: .testNow)
                == stale)
        #expect(try await bench.controller.nodes.refreshed(stale, deadline: deadline) == described)
        #expect(try bench.controller.nodes.record(of: "5").endpoints == described.endpoints)
        await bench.device.shutDown()
        #expect(
            try await bench.controller.nodes.described(bench.controller.nodes.record(of: "lamp"), deadline: .testNow)
                == described)
        await bench.end()
    }
}
