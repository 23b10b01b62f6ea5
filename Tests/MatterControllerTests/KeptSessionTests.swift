import Foundation
import MatterBase
import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState

/// One process after the other talks to a light: each has a controller of its own, and all have a folder in memory.
@Suite("The ladder of sessions", .virtualTime)
struct KeptSessionTests {
    private static let diagnostics = GeneralDiagnostics.id

    /// A light with a count of its starts, and the processes that come and go.
    private final class Scene: Sendable {
        struct Life { var starts: UInt64 = 5; var up = Instant.testNow - .seconds(500); var tellsUpTime = true }

        let bench: Bench
        let runtime: RuntimeFolder

        init(_ change: (inout LoopbackDevice.Plan) -> Void = { _ in }) async throws {
            let life = Box()
            runtime = try RuntimeFolder()
            bench = try await Bench { plan in
                let answer = plan.model.read
                plan.model.read = { path, context in
                    guard path.cluster == KeptSessionTests.diagnostics else { return await answer(path, context) }
                    return life.state.withLock { life in
                        switch path.attribute {
                        case GeneralDiagnostics.Attribute.rebootCount: [.value(path, .uint(life.starts))]
                        case GeneralDiagnostics.Attribute.upTime where life.tellsUpTime:
                            [.value(path, .uint(UInt64((Instant.testNow - life.up).components.seconds)))]
                        default: [.status(AttributeStatusIB(path: path, status: StatusIB(.unsupportedAttribute)))]
                        }
                    }
                }
                change(&plan)
            }
            box = life
        }

        private final class Box: Sendable { let state = Mutex(Life()) }
        private let box: Box

        func change(_ body: @Sendable (inout Life) -> Void) { box.state.withLock { body(&$0) } }

        /// The files of another process.
        func process(_ change: (inout Controller.Options) -> Void = { _ in }) -> Controller {
            var options = bench.controller.options
            options.runtime = runtime.directory
            options.moment = {
                let now = (Instant.testNow - KeptSessionTests.epoch).components
                let nanoseconds = now.seconds * 1_000_000_000 + now.attoseconds / 1_000_000_000
                return MachineMoment(
                    bootID: [UInt8](repeating: 1, count: 16), sinceBoot: nanoseconds, unix: nanoseconds + 1 << 60)
            }
            change(&options)
            return Controller(options)
        }

        /// Runs something in a process of its own.
        func run<Result: Sendable>(
            _ change: (inout Controller.Options) -> Void = { _ in },
            _ body: @Sendable (NodeLink) async throws -> Result
        ) async throws -> Result {
            let process = process(change)
            do {
                let result = try await body(process.links.link(to: process.nodes.record(of: "lamp")))
                await process.close()
                return result
            } catch {
                await process.close()
                throw error
            }
        }

        func toggle(_ change: (inout Controller.Options) -> Void = { _ in }) async throws {
            _ = try await run(change) { link in
                try await link.invoke(Light.toggle, .atMostOnce, deadline: .testNow + .seconds(60))
            }
        }

        var handshakes: Int { get async { await bench.handshakes } }
        var kept: [String] { runtime.directory.names(prefix: "") }
    }

    /// The start of the machine, by any test's time.
    private static let epoch = Instant.now - .seconds(1 << 20)

    private func wait(_ seconds: Int) async throws {
        try await testTime.sleep(for: .seconds(seconds))
    }

    @Test("the second process goes on with the session of the first: one message, and its answer")
    func goingOn() async throws {
        let scene = try await Scene()
        try await scene.toggle()
        #expect(await scene.handshakes == 1 && scene.kept.count == 1)
        try await wait(1)
        let before = scene.bench.relay.passed(.toDevice)
        for _ in 0..<3 { try await scene.toggle() }
        try await wait(1)
        #expect(await scene.handshakes == 1)
        // A command and an acknowledgement each.
        #expect(scene.bench.relay.passed(.toDevice) - before == 6)
        #expect(scene.bench.light.executed == [false, false, false, false])
        await scene.bench.end()
    }

