import MatterClusters
import TestSupport
import Testing

@testable import MatterController

/// The library as a program sees it: one import, and nothing of this package's own.
@Suite("The library", .fewAtATime, .serialized)
struct LibraryTests {
    /// A fabric with a light that is called `kitchen`.
    private func commissioned() async throws -> (light: VirtualLight, home: Controller, node: Node) {
        let light = try await VirtualLight()
        let home = try Controller(home: .folder(light.home), fabric: "home")
        let node = try await home.commission(
            light.code, name: "kitchen", trust: .folder(light.trust, testDevices: true), address: light.address)
        return (light, home, node)
    }

    private func error(_ body: () async throws -> Void) async throws -> MatterError {
        do {
            try await body()
        } catch let error as MatterError {
            return error
        }
        throw NothingFailed()
    }

    private struct NothingFailed: Error {}

    @Test("a program commissions a light, switches, dims, reads and writes it, and makes it leave")
    func control() async throws {
        let (light, home, node) = try await commissioned()
        #expect(node.name == "kitchen" && node.id == 1 && "\(node)" == "node 'kitchen'")
        #expect(node.endpoints.map(\.id) == [0, 1] && node.endpoints.last?.clusters.contains(OnOff.id) == true)
        try await home.node("kitchen").toggle()
        #expect(try await node.read(OnOff.onOff))
        try await node.off()
        #expect(try await !node.read(OnOff.onOff, at: 1))
        try await node.level(127, over: .zero)
        #expect(try await node.read(LevelControl.currentLevel) == 127)
        try await node.on(at: 1, within: .seconds(20))
        try await node.write(BasicInformation.nodeLabel, "Kitchen")
        #expect(try await node.read(BasicInformation.nodeLabel) == "Kitchen")
        #expect(try await node.invoke(OnOff.id, OnOff.Command.off) == nil)
        try await node.invoke(LevelControl.MoveToLevelWithOnOff(level: 33, transitionTime: 0), at: 1)
        #expect(try await node.read(LevelControl.currentLevel) == 33)
        let keys = try await node.invoke(GroupKeyManagement.KeySetReadAllIndices())
        #expect(keys.groupKeySetIDs == [0])
        #expect(try home.allNodes().map(\.id) == [1])
        try await node.remove()
        #expect(try home.allNodes().isEmpty)
        await home.close()
        await light.stop()
    }

    @Test("what cannot be done is an error with a code, a stable id and a sentence")
    func errors() async throws {
        let (light, home, node) = try await commissioned()
        let unknown = try await error { _ = try home.node("hall") }
        #expect(unknown.code == .notFound && unknown.id == "node.unknown", "\(unknown)")
        let cluster = try await error { try await node.invoke(DoorLock.id, DoorLock.Command.lockDoor) }
        #expect(cluster.code == .unsupported && cluster.message.contains("DoorLock"), "\(cluster)")
        let endpoint = try await error { try await node.toggle(at: 7) }
        #expect(endpoint.code == .unsupported, "\(endpoint)")
        let readOnly = try await error { try await node.write(OnOff.onOff, true) }
        #expect(readOnly.code == .refused, "\(readOnly)")
        let transition = try await error { try await node.level(1, over: .seconds(7000)) }
        #expect(transition.code == .invalidInput, "\(transition)")
        let code = try await error { try await home.commission("nonsense") }
        #expect(code.code == .invalidInput, "\(code)")
        let folder = try await error { try await home.commission(light.code, trust: .folder("/nonexistent")) }
        #expect(folder.code == .invalidInput, "\(folder)")
        await home.close()
        await light.stop()
        let gone = try await error { _ = try await node.read(OnOff.onOff, within: .seconds(2)) }
        #expect(gone.code == .noAnswer, "\(gone)")
        await home.close()
    }

    @Test("a device whose authority is not trusted is refused, and the policy can say otherwise")
    func trust() async throws {
        let light = try await VirtualLight()
        let home = try Controller(home: .folder(light.home))
        let refused = try await error { try await home.commission(light.code, address: light.address) }
        #expect(refused.code == .attestationRefused && refused.id == "attestation.refused", "\(refused)")
        let node = try await home.commission(
            light.code, trust: TrustPolicy(enforcement: .skip), address: light.address)
        #expect(node.name == nil)
        await home.close()
        await light.stop()
    }

    @Test("a device that wants terms accepted is commissioned with them, and refused without")
    func terms() async throws {
        let light = try await VirtualLight(terms: VirtualLight.terms)
        let home = try Controller(home: .folder(light.home))
        let trust = TrustPolicy.folder(light.trust, testDevices: true)
        for terms in [nil, AcceptedTerms(version: 1, texts: 1)] {
            let refused = try await error {
                try await home.commission(light.code, trust: trust, terms: terms, address: light.address)
            }
            #expect(refused.code == .commissioningRefused && refused.id == "commission.terms-required", "\(refused)")
            #expect(refused.message.contains("version 2 or later"), "\(refused)")
        }
        let accepted = AcceptedTerms(version: 3, texts: 1)
        let node = try await home.commission(light.code, trust: trust, terms: accepted, address: light.address)
        #expect(try await node.read(GeneralCommissioning.tcAcceptedVersion) == 3)
        await home.close()
        await light.stop()
    }

    @Test("a loop over an attribute sees its value now, and each new one; it ends with its task")
    func subscription() async throws {
        let (light, home, node) = try await commissioned()
        let watching = Task {
            var seen: [Bool] = []
            for try await isOn in node.values(of: OnOff.onOff, silentForAtMost: .seconds(5)) {
                seen.append(isOn)
                if seen.count == 3 { break }
                try await node.toggle()
            }
            return seen
        }
        #expect(try await watching.value == [false, true, false])
        let (values, value) = AsyncStream.makeStream(of: Bool.self)
        let endless = Task {
            for try await isOn in node.values(of: OnOff.onOff) { value.yield(isOn) }
            return true
        }
        for await _ in values { break }
        endless.cancel()
        #expect(try await endless.value)
        let closed = Task {
            for try await _ in node.values(of: OnOff.onOff) { await home.close() }
            return true
        }
        #expect(try await closed.value)
        await light.stop()
    }

    @Test("loops that end beside a lasting one do not use up the room of the node")
    func room() async throws {
        let (light, home, node) = try await commissioned()
        let (values, seen) = AsyncStream.makeStream(of: Bool.self)
        let lasting = Task {
            for try await isOn in node.values(of: OnOff.onOff) { seen.yield(isOn) }
        }
        var news = values.makeAsyncIterator()
        #expect(await news.next() == false)
        // The virtual device has room for 48.
        for _ in 0..<60 {
            for try await _ in node.values(of: OnOff.onOff, silentForAtMost: .seconds(3600)) { break }
        }
        try await node.on()
        while await news.next() == false {}
        lasting.cancel()
        try await lasting.value
        await home.close()
        await light.stop()
    }

    @Test("a subscription is set up again after the node has lost it, and the loop goes on")
    func resubscription() async throws {
        let (light, home, node) = try await commissioned()
        let watching = Task {
            var seen: [Bool] = []
            for try await isOn in node.values(of: OnOff.onOff, silentForAtMost: .seconds(1)) {
                seen.append(isOn)
                if seen.count == 2 { break }
                await light.reboot()
                // Another value, which only another subscription can tell.
                try await node.toggle(within: .seconds(40))
            }
            return seen
        }
        #expect(try await watching.value == [false, true])
        await home.close()
        await light.stop()
    }
}
