import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator

@Suite("Sessions with cameras") struct CameraSessionsTests {
    private let camera = NodeID(7)

    private func answer(_ session: UInt16, from node: NodeID = NodeID(7)) -> CameraCallback {
        CameraCallback(node: node, session: session, .answer(sdp: "text"))
    }

    private func told(_ callback: CameraCallback, at endpoint: UInt16) -> CameraCallback {
        var callback = callback
        callback.endpoint = endpoint
        return callback
    }

    /// A session that is known, and whose response was handed on.
    private func open(_ number: UInt16, _ sessions: inout CameraSessions, with node: NodeID = NodeID(7)) {
        let command = sessions.begin(with: node)
        #expect(sessions.opened(number, at: 1, by: command) == [])
        #expect(sessions.finish(command) == [])
    }

    @Test("nothing is expected without a session or a command under way, and what comes is not found")
    func unknown() {
        var sessions = CameraSessions()
        #expect(!sessions.isExpecting && sessions.take(answer(1)).status == .notFound)
        let command = sessions.begin(with: camera)
        #expect(sessions.isExpecting)
        #expect(sessions.finish(command) == [] && !sessions.isExpecting)
    }

    @Test("a camera calls back for its own sessions only")
    func foreign() {
        var sessions = CameraSessions()
        open(5, &sessions)
        for callback in [answer(6), answer(5, from: NodeID(8))] {
            let outcome = sessions.take(callback)
            #expect(outcome.status == .notFound && outcome.told == nil)
        }
        let outcome = sessions.take(answer(5))
        #expect(outcome.status == .success && outcome.told == told(answer(5), at: 1))
        #expect(sessions.isKnown(5, with: camera) && !sessions.isKnown(5, with: NodeID(8)))
    }

    @Test("the sessions of a node that is removed are gone, and the commands under way; those of others are not")
    func removal() {
        var sessions = CameraSessions()
        open(5, &sessions)
        open(6, &sessions, with: NodeID(8))
        let command = sessions.begin(with: camera)
        #expect(sessions.take(answer(7)) == (.success, nil))
        sessions.forget(camera)
        #expect(sessions.take(answer(5)).status == .notFound && sessions.take(answer(7)).status == .notFound)
        #expect(sessions.opened(7, at: 1, by: command) == [] && sessions.finish(command) == [])
        #expect(!sessions.isKnown(7, with: camera) && sessions.isKnown(6, with: NodeID(8)))
        sessions.forget(NodeID(8))
        #expect(!sessions.isExpecting)
    }

    @Test("callbacks that come before the response, or before it was handed on, are told then, in their order")
    func race() {
        var sessions = CameraSessions()
        let command = sessions.begin(with: camera)
        let candidates = CameraCallback(node: camera, session: 5, .iceCandidates([]))
        #expect(sessions.take(answer(5)) == (.success, nil))
        #expect(sessions.opened(5, at: 3, by: command) == [])
        #expect(sessions.take(candidates) == (.success, nil))
        #expect(sessions.finish(command) == [told(answer(5), at: 3), told(candidates, at: 3)])
        #expect(sessions.take(answer(5)).told == told(answer(5), at: 3))
        #expect(sessions.finish(command) == [], "a command is finished once")
    }

    @Test("an end that overtakes the response ends the session once it is told")
    func earlyEnd() {
        var sessions = CameraSessions()
        let command = sessions.begin(with: camera)
        let end = CameraCallback(node: camera, session: 5, .end(reason: 2))
        #expect(sessions.take(end).status == .success)
        _ = sessions.opened(5, at: 1, by: command)
        #expect(sessions.finish(command) == [told(end, at: 1)])
        #expect(!sessions.isExpecting && sessions.take(answer(5)).status == .notFound)
    }

    @Test("what is held for a command that fails, or names another session, is dropped")
    func failed() {
        var sessions = CameraSessions()
        let first = sessions.begin(with: camera)
        _ = sessions.take(answer(5))
        #expect(sessions.finish(first) == [])
        let second = sessions.begin(with: camera)
        _ = sessions.take(answer(5))
        _ = sessions.opened(6, at: 1, by: second)
        #expect(sessions.finish(second) == [])
        #expect(sessions.take(answer(5)).status == .notFound && sessions.take(answer(6)).status == .success)
    }

    @Test("two commands of one camera do not take each other's callbacks")
    func together() {
        var sessions = CameraSessions()
        let first = sessions.begin(with: camera)
        let second = sessions.begin(with: camera)
        _ = sessions.take(answer(2))
        _ = sessions.take(answer(1))
        _ = sessions.opened(1, at: 1, by: first)
        #expect(sessions.finish(first) == [told(answer(1), at: 1)])
        _ = sessions.opened(2, at: 1, by: second)
        #expect(sessions.finish(second) == [told(answer(2), at: 1)])
    }

    @Test("an end, and a command that ends a session, forget it")
    func ended() {
        var sessions = CameraSessions()
        open(5, &sessions)
        open(6, &sessions)
        sessions.forget(6, with: NodeID(8))
        #expect(sessions.isKnown(6, with: camera))
        sessions.forget(6, with: camera)
        #expect(sessions.take(CameraCallback(node: camera, session: 6, .end(reason: 2))).status == .notFound)
        #expect(sessions.take(CameraCallback(node: camera, session: 5, .end(reason: 2))).told != nil)
        #expect(sessions.take(answer(5)).status == .notFound && !sessions.isExpecting)
    }

