import MatterBase
import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterNetwork

/// Answers that say nothing, come late or are not waited for, and commands that may be repeated for want of one.
@Suite("Answers to commands", .virtualTime)
struct CommandAnswerTests {
    private func toggle(_ link: NodeLink, within time: Duration = .seconds(60)) async throws -> CommandResult {
        try await link.invoke(Light.toggle, .atMostOnce, deadline: .testNow + time)
    }

    private func unknownOutcome(_ body: () async throws -> CommandResult) async throws -> ControllerError {
        let error = try #require(await #expect(throws: ControllerError.self) { _ = try await body() })
        #expect(error.code == .outcomeUnknown && error.hint != nil && error.underlying != nil)
        return error
    }

    // MARK: Answers that cannot be used

    @Test(
        "an answer that cannot be read says nothing about the command",
        arguments: [[0x15], [0x15, 0x18], [0xFF, 0xFF], []] as [[UInt8]])
    func undecodable(octets: [UInt8]) async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        for send in [{ try await toggle(link) }, { try await on(link) }] {
            bench.light.next { _ in .octets(octets) }
            let error = try await unknownOutcome(send)
            #expect(error.underlying is InteractionError)
        }
        #expect(bench.light.executed.count == 2)
        #expect(await bench.handshakes == 1)
        await bench.end()
    }

    @Test("an answer that holds no result of the command says nothing either")
    func noResult() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.light.next { _ in .octets(InvokeResponse(suppressesResponse: false, responses: []).encoded()) }
        _ = try await unknownOutcome { try await toggle(link) }
        #expect(bench.light.executed.count == 1)
        await bench.end()
    }

    // MARK: Slow answers

    @Test("a slow device gets the rest of the budget if the user set one", arguments: [0, 6], [true, false])
    func patience(lost: Int, isAbsolute: Bool) async throws {
        let bench = try await Bench(processing: .milliseconds(300), patience: .seconds(20))
        let link = try await bench.connected()
        bench.relay.loseFirst(lost, .toDevice)
        bench.light.next { _ in
            try? await testTime.sleep(for: .seconds(3))
            return .outcome(.status(StatusIB(.success)))
        }
        let result =
            isAbsolute ? try await on(link, within: .seconds(20)) : try await toggle(link, within: .seconds(20))
        #expect(result.status.isSuccess && bench.light.executed.count == 1)
        await bench.end()
    }

    @Test("without, a device that takes longer than is usual leaves the outcome unknown; a known slow command does not")
    func impatience() async throws {
        let bench = try await Bench(processing: .milliseconds(300))
        let link = try await bench.connected()
        func slow() {
            bench.light.next { _ in
                try? await testTime.sleep(for: .seconds(5))
                return .outcome(.status(StatusIB(.success)))
            }
        }
        slow()
        let start = testTime.now
        _ = try await unknownOutcome { try await toggle(link, within: .seconds(30)) }
        #expect(.testNow - start < .seconds(4))
        slow()
        let result = try await link.invoke(
            Light.toggle, .atMostOnce, work: .seconds(10), deadline: .testNow + .seconds(30))
        #expect(result.status.isSuccess && bench.light.executed.count == 2)
        await bench.end()
    }

    // MARK: Interruption

    @Test(
        "a command that is interrupted after it was carried out: the outcome is unknown, and the state is read all the same"
    )
    func interruptedAfterwards() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.relay.treat { $0.direction == .toClient && $0.session == 0 ? .lose : .pass }
        let task = inBackground {
            let error = try await unknownOutcome { try await toggle(link) }
            #expect(error.underlying is CancellationError && Task.isCancelled)
            return await link.stateAfterwards([AttributePath(Light.onOff)])
        }
        try await eventually { bench.light.executed.count == 1 }
        task.cancel()
        #expect(try await task.value.map(\.value) == [.bool(true)])
        #expect(await bench.device.closed == 1 && bench.light.executed.count == 1)
        await bench.end()
    }

    @Test("one that is interrupted before anything was sent is only interrupted")
    func interruptedBefore() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        let task = inBackground {
            while !Task.isCancelled { await Task.yield() }
            await #expect(throws: CancellationError.self) { _ = try await toggle(link) }
        }
        task.cancel()
        try await task.value
        #expect(bench.light.executed == [] && bench.relay.passed(.toDevice) == 0)
        await bench.end()
    }

    @Test("an interrupted command sends nothing more but the end of its session", arguments: [0, 6])
    func cancellation(transmissions: Int) async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.relay.lose { _ in true }
        let task = inBackground { try await unknownOutcome { try await toggle(link) } }
        try await eventually { bench.relay.lost(.toDevice) > transmissions }
        task.cancel()
        let before = bench.relay.lost(.toDevice)
        #expect(try await task.value.underlying is CancellationError)
        let sent = bench.relay.lost(.toDevice)
        #expect(sent - before <= 4)
        // Data that the relay has not taken up yet is lost, too.
        try await testTime.sleep(for: .milliseconds(500))
        bench.relay.lose { _ in false }
        try await testTime.sleep(for: .milliseconds(800))
        #expect(bench.relay.passed(.toDevice) == 0 && bench.light.executed == [])
        await bench.end()
    }

    // MARK: Absolute commands

    private func on(_ link: NodeLink, within time: Duration = .seconds(60)) async throws -> CommandResult {
        try await link.invoke(Light.on, .absolute, deadline: .testNow + time)
    }

    @Test("a command that sets a state is sent again on a new session")
    func absoluteAfterRestart() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        await bench.device.restart()
        #expect(try await on(link).status.isSuccess)
        #expect(bench.light.executed.count == 1)
        #expect(await bench.handshakes == 2)
        await bench.end()
    }

    @Test("a command that sets a state and is not answered is repeated on a new session, and the old one is closed")
    func absoluteRepeated() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.relay.treat { $0.direction == .toClient && $0.session == 0 ? .lose : .pass }
        #expect(try await on(link).status.isSuccess)
        #expect(bench.light.executed.count == 2)
        #expect(await bench.device.closed == 1)
        #expect(await bench.handshakes == 2)
        await bench.end()
    }

    @Test("if it never is, it is not known whether it ran, and to repeat it is harmless")
    func absoluteUnknown() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        let relay = bench.relay
        bench.light.next { _ in
            relay.cutOff()
            return .nothing
        }
        let error = try await unknownOutcome { try await on(link, within: .seconds(2)) }
        #expect(error.reason.hasPrefix("node 'lamp' does not answer: "), "\(error.reason)")
        #expect(error.hint?.parts == [.step("command.repeat-harmless", [])])
        #expect(bench.light.executed.count == 1)
        await bench.end()
    }

    @Test("a node that was looked for to the end is not asked for its state; one that only fell silent is")
    func silentNode() {
        func isSilent(_ error: any Error) -> Bool {
            ControllerError(.outcomeUnknown, "", underlying: error).isOfSilentNode
        }
        #expect(
            isSilent(SessionError(.silent, phase: .case, "")) && isSilent(SessionError(.unreachable, phase: .case, "")))
        #expect(!isSilent(SessionError(.refused, phase: .case, "")) && !isSilent(TransportError(.noReply, "")))
        #expect(!isSilent(CancellationError()))
    }
}
