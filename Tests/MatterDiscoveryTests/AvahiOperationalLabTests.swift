import Foundation
import Testing

@testable import MatterNetwork

extension AvahiLabTests {
    @Suite("Operational nodes") struct Operational {}
}

extension AvahiLabTests.Operational {
    private static let fabric: UInt64 = 0x87E1_B004_E235_A130

    private func node(_ id: UInt64, port: UInt16 = 5540) throws -> ServicePublication {
        try .operational(
            OperationalInstance(compressedFabricID: Self.fabric, nodeID: id),
            OperationalRecord(
                parameters: AdvertisedParameters(
                    idleInterval: .milliseconds(800), activeInterval: .milliseconds(600),
                    activeThreshold: .milliseconds(4500), icdMode: .shortIdleTime)), port: port)
    }

    @Test("a node is found at once, then with all its addresses")
    func resolve() async throws {
        let discovery = AvahiDiscovery()
        let service = try await discovery.publish(node(1))
        try await service.established()
        let updates = try await within(.seconds(10)) {
            var updates: [OperationalNode] = []
            for try await update in discovery.resolveOperational(compressedFabricID: Self.fabric, nodeID: 1) {
                guard case .found(let node) = update else { continue }
                updates.append(node)
                if node.addresses.contains(where: { $0.family == .ipv4 }) { break }
            }
            return updates
        }
        #expect(updates.first?.addresses.first?.description == "[fd77::1]:5540")
        #expect(updates.last?.addresses.map(\.description) == ["[fd77::1]:5540", "10.77.0.1:5540"])
        let parameters = try #require(updates.first?.record.parameters)
        #expect(parameters.idleInterval == .milliseconds(800))
        #expect(parameters.activeInterval == .milliseconds(600))
        #expect(parameters.activeThreshold == .milliseconds(4500))
        #expect(parameters.icdMode == .shortIdleTime)
        await service.withdraw()
    }

    @Test("there is no fixed wait before the first address")
    func latency() async throws {
        let discovery = AvahiDiscovery()
        let service = try await discovery.publish(node(8))
        try await service.established()
        var shortest = Duration.seconds(10)
        // The best of ten, so that a busy machine does not count.
        for _ in 0..<10 {
            let start = ContinuousClock.now
            _ = try await first(discovery.resolveOperational(compressedFabricID: Self.fabric, nodeID: 8)) { $0 }
            shortest = min(shortest, ContinuousClock.now - start)
        }
        #expect(shortest < .milliseconds(50))
        await service.withdraw()
    }

    @Test("a node that has only an IPv4 address is found")
    func onlyIPv4() async throws {
        let host = try Lab.start("exec avahi-publish-address -R lamp-v4.local 10.77.0.44")
        defer { Lab.stop(host) }
        let service = try Lab.start(
            "exec avahi-publish-service -H lamp-v4.local 87E1B004E235A130-0000000000000002 _matter._tcp 5543")
        defer { Lab.stop(service) }
        let node = try await first(
            AvahiDiscovery().resolveOperational(compressedFabricID: Self.fabric, nodeID: 2)
        ) { update in
            guard case .found(let node) = update else { return OperationalNode?.none }
            return node
        }
        #expect(node.addresses.map(\.description) == ["10.77.0.44:5543"])
    }

    @Test("a goodbye is reported, and so is the return on another port")
    func goodbye() async throws {
        let discovery = AvahiDiscovery()
        let service = try await discovery.publish(node(3))
        try await service.established()
        let stream = discovery.resolveOperational(compressedFabricID: Self.fabric, nodeID: 3)
        let ports = try await within(.seconds(20)) {
            var ports: [UInt16] = []
            var second: (any PublishedService)?
            for try await update in stream {
                switch update {
                case .found(let node):
                    if ports.isEmpty {
                        // Give the watch on the SRV record time to start: a goodbye before that is only noticed later.
                        try await Task.sleep(for: .milliseconds(100))
                        await service.withdraw()
                    }
                    if ports.last != node.port { ports.append(node.port) }
                    if node.port == 5599 { return ports }
                case .lost where second == nil:
                    ports.append(0)
                    second = try await discovery.publish(self.node(3, port: 5599))
                case .lost: ports.append(0)
                }
            }
            return ports
        }
        #expect(ports == [5540, 0, 5599])
    }

    @Test("a node that appears after Avahi's own attempt has ended is still found")
    func late() async throws {
        let discovery = AvahiDiscovery()
        let stream = discovery.resolveOperational(compressedFabricID: Self.fabric, nodeID: 4)
        let publishing = Task {
            // Avahi gives up after five seconds, and does not say so.
            try await Task.sleep(for: .milliseconds(6500))
            return try await discovery.publish(self.node(4))
        }
        let isFound = try await first(stream, within: .seconds(15)) { update in
            if case .found = update { true } else { nil }
        }
        #expect(isFound)
        await (try publishing.value).withdraw()
    }

    @Test("nodes are listed by fabric, and leave the list")
    func list() async throws {
        let discovery = AvahiDiscovery()
        let ours = try await discovery.publish(node(5))
        let other = OperationalInstance(compressedFabricID: 0x1122_3344_5566_7788, nodeID: 5)
        let others = try await discovery.publish(.operational(other, OperationalRecord(), port: 5540))
        let wanted = OperationalInstance(compressedFabricID: Self.fabric, nodeID: 5)
        let events = try await within(.seconds(10)) {
            var events: [OperationalEvent] = []
            for try await event in discovery.browseOperational(compressedFabricID: Self.fabric) {
                events.append(event)
                if event == .allForNow { await ours.withdraw() }
                if event == .lost(wanted) { break }
            }
            return events
        }
        #expect(events.contains(.found(wanted)))
        #expect(!events.contains(.found(other)))
        let all = try await first(discovery.browseOperational(compressedFabricID: nil)) {
            $0 == .found(other) ? true : nil
        }
        #expect(all)
        await others.withdraw()
    }

    @Test("an instance that is published elsewhere is refused")
    func collision() async throws {
        let discovery = AvahiDiscovery()
        let service = try await discovery.publish(node(6))
        try await service.established()
        await #expect {
            try await AvahiDiscovery().publish(node(6, port: 5541)).established()
        } throws: { error in
            (error as? DiscoveryError)?.code == .collision
        }
        await service.withdraw()
    }

    @Test("updating the record reaches those who look")
    func update() async throws {
        let discovery = AvahiDiscovery()
        let service = try await discovery.publish(node(7))
        try await service.established()
        let stream = discovery.resolveOperational(compressedFabricID: Self.fabric, nodeID: 7)
        let interval = try await within(.seconds(10)) {
            for try await update in stream {
                guard case .found(let node) = update else { continue }
                if node.record.parameters.idleInterval == .milliseconds(5000) { return true }
                let record = OperationalRecord(parameters: AdvertisedParameters(idleInterval: .milliseconds(5000)))
                try await service.update(txt: record.txt(), subtypes: nil)
            }
            return false
        }
        #expect(interval)
        await service.withdraw()
    }
}
