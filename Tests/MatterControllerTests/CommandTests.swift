import MatterBase
import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterNetwork

/// A command runs at most once, whatever becomes of its datagrams (docs/architecture.md).
@Suite("Commands", .virtualTime)
struct CommandTests {
    private func toggle(
        _ link: NodeLink, within time: Duration = .seconds(60), isTimed: Bool = false
    ) async throws -> CommandResult {
        try await link.invoke(Light.toggle, isTimed: isTimed, .atMostOnce, deadline: .testNow + time)
    }

    private func unknownOutcome(_ body: () async throws -> CommandResult) async throws -> ControllerError {
        let error = try #require(await #expect(throws: ControllerError.self) { _ = try await body() })
        #expect(error.code == .outcomeUnknown && error.hint != nil && error.underlying != nil)
        return error
    }

    // MARK: At most once

    @Test("a command that is answered runs once, on one session")
    func normal() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        for count in 1...3 {
            #expect(try await toggle(link).status.isSuccess)
            #expect(bench.light.executed.count == count)
        }
        #expect(await bench.handshakes == 1)
        await bench.end()
    }

    @Test("datagrams that get lost on their way do not double it", arguments: [1, 3, 4])
    func fewLost(count: Int) async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.relay.loseFirst(count, .toDevice)
        #expect(try await toggle(link).status.isSuccess)
        #expect(bench.light.executed.count == 1 && bench.relay.lost(.toDevice) == count)
        #expect(await bench.handshakes == 1)
        await bench.end()
    }

    @Test("a command that was given up reaches the device by its old datagram, on its old session")
    func manyLost() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.relay.loseFirst(8, .toDevice)
        #expect(try await toggle(link).status.isSuccess)
        #expect(bench.light.executed.count == 1)
        // The session goes on.
        #expect(try await toggle(link).status.isSuccess)
        #expect(await bench.handshakes == 1)
        await bench.end()
    }

    @Test("more lost answers than the device repeats may leave it unknown, but do not double it")
    func manyLostAnswers() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.relay.loseFirst(10, .toClient)
        do {
            #expect(try await toggle(link, within: .seconds(20)).status.isSuccess)
        } catch let error as ControllerError {
            #expect(error.code == .outcomeUnknown)
        }
        #expect(bench.light.executed.count == 1)
        #expect(await bench.handshakes == 1)
        await bench.end()
    }

    @Test("answers that get lost on their way do not double it", arguments: [1, 4])
    func lostAnswers(count: Int) async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.relay.loseFirst(count, .toClient)
        #expect(try await toggle(link).status.isSuccess)
        #expect(bench.light.executed.count == 1)
        await bench.end()
    }

    @Test(
        "a device that has lost its session before the command came: the outcome is unknown, and it is not sent in another"
    )
    func restartBefore() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        await bench.device.restart()
        let error = try await unknownOutcome { try await toggle(link, within: .seconds(3)) }
        #expect((error.underlying as? TransportError)?.code == .notAcknowledged)
        let state = await link.stateAfterwards([AttributePath(Light.onOff)])
        #expect(state.map(\.value) == [.bool(false)])
        #expect(bench.light.executed == [])
        // The next one runs on the session on which the state was read.
        #expect(try await toggle(link).status.isSuccess)
        #expect(await bench.handshakes == 2)
        await bench.end()
    }

    @Test("a device that runs it and restarts before it acknowledges: the outcome is unknown, and it runs once")
    func restartBeforeAcknowledgement() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.light.next { context in
            await context.device.restart()
            return .nothing
        }
        _ = try await unknownOutcome { try await toggle(link, within: .seconds(4)) }
        let state = await link.stateAfterwards([AttributePath(Light.onOff)])
        #expect(state.map(\.value) == [.bool(true)])
        #expect(bench.light.executed.count == 1)
        #expect(await bench.handshakes == 2)
        await bench.end()
    }

    @Test(
        "a device whose answers alone are lost: the outcome is unknown, it runs once, and the old session is closed first"
    )
    func silencedSession() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.relay.treat { $0.direction == .toClient && $0.session == 0 ? .lose : .pass }
        _ = try await unknownOutcome { try await toggle(link, within: .seconds(4)) }
        #expect(await bench.device.closed == 1)
        #expect(await bench.handshakes == 1)
        let state = await link.stateAfterwards([AttributePath(Light.onOff)])
        #expect(state.map(\.value) == [.bool(true)])
        #expect(bench.light.executed.count == 1)
        await bench.end()
    }

    @Test("a command that arrives seconds late, on a device that was there all the time, is waited for and runs once")
    func late() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.relay.treat { $0.direction == .toDevice && $0.session == 0 ? .hold(.seconds(7)) : .pass }
        let start = testTime.now
        #expect(try await toggle(link).status.isSuccess)
        #expect(.testNow - start >= .seconds(7))
        #expect(bench.light.executed.count == 1)
        #expect(await bench.handshakes == 1)
        await bench.end()
    }

    @Test("one that arrives after the time is over may still run, but never twice", arguments: [true, false])
    func tooLate(hasHeardTheEnd: Bool) async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        let start = testTime.now
        // The end of the session overtakes the command, or stays behind it.
        bench.relay.treat { passing in
            guard passing.direction == .toDevice, passing.session == 0 else { return .pass }
            return hasHeardTheEnd && .testNow - start > .milliseconds(1500) ? .pass : .hold(.seconds(4))
        }
        _ = try await unknownOutcome { try await toggle(link, within: .milliseconds(1500)) }
        let state = await link.stateAfterwards([AttributePath(Light.onOff)])
        #expect(state.map(\.value) == [.bool(false)])
        try await testTime.sleep(for: .milliseconds(6500) - (.testNow - start))
        #expect(bench.light.executed.count == (hasHeardTheEnd ? 0 : 1))
        await bench.end()
    }

    @Test("a device that has room for one session only: the outcome is unknown, and it runs once")
    func eviction() async throws {
        let bench = try await Bench { $0.sessionLimit = 1 }
        let link = try await bench.connected()
        bench.relay.treat { $0.session == 0 && $0.direction == .toClient ? .lose : .pass }
        let task = inBackground { try await toggle(link, within: .seconds(12)) }
        try await eventually { bench.light.executed.count == 1 }
        // Another session of ours, as another process sets one up, takes the place of the one that is waited on.
        let other = bench.secondController()
        try await other.links.link(to: other.nodes.record(of: "lamp")).connect(deadline: .testNow + .seconds(10))
        // The last word of a resumption is ours: the device has yet to hear it.
        try await eventually { await bench.device.evicted == 1 }
        _ = try await unknownOutcome { try await task.value }
        let state = await link.stateAfterwards([AttributePath(Light.onOff)])
        #expect(state.map(\.value) == [.bool(true)])
        #expect(bench.light.executed.count == 1)
        await other.close()
        await bench.end()
    }

    @Test(
        "a device that acknowledges, acts and restarts before it answers: the outcome is unknown, and nothing is repeated"
    )
    func restartAfter() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.light.next { context in
            // The acknowledgement goes out by itself while the device works.
            try? await testTime.sleep(for: .milliseconds(500))
            await context.device.restart()
            return .nothing
        }
        let error = try await unknownOutcome { try await toggle(link, within: .seconds(3)) }
        #expect((error.underlying as? TransportError)?.code == .noReply)
        #expect(error.reason.contains("acknowledged"))
        #expect(bench.light.executed.count == 1)
        // The present state of the device can still be asked.
        let state = await link.stateAfterwards([AttributePath(Light.onOff)])
        #expect(state.map(\.value) == [.bool(true)])
        await bench.end()
    }

    @Test("a device of which nothing is heard any more: the outcome is unknown")
    func cutOff() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        let relay = bench.relay
        bench.light.next { _ in
            relay.cutOff()
            return .outcome(.status(StatusIB(.success)))
        }
        let start = testTime.now
        let error = try await unknownOutcome { try await toggle(link, within: .seconds(3)) }
        #expect(.testNow - start >= .seconds(3) && .testNow - start < .seconds(20))
        #expect(bench.light.executed.count == 1 && error.reason.contains("\(bench.relay.address)"))
        #expect(await link.stateAfterwards([AttributePath(Light.onOff)]).isEmpty)
        await bench.end()
    }

    @Test("a device that acknowledges and never answers: the outcome is unknown")
    func onlyAcknowledged() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.light.next { _ in .acknowledgement }
        let error = try await unknownOutcome { try await toggle(link, within: .milliseconds(1500)) }
        #expect((error.underlying as? TransportError)?.code == .noReply)
        #expect(bench.light.executed.count == 1)
        #expect(await bench.handshakes == 1)
        await bench.end()
    }

    @Test("an acknowledgement that comes late, on the old session, still forbids to send the command on the new one")
    func lateAcknowledgement() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.relay.loseFirst(6, .toDevice)
        bench.light.next { _ in .acknowledgement }
        _ = try await unknownOutcome { try await toggle(link, within: .seconds(5)) }
        #expect(bench.light.executed.count == 1)
        await bench.end()
    }

    @Test("a slow device is waited for, also if its command had to be rescued", arguments: [0, 6])
    func slow(lost: Int) async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.relay.loseFirst(lost, .toDevice)
        bench.light.next { _ in
            try? await testTime.sleep(for: .milliseconds(2500))
            return .outcome(.status(StatusIB(.success)))
        }
        #expect(try await toggle(link).status.isSuccess)
        #expect(bench.light.executed.count == 1)
        await bench.end()
    }

    @Test("a device that has forgotten our fabric: the outcome is unknown")
    func forgotten() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        await bench.device.change { $0.fabrics = [] }
        await bench.device.restart()
        _ = try await unknownOutcome { try await toggle(link, within: .seconds(2)) }
        #expect(await link.stateAfterwards([AttributePath(Light.onOff)]).isEmpty)
        #expect(bench.light.executed == [])
        await bench.end()
    }

    // MARK: Before anything is sent

    @Test("a device that cannot be reached has done nothing, and the error says why")
    func noSession() async throws {
        let bench = try await Bench()
        bench.relay.cutOff()
        let link = try await bench.link()
        let error = await #expect(throws: SessionError.self) { _ = try await toggle(link, within: .seconds(1)) }
        #expect(error?.code == .silent && error?.phase == .case)
        await bench.end()
    }

    // MARK: Timed

    @Test("a command that has to be timed is repeated once, as a timed one", arguments: [true, false])
    func needsTimed(asStatus: Bool) async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.light.next { _ in
            asStatus ? .outcome(.status(StatusIB(.needsTimedInteraction))) : .refusal(.needsTimedInteraction)
        }
        #expect(try await toggle(link).status.isSuccess)
        #expect(bench.light.executed == [false, true])
        await bench.end()
    }

    @Test("a device that is never content is asked twice and no more")
    func alwaysNeedsTimed() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        for _ in 0..<4 { bench.light.next { _ in .outcome(.status(StatusIB(.needsTimedInteraction))) } }
        #expect(try await toggle(link).status.status == .needsTimedInteraction)
        #expect(bench.light.executed == [false, true])
        // A command that was timed from the start is not repeated at all.
        #expect(try await toggle(link, isTimed: true).status.status == .needsTimedInteraction)
        #expect(bench.light.executed == [false, true, true])
        await bench.end()
    }

    @Test("other refusals are passed on")
    func refusal() async throws {
        let bench = try await Bench()
        let link = try await bench.connected()
        bench.light.next { _ in .refusal(.busy) }
        let error = await #expect(throws: InteractionError.self) { _ = try await toggle(link) }
        #expect(error?.status == .busy && bench.light.executed == [false])
        bench.light.next { _ in .outcome(.status(StatusIB(.failure, clusterStatus: 3))) }
        #expect(try await toggle(link).status == StatusIB(.failure, clusterStatus: 3))
        await bench.end()
    }

    @Test("a timed command whose announcement was lost or not answered has not run, and begins again")
    func lostAnnouncement() async throws {
        let bench = try await Bench(processing: .milliseconds(300)) { plan in
            let refusals = Countdown(1)
            plan.model.announce = { refusals.isOver() }
        }
        let link = try await bench.connected()
        await bench.device.restart()
        #expect(try await toggle(link, isTimed: true).status.isSuccess)
        #expect(bench.light.executed == [true])
        #expect(await bench.handshakes == 2)
        await bench.end()
    }

    @Test(
        "commands go together as far as the device takes them, each with the answer to it; a repeated one comes later")
    func batches() async throws {
        let references = Mutex<[UInt16?]>([])
        let bench = try await Bench { plan in
            plan.parameters.maxPathsPerInvoke = 2
            plan.model.invoke = { command, _, _ in
                references.withLock { $0.append(command.reference) }
                let isOn = command.path.command == Light.on.path.command
                return .outcome(.status(StatusIB(isOn ? .busy : .success)))
            }
        }
        let link = try await bench.link()
        let deadline = Instant.testNow + .seconds(20)
        let commands = [Light.toggle, Light.on, Light.on, Light.toggle]
        let batches = try await link.batches(of: commands, deadline: deadline)
        #expect(batches.map(\.count) == [2, 2])
        var results: [CommandResult] = []
        for batch in batches + [[Light.toggle]] {
            results += try await link.invoke(batch: batch, isTimed: false, .atMostOnce, deadline: deadline)
        }
        #expect(references.withLock { $0 } == [0, 1, 0, 1, nil])
        #expect(results.map(\.status.status) == [.success, .busy, .busy, .success, .success])
        #expect(results.map(\.path) == (commands + [Light.toggle]).map(\.path))
        await bench.end()
    }
}
