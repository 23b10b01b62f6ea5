import MatterBase
import MatterTestKit
import Synchronization
import TestSupport
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator
@testable import MatterState

/// A device straight out of its box is commissioned over Bluetooth, in process.
@Suite("Commissioning over Bluetooth", .virtualTime)
struct BluetoothTests {
    @Test("PASE and the commands of a commissioning go over Bluetooth, CASE and what follows over the network")
    func endToEnd() async throws {
        let scene = try await BluetoothScene()
        #expect(TestNetwork.current.messages == 0)
        let (node, result) = try await scene.commission()
        #expect(node.nodeID == NodeID(1) && !result.wasPending)
        #expect(result.address == (try PeerAddress(parsing: scene.light.address)))
        #expect(node.addresses == [result.address], "no Bluetooth address is kept")
        #expect(scene.air.connectionCount == 1 && scene.air.openConnections == 0)
        #expect(scene.stages.prefix(3) == [.discover, .pase, .armFailSafe] && scene.stages.last == .post)
        #expect(await scene.light.device.withNode { node, _ in node.fabrics.all.count } == 1)
        // It can be controlled at once.
        let link = try await scene.controller.links.link(to: node)
        let path = ConcreteAttributePath(endpoint: 0, cluster: BasicInformation.id, attribute: 2)
        let read = try await link.read([AttributePath(path)], deadline: .testNow + .seconds(30))
        #expect(read.attribute(path)?.value == .uint(0xFFF1))
        await scene.end()
    }

    @Test("nothing of PASE goes over the network")
    func apart() async throws {
        let messages = Mutex<Int?>(nil)
        let scene = try await BluetoothScene(report: { report, _ in
            guard case .session("case-established", _) = report else { return }
            messages.withLock { $0 = $0 ?? TestNetwork.current.messages }
        })
        _ = try await scene.commission()
        // Sigma1, its acknowledgement, Sigma2, Sigma3.
        #expect(messages.withLock { $0 ?? 99 } <= 6)
        await scene.end()
    }

    @Test("a device that can be found on the network is paired there, and not over Bluetooth")
    func networkFirst() async throws {
        let scene = try await BluetoothScene()
        let address = try PeerAddress(parsing: scene.light.address)
        scene.network.place(node: address, commissionable: address)
        let (node, _) = try await scene.commission { $0.capabilities = [.ble, .onNetwork] }
        #expect(scene.air.connectionCount == 0 && node.addresses == [address])
        await scene.end()
    }

    @Test("a device that is not on the network is looked for over Bluetooth after three seconds, by a manual code too")
    func bluetoothSecond() async throws {
        for capabilities in [nil, [.ble, .onNetwork]] as [SetupPayload.DiscoveryCapabilities?] {
            let scene = try await BluetoothScene()
            let began = Instant.testNow
            _ = try await scene.commission {
                $0.capabilities = capabilities
                if capabilities == nil { $0.code.discriminator = try SetupDiscriminator(short: 15) }
            }
            #expect(scene.air.connectionCount == 1)
            #expect(Instant.testNow - began >= .seconds(3))
            await scene.end()
        }
    }