    @Test("where the node has lost the session, what may be repeated works within less than its interval more")
    func lostSessionAbsolute() async throws {
        let scene = try await Scene()
        try await scene.toggle()
        await scene.bench.device.restart()
        let began = Instant.testNow
        _ = try await scene.run { link in
            try await link.invoke(Light.on, .absolute, deadline: .testNow + .seconds(60))
        }
        #expect(Instant.testNow - began < .milliseconds(400))
        #expect(await scene.handshakes == 2)
        #expect(scene.bench.light.executed.count == 2)
        await scene.bench.device.restart()
        let result = try await scene.run { link in
            try await link.read([AttributePath(Light.onOff)], deadline: .testNow + .seconds(60))
        }
        #expect(result.attribute(Light.onOff)?.value == .bool(false))
        // The new session is kept in the place of the lost one.
        try await scene.toggle()
        #expect(await scene.handshakes == 3)
        await scene.bench.end()
    }

    @Test("a command that may run once is sent again only with the proof that the node had started before")
    func proof() async throws {
        let scene = try await Scene()
        try await scene.toggle()
        try await wait(10)
        await scene.bench.device.restart()
        scene.change { life in
            life.starts += 1
            life.up = .testNow
        }
        try await wait(10)
        try await scene.toggle()
        #expect(scene.bench.light.executed == [false, false])
        #expect(await scene.handshakes == 2)
        await scene.bench.end()
    }

    @Test(
        "without that proof its outcome is unknown", arguments: ["no count", "two starts", "a moment ago", "no time"])
    func noProof(why: String) async throws {
        let scene = try await Scene()
        try await scene.toggle()
        try await wait(10)
        await scene.bench.device.restart()
        scene.change { life in
            life.starts += why == "no count" ? 0 : why == "two starts" ? 2 : 1
            life.up = .testNow + (why == "a moment ago" ? .seconds(9) : .zero)
            life.tellsUpTime = why != "no time"
        }
        try await wait(10)
        let error = await #expect(throws: ControllerError.self) { try await scene.toggle() }
        #expect(error?.code == .outcomeUnknown)
        #expect(scene.bench.light.executed == [false], "it is never sent in the new session")
        #expect(await scene.handshakes == 2)
        try await scene.toggle()
        #expect(scene.bench.light.executed.count == 2)
        await scene.bench.end()
    }

    @Test("after a minute of silence such a command is announced first, and runs once on either rung")
    func announced() async throws {
        let scene = try await Scene()
        try await scene.toggle()
        try await wait(61)
        try await scene.toggle()
        #expect(scene.bench.light.executed == [false, true])
        #expect(await scene.handshakes == 1)
        try await wait(61)
        await scene.bench.device.restart()
        try await scene.toggle()
        #expect(scene.bench.light.executed.count == 3)
        #expect(await scene.handshakes == 2)
        await scene.bench.end()
    }

    @Test("an answer that is late but comes first keeps the session, and the handshake beside it is given up")
    func slowAnswer() async throws {
        let scene = try await Scene()
        try await scene.toggle()
        scene.bench.light.next { _ in
            try? await testTime.sleep(for: .milliseconds(150))
            return .outcome(.status(StatusIB(.success)))
        }
        try await scene.toggle()
        try await scene.toggle()
        #expect(scene.bench.light.executed == [false, false, false])
        #expect(scene.kept.count == 1)
        await scene.bench.end()
    }

    @Test("two processes at once: one has the kept session, the other sets one up and closes it")
    func twoAtOnce() async throws {
        let scene = try await Scene()
        try await scene.toggle()
        let (first, second) = (scene.process(), scene.process())
        for process in [first, second] {
            let link = try await process.links.link(to: process.nodes.record(of: "lamp"))
            _ = try await link.invoke(Light.toggle, .atMostOnce, deadline: .testNow + .seconds(60))
        }
        #expect(await scene.handshakes == 2)
        await first.close()
        await second.close()
        #expect(scene.kept.count == 1)
        try await scene.toggle()
        #expect(await scene.handshakes == 2)
        await scene.bench.end()
    }

    @Test("a session is closed and not kept where that is asked for, and not used where a fresh one is")
    func options() async throws {
        let scene = try await Scene()
        try await scene.toggle { $0.keepsSessions = false }
        #expect(scene.kept.isEmpty)
        try await scene.toggle()
        try await scene.toggle { $0.isFresh = true }
        #expect(await scene.handshakes == 3 && scene.kept.count == 1)
        try await scene.toggle { $0.keepsSessions = false }
        #expect(await scene.handshakes == 3 && scene.kept.isEmpty, "the kept one is used, and closed")
        await scene.bench.end()
    }