    @Test("a seventeenth session ends the oldest, and that is told")
    func most() {
        var sessions = CameraSessions()
        for number in 1...UInt16(CameraSessions.most) { open(number, &sessions) }
        let command = sessions.begin(with: camera)
        #expect(
            sessions.opened(17, at: 1, by: command) == [
                CameraCallback(node: camera, endpoint: 1, session: 1, .end(reason: 8))
            ])
        #expect(!sessions.isKnown(1, with: camera) && sessions.isKnown(2, with: camera))
    }

    @Test("only so much is held for a camera that goes on and on")
    func mostHeld() {
        var sessions = CameraSessions()
        let command = sessions.begin(with: camera)
        for _ in 1...CameraSessions.mostHeld { #expect(sessions.take(answer(5)).status == .success) }
        #expect(sessions.take(answer(5)).status == .resourceExhausted)
        _ = sessions.opened(5, at: 1, by: command)
        #expect(sessions.finish(command).count == CameraSessions.mostHeld)
    }

    @Test("commands of other clusters, endpoints and numbers, and those that lack fields, are refused by their status")
    func refused() {
        func status(_ path: CommandPath, _ fields: TLVValue?) -> IMStatus? {
            do throws(CommandRefusal) {
                _ = try CameraCallback(path, fields, from: camera)
                return nil
            } catch { return error.status }
        }
        let cluster = WebRTCTransportRequestor.id
        func path(_ command: CommandID, at endpoint: EndpointID = 0) -> CommandPath {
            CommandPath(endpoint: endpoint, cluster: cluster, command: command)
        }
        let answer = WebRTCTransportRequestor.Answer(webRTCSessionID: 5, sdp: "text")
        #expect(status(path(1), answer.tlv) == nil)
        #expect(status(path(1, at: 1), answer.tlv) == .unsupportedEndpoint)
        #expect(status(path(4), answer.tlv) == .unsupportedCommand)
        #expect(status(CommandPath(endpoint: 0, cluster: 6, command: 1), nil) == .unsupportedCluster)
        for command in 0...3 as ClosedRange<UInt32> {
            #expect(status(path(CommandID(command)), nil) == .invalidCommand)
        }
        let many = [GlobalTypes.ICECandidate](repeating: .init(candidate: "a"), count: 65)
        for list in [[], many] {
            let command = WebRTCTransportRequestor.ICECandidates(webRTCSessionID: 5, iceCandidates: list)
            #expect(status(path(2), command.tlv) == .constraintError)
        }
    }
}

/// A virtual camera on a virtual network: what it invokes comes over the session of the controller.
@Suite("Cameras", .virtualTime) struct CameraTests {
    @Test("a camera calls back over the session that it was asked on; what it has no session for is not taken")
    func callbacks() async throws {
        let scene = try await CameraScene()
        let solicit = Command(
            WebRTCTransportProvider.SolicitOffer(streamUsage: .liveView, originatingEndpointID: 0), at: 1)
        let link = try await scene.controller.links.link(to: scene.node)
        let cameras = scene.controller.cameras

        // Without a word to the service, nothing is let in.
        _ = try await link.invoke(solicit, .absolute, deadline: .testNow + .seconds(30))
        try await scene.awaitStep("command-failed", count: 2)

        let command = cameras.begin(with: scene.node.nodeID)
        let result = try await link.invoke(solicit, .absolute, deadline: .testNow + .seconds(30))
        guard case .response(_, let fields?) = result.outcome,
            let response = WebRTCTransportProvider.SolicitOfferResponse(tlv: fields)
        else {
            Issue.record("no response: \(result)")
            return await scene.close()
        }
        #expect(response.webRTCSessionID == 2)
        cameras.opened(response.webRTCSessionID, at: 1, by: command)
        cameras.finish(command)
        var told: [CameraCallback.Content] = []
        for await callback in cameras.callbacks {
            #expect(callback.node == scene.node.nodeID && callback.endpoint == 1 && callback.session == 2)
            told.append(callback.content)
            if told.count == 2 { break }
        }
        #expect(
            told.first
                == .offer(sdp: WebRTCTransportProviderServer.offer, iceServers: nil, iceTransportPolicy: nil))
        guard case .iceCandidates(let candidates)? = told.last else {
            Issue.record("no candidates: \(told)")
            return await scene.close()
        }
        #expect(candidates.map(\.sdpMLineIndex) == [0, nil] && candidates.map(\.sdpMid) == ["video", nil])
        try await scene.awaitStep("command-sent", count: 2)

        // A third session, of which the service knows nothing.
        _ = try await link.invoke(solicit, .absolute, deadline: .testNow + .seconds(30))
        try await scene.awaitStep("command-sent", count: 4)
        #expect(scene.statuses.suffix(2).allSatisfy { $0.contains("NOT_FOUND") }, "\(scene.statuses)")
        #expect(await scene.light.device.input("1 web-rtc-transport-provider hang-up 2"))
        for await callback in cameras.callbacks {
            #expect(callback.content == .end(reason: 2))
            break
        }
        #expect(!cameras.isKnown(2, with: scene.node.nodeID))
        await scene.close()
    }
}
