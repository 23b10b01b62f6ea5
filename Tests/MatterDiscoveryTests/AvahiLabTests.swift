import Foundation
import TestSupport
import Testing

@testable import MatterNetwork

/// Everything against a real avahi-daemon, in the laboratory: one after the other, since the daemon is shared.
@Suite("Avahi", .ownDaemons, .serialized, .enabled(if: Lab.isHere), .timeLimit(.minutes(5)))
struct AvahiLabTests {}

extension AvahiLabTests {
    @Suite("Commissionable devices") struct Commissionable {}
}

extension AvahiLabTests.Commissionable {
    static func light(
        _ discriminator: UInt16, mode: CommissionableRecord.CommissioningMode = .basic
    ) throws -> ServicePublication {
        try .commissionable(
            CommissionableRecord(
                longDiscriminator: discriminator, commissioningMode: mode, vendorID: 0xFFF1, productID: 0x8000,
                deviceType: 0x0101, deviceName: "Lamp äöü",
                parameters: AdvertisedParameters(idleInterval: .milliseconds(1234), tcp: [.server])),
            port: 5541)
    }

    static func found(
        _ discriminator: UInt16, _ stream: AsyncThrowingStream<CommissionableEvent, any Error>
    ) async throws -> CommissionableDevice {
        try await first(stream) {
            guard case .found(let device) = $0, device.record.longDiscriminator == discriminator else { return nil }
            return device
        }
    }

    @Test("a device is found by each of its properties, with its record")
    func browse() async throws {
        let discovery = AvahiDiscovery()
        let service = try await discovery.publish(Self.light(3001))
        let filters: [CommissionableFilter] = [
            .longDiscriminator(3001), .shortDiscriminator(11), .vendor(0xFFF1), .commissioningMode, .any,
        ]
        for filter in filters {
            let device = try await Self.found(3001, discovery.browseCommissionable(filter))
            #expect(device.instance == (await service.instance))
            #expect(device.port == 5541)
            #expect(device.addresses.allSatisfy { $0.port == 5541 })
            #expect(device.addresses.first?.family == .ipv6)
            #expect(device.record.vendorID == 0xFFF1)
            #expect(device.record.productID == 0x8000)
            #expect(device.record.deviceType == 0x0101)
            #expect(device.record.deviceName == "Lamp äöü")
            #expect(device.record.parameters.idleInterval == .milliseconds(1234))
            #expect(device.record.parameters.tcp == [.server])
        }
        await service.withdraw()
    }

    @Test("other devices than the wanted one are not reported")
    func unwanted() async throws {
        let discovery = AvahiDiscovery()
        let service = try await discovery.publish(Self.light(3002))
        let events = try await within(.seconds(10)) {
            var events: [CommissionableEvent] = []
            for try await event in discovery.browseCommissionable(.longDiscriminator(3003)) {
                events.append(event)
                if event == .allForNow { break }
            }
            return events
        }
        #expect(events == [.allForNow])
        await service.withdraw()
    }

    @Test("a device without an open window is reported only if asked for, and lost when it closes its window")
    func closed() async throws {
        let discovery = AvahiDiscovery()
        let service = try await discovery.publish(Self.light(3004, mode: .closed))
        let closed = try await Self.found(3004, discovery.browseCommissionable(.any, includingClosed: true))
        #expect(closed.record.commissioningMode == .closed)

        let stream = discovery.browseCommissionable(.longDiscriminator(3004))
        let open = try Self.light(3004, mode: .enhanced)
        try await service.update(txt: open.txt, subtypes: open.subtypes)
        let seen = Task { [instance = closed.instance] in
            try await first(stream) { event -> Bool? in
                if case .found(let device) = event { #expect(device.record.commissioningMode == .enhanced) }
                return event == .lost(instance: instance) ? true : nil
            }
        }
        _ = try await Self.found(3004, discovery.browseCommissionable(.longDiscriminator(3004)))
        try await service.update(txt: Self.light(3004, mode: .closed).txt, subtypes: nil)
        #expect(try await seen.value)
        await service.withdraw()
    }

    @Test("all addresses of the host are reported, IPv6 first")
    func addresses() async throws {
        let discovery = AvahiDiscovery()
        let service = try await discovery.publish(Self.light(3005))
        let addresses = try await first(discovery.browseCommissionable(.longDiscriminator(3005))) { event in
            guard case .found(let device) = event, device.addresses.contains(where: { $0.family == .ipv4 }) else {
                return [ResolvedAddress]?.none
            }
            return device.addresses
        }
        #expect(addresses.map(\.description).contains("[fd77::1]:5541"))
        #expect(addresses.last?.description == "10.77.0.1:5541")
        await service.withdraw()
    }

    @Test("a link-local address carries the interface of the answer")
    func linkLocal() async throws {
        let host = try Lab.start("exec avahi-publish-address -R lamp-ll.local fe80::1234:5678")
        defer { Lab.stop(host) }
        let service = try Lab.start(
            "exec avahi-publish-service -H lamp-ll.local --subtype=_L3006._sub._matterc._udp 00112233445566FF"
                + " _matterc._udp 5542 D=3006 CM=1")
        defer { Lab.stop(service) }
        let device = try await Self.found(3006, AvahiDiscovery().browseCommissionable(.longDiscriminator(3006)))
        #expect(device.host.lowercased() == "lamp-ll.local")
        #expect(device.addresses.map(\.description) == ["[fe80::1234:5678%mt0]:5542"])
        #expect(device.addresses.first?.scope?.index ?? 0 != 0)
    }

    @Test("two hosts with the same discriminator are both found")
    func twins() async throws {
        let discovery = AvahiDiscovery()
        let one = try await discovery.publish(Self.light(3007))
        let two = try await discovery.publish(Self.light(3007))
        let wanted: Set<String?> = [await one.instance, await two.instance]
        let seen = try await within(.seconds(10)) {
            var seen: Set<String?> = []
            for try await event in discovery.browseCommissionable(.longDiscriminator(3007)) {
                if case .found(let device) = event { seen.insert(device.instance) }
                if seen.count == 2 { break }
            }
            return seen
        }
        #expect(seen == wanted)
        await one.withdraw()
        await two.withdraw()
    }

    @Test("a goodbye removes the device")
    func goodbye() async throws {
        let discovery = AvahiDiscovery()
        let service = try await discovery.publish(Self.light(3008))
        try await service.established()
        let lost = try await within(.seconds(10)) {
            for try await event in discovery.browseCommissionable(.longDiscriminator(3008)) {
                switch event {
                case .found: await service.withdraw()
                case .lost(let instance): return instance
                case .allForNow: break
                }
            }
            return ""
        }
        #expect(lost.count == 16)
    }

    @Test("starting and cancelling searches leaves nothing behind in the daemon")
    func cancel() async throws {
        let discovery = AvahiDiscovery()
        let service = try await discovery.publish(Self.light(3009))
        // A daemon serves 1024 objects to a client; these searches make more than 2000.
        for _ in 0..<300 { _ = try await Self.found(3009, discovery.browseCommissionable(.longDiscriminator(3009))) }
        await service.withdraw()
    }

    @Test("the thread ends with the last reference")
    func threadEnds() async throws {
        do {
            let discovery = AvahiDiscovery()
            let service = try await discovery.publish(Self.light(3010))
            _ = try await Self.found(3010, discovery.browseCommissionable(.longDiscriminator(3010)))
            #expect(Lab.threads(named: "avahi") >= 1)
            await service.withdraw()
        }
        try await awaitEvent("the thread's end") { Lab.threads(named: "avahi") == 0 }
    }
}