    @Test("--via decides: only the network, or only Bluetooth")
    func via() async throws {
        let scene = try await BluetoothScene()
        let unfound = await #expect(throws: CommissioningError.self) {
            _ = try await scene.commission(within: .seconds(20)) { $0.via = .ip }
        }
        #expect(unfound?.code == .nothingDiscovered && scene.air.connectionCount == 0)
        let address = try PeerAddress(parsing: scene.light.address)
        scene.network.place(node: address, commissionable: address)
        _ = try await scene.commission { request in
            request.via = .ble
            request.capabilities = .onNetwork
        }
        #expect(scene.air.connectionCount == 1)
        await scene.end()
    }

    @Test("a device with another discriminator or of another product is left alone")
    func others() async throws {
        for change in [
            { $0.code.discriminator = try SetupDiscriminator(long: 3841) },
            { $0.code.discriminator = try SetupDiscriminator(short: 14) }, { $0.vendorID = 0xFFF2 },
            { $0.productID = 0x8002 },
        ] as [@Sendable (inout CommissioningRequest) throws -> Void] {
            let scene = try await BluetoothScene()
            let error = await #expect(throws: CommissioningError.self) {
                _ = try await scene.commission(within: .seconds(20), change)
            }
            #expect(error?.code == .nothingDiscovered && scene.air.connectionCount == 0)
            #expect(error?.reason.contains("Bluetooth") == true)
            await scene.end()
        }
    }

    @Test("a wrong passcode is said as it is, and the connection is closed")
    func wrongPasscode() async throws {
        let scene = try await BluetoothScene()
        let error = await #expect(throws: CommissioningError.self) {
            _ = try await scene.commission { $0.code.passcode = try SetupPasscode(20_202_022) }
        }
        #expect(error?.code == .wrongPasscode && error?.reason.contains(BluetoothScene.address) == true)
        #expect(scene.air.connectionCount == 1 && scene.air.openConnections == 0)
        #expect(await scene.light.isUntouched)
        await scene.end()
    }

    @Test("a device that takes long to appear on its network keeps its Bluetooth connection until then")
    func slowNetwork() async throws {
        let scene = try await BluetoothScene()
        scene.network.place(node: try PeerAddress(parsing: scene.light.address), after: .seconds(100))
        let commissioning = inBackground { try await scene.commission(within: .seconds(180)) }
        try await testTime.sleep(for: .seconds(90))
        #expect(scene.air.openConnections == 1 && scene.stages.contains(.addNOC))
        let (node, _) = try await commissioning.value
        #expect(node.nodeID == NodeID(1) && scene.air.openConnections == 0)
        await scene.end()
    }

    @Test("a device that leaves Bluetooth once it has its certificate is looked for on the network")
    func movedOn() async throws {
        let left = Mutex(false)
        let scene = try await BluetoothScene(report: { report, air in
            // Some devices leave at once, and are on their network a good while later.
            guard case .commissioning("noc-added", _) = report else { return }
            air.loseAll(after: .milliseconds(200))
            left.withLock { $0 = true }
        })
        scene.network.place(node: try PeerAddress(parsing: scene.light.address), after: .seconds(60))
        let (node, result) = try await scene.commission(within: .seconds(180))
        #expect(left.withLock { $0 } && node.nodeID == NodeID(1) && result.address.udp != nil)
        #expect(scene.air.connectionCount == 1 && scene.air.openConnections == 0)
        await scene.end()
    }

    @Test("an interruption leaves no connection and nothing on the device")
    func interrupted() async throws {
        let reached = Seen()
        let scene = try await BluetoothScene({ _, _, _ in .carry(after: .milliseconds(500)) }) { report, _ in
            if case .commissioning("fail-safe-armed", _) = report { reached.note("armed", []) }
        }
        let commissioning = inBackground { try await scene.commission() }
        #expect(try await scene.eventually { reached.has("armed") })
        commissioning.cancel()
        let error = await #expect(throws: CommissioningError.self) { _ = try await commissioning.value }
        #expect(error?.code == .interrupted && error?.aftermath == .rolledBack)
        #expect(try await scene.eventually { scene.air.openConnections == 0 })
        #expect(await scene.light.isUntouched)
        await scene.end()
    }

    /// Commissions the light, again and again after attempts that failed, and looks at what is left.
    private func persist(_ scene: BluetoothScene) async throws {
        let began = Instant.testNow
        for attempt in 1... {
            do {
                let (node, _) = try await scene.commission(within: .seconds(300))
                #expect(node.nodeID.isOperational && node.addresses.allSatisfy { $0.udp != nil })
                break
            } catch let error as CommissioningError {
                #expect([.noAnswer, .goneAfterNOC, .forgotten, .windowClosed].contains(error.code), "\(error)")
                #expect(error.code != .noAnswer || error.reason.contains("Bluetooth"), "\(error)")
                try #require(attempt < 20, "\(error)")
            }
            #expect(scene.air.openConnections == 0)
        }
        #expect(Instant.testNow - began < .seconds(3600))
        #expect(scene.air.openConnections == 0)
        #expect(await scene.light.device.withNode { node, _ in node.fabrics.all.count } == 1)
        #expect(try scene.controller.context.nodes().all().count == 1)
        #expect(try scene.controller.context.journal().all() == [])
        await scene.end()
    }

    @Test(
        "wherever the connection is lost once, the attempt goes on or ends in words, and the next one works",
        arguments: 0..<40)
    func loss(place: Int) async throws {
        let losses = Mutex(0)
        let scene = try await BluetoothScene { _, _, number in
            guard number == place else { return .carry(after: .milliseconds(15)) }
            return losses.withLock { losses in
                losses += 1
                return losses == 1 ? .lose : .carry(after: .milliseconds(15))
            }
        }
        try await persist(scene)
        #expect(losses.withLock { $0 } > 0, "a commissioning has not so many values")
    }

    @Test(
        "over a connection that is lost again and again, a device becomes a node or stays as it was", arguments: 0..<200
    )
    func lossy(seed: UInt64) async throws {
        let generator = Mutex(SeededGenerator(seed: seed))
        let scene = try await BluetoothScene { _, _, _ in
            generator.withLock { generator in
                UInt64.random(in: 0..<100, using: &generator) == 0
                    ? .lose : .carry(after: .milliseconds(Int64.random(in: 5...60, using: &generator)))
            }
        }
        try await persist(scene)
    }
}