    @Test("a session in which the node did not answer is not kept")
    func silence() async throws {
        let scene = try await Scene()
        try await scene.toggle()
        scene.bench.relay.lose { _ in true }
        await #expect(throws: (any Error).self) {
            _ = try await scene.run { link in
                try await link.read([AttributePath(Light.onOff)], deadline: .testNow + .seconds(5))
            }
        }
        #expect(scene.kept.isEmpty)
        scene.bench.relay.lose { _ in false }
        let handshakes = await scene.handshakes
        try await scene.toggle()
        #expect(await scene.handshakes == handshakes + 1)
        await scene.bench.end()
    }

    @Test(
        "a node that acknowledges and does not answer in a kept session is asked in another", arguments: [true, false])
    func acknowledgedOnly(isRead: Bool) async throws {
        let silent = Mutex(false)
        let scene = try await Scene { plan in
            let answer = plan.model.read
            plan.model.read = { path, context in
                let isSilent = silent.withLock { silent in
                    defer { silent = false }
                    return silent
                }
                if isSilent { try? await testTime.sleep(for: .seconds(3600)) }
                return await answer(path, context)
            }
        }
        try await scene.toggle()
        #expect(await scene.handshakes == 1)
        if isRead {
            silent.withLock { $0 = true }
            let result = try await scene.run { link in
                try await link.read([AttributePath(Light.onOff)], deadline: .testNow + .seconds(12))
            }
            #expect(result.attribute(Light.onOff)?.value != nil)
        } else {
            scene.bench.light.next { _ in
                try? await testTime.sleep(for: .seconds(3600))
                return .outcome(.status(StatusIB(.success)))
            }
            _ = try await scene.run { link in
                try await link.invoke(Light.on, .absolute, deadline: .testNow + .seconds(12))
            }
        }
        #expect(await scene.handshakes == 2)
        #expect(scene.kept.count == 1)
        await scene.bench.end()
    }

    @Test("a record that was taken back does not keep a process from reading")
    func takenBack() async throws {
        let scene = try await Scene()
        try await scene.toggle()
        let path = try scene.runtime.directory.path + "/" + #require(scene.kept.first)
        for _ in 0..<4 {
            let contents = try #require(FileManager.default.contents(atPath: path))
            try await scene.toggle()
            try #require(FileHandle(forWritingAtPath: path)).write(contentsOf: contents)
            let result = try await scene.run { link in
                try await link.read([AttributePath(Light.onOff)], deadline: .testNow + .seconds(14))
            }
            #expect(result.attribute(Light.onOff)?.value != nil)
        }
        await scene.bench.end()
    }

    @Test("with a node that is forgotten goes its session, also one that is in use", arguments: [true, false])
    func forgotten(isInUse: Bool) async throws {
        let scene = try await Scene()
        try await scene.toggle()
        let process = scene.process()
        let node = try process.nodes.record(of: "lamp")
        if isInUse {
            _ = try await process.links.link(to: node).read(
                [AttributePath(Light.onOff)], deadline: .testNow + .seconds(20))
        }
        try await process.administration.forget(node.nodeID)
        #expect(scene.kept.isEmpty)
        await process.close()
        #expect(scene.kept.isEmpty)
        await scene.bench.end()
    }

    @Test("a session that is ended for another certificate is closed at the node too", arguments: [true, false])
    func ended(isInUse: Bool) async throws {
        let scene = try await Scene()
        try await scene.toggle()
        #expect(await scene.bench.device.sessions.count == 1)
        let process = scene.process()
        if isInUse {
            _ = try await process.links.link(to: process.nodes.record(of: "lamp")).read(
                [AttributePath(Light.onOff)], deadline: .testNow + .seconds(20))
        }
        try await process.links.endSession(with: Bench.node)
        try await wait(1)
        #expect(scene.kept.isEmpty)
        #expect(await scene.bench.device.sessions.isEmpty)
        await process.close()
        try await scene.toggle()
        #expect(await scene.handshakes == 2)
        await scene.bench.end()
    }
}
