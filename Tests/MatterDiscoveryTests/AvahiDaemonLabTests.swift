import Foundation
import TestSupport
import Testing

@testable import MatterNetwork

extension AvahiLabTests {
    @Suite("The daemon's own life", .enabled(if: Lab.directory != nil)) struct Daemon {}
}

extension AvahiLabTests.Daemon {
    @Test("a search and a publication survive a restart of the daemon")
    func restart() async throws {
        let discovery = AvahiDiscovery()
        let service = try await discovery.publish(AvahiLabTests.Commissionable.light(3020))
        try await service.established()
        let stream = discovery.browseCommissionable(.longDiscriminator(3020))
        let events = try await within(.seconds(30)) {
            var events: [CommissionableEvent] = []
            for try await event in stream {
                switch event {
                case .found where events.isEmpty:
                    try await Lab.stopDaemon()
                    try Lab.startDaemon()
                case .found where events.count == 2: return events + [event]
                case .found, .allForNow: continue
                case .lost: break
                }
                events.append(event)
            }
            return events
        }
        let instance = try #require(await service.instance)
        #expect(events.count == 3)
        #expect(events.dropFirst().first == .lost(instance: instance))
        await service.withdraw()
    }

    @Test("a daemon that does not come back ends the search, and is missed by the next")
    func gone() async throws {
        let discovery = AvahiDiscovery()
        let stream = discovery.browseCommissionable(.any)
        _ = try await first(stream) { $0 == .allForNow ? true : nil }
        let searching = Task {
            try await first(discovery.browseCommissionable(.any), within: .seconds(20)) { _ in Bool?.none }
        }
        // The search is under way or about to begin: in either case it ends.
        try await Task.sleep(for: .milliseconds(200))
        try await Lab.stopDaemon()
        let result = await searching.result
        let next = await #expect(throws: DiscoveryError.self) {
            try await first(AvahiDiscovery().browseCommissionable(.any)) { _ in true }
        }
        try Lab.startDaemon()
        #expect(throws: DiscoveryError.self) { try result.get() }
        if case .failure(let error) = result { #expect((error as? DiscoveryError)?.code == .disconnected) }
        #expect(next?.code == .daemonUnavailable)
        // The same object serves again once the daemon is back.
        try await awaitEvent("the daemon") {
            (try? await first(discovery.browseCommissionable(.any)) { $0 == .allForNow ? true : nil }) != nil
        }
    }
}
