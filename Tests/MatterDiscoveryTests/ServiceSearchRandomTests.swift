import TestSupport
import Testing

@testable import MatterNetwork

/// Follows the actions of a search and notes whatever does not fit together.
private struct Ledger {
    var live: Set<LookupAction> = []
    var reported: Set<String> = []
    var faults: [String] = []

    mutating func apply(_ action: LookupAction) {
        switch action {
        case .resolve, .watchHost, .watchService:
            if !live.insert(action).inserted { faults.append("\(action) twice") }
        case .stopResolving(let name, let family): stop(.resolve(name: name, family), action)
        case .unwatchHost(let host): stop(.watchHost(host), action)
        case .unwatchService(let name): stop(.watchService(name: name), action)
        case .report(.updated(let instance)):
            reported.insert(instance.name)
            if instance.addresses.isEmpty || instance.port == 0 { faults.append("\(instance) cannot be reached") }
        case .report(.removed(let name)):
            if reported.remove(name) == nil { faults.append("\(name) removed, though not reported") }
        case .browse, .report: break
        }
    }

    private mutating func stop(_ started: LookupAction, _ action: LookupAction) {
        if live.remove(started) == nil { faults.append("\(action) without start") }
    }
}

@Suite("Service searches under random events", .ownDaemons)
struct ServiceSearchRandomTests {
    private static let names = ["A", "B", "C"]
    private static let hosts = ["x.local", "y.local"]
    private static let links = [link, otherTransport, otherInterface]

    private func randomChange(_ octets: [[UInt8]], _ generator: inout SeededGenerator) -> RecordChange {
        let data = octets.randomElement(using: &generator) ?? []
        let link = Self.links.randomElement(using: &generator) ?? link
        return switch Int.random(in: 0..<8, using: &generator) {
        case 0...3: .added(data, link)
        case 4...5: .removed(data, link)
        case 6: .cacheRead
        default: .failed
        }
    }

    private func randomEvent(_ generator: inout SeededGenerator) -> LookupEvent {
        let name = Self.names.randomElement(using: &generator) ?? ""
        let host = Self.hosts.randomElement(using: &generator) ?? ""
        let link = Self.links.randomElement(using: &generator) ?? link
        let browser = Int.random(in: 0...1, using: &generator)
        let family: ResolvedAddress.Family = Bool.random(using: &generator) ? .ipv6 : .ipv4
        return switch Int.random(in: 0..<9, using: &generator) {
        case 0...1: .appeared(name: name, browser: browser, link: link)
        case 2: .vanished(name: name, browser: browser, link: link)
        case 3: .settled(browser: browser)
        case 4:
            .resolved(
                name: name, family,
                location(
                    family == .ipv6 ? v6 : v4, host: host, port: UInt16.random(in: 0...2, using: &generator)))
        case 5: .unresolved(name: name, family)
        case 6: .service(name: name, randomChange([[1], [2]], &generator))
        default: .address(host: host, family, randomChange([v6, better, v4, []], &generator))
        }
    }

    @Test(
        "random events never start anything twice, stop what is not started, or leave anything behind",
        arguments: [ServiceSearch.Target.browse(["a", "b"]), .instance("A")])
    func invariants(target: ServiceSearch.Target) {
        var generator = SeededGenerator(seed: 12)
        var search = ServiceSearch(target)
        var ledger = Ledger()
        for action in search.start() { ledger.apply(action) }
        var reports = 0
        for _ in 0..<Effort.inputs(20_000) {
            let event = randomEvent(&generator)
            // A resolver speaks only while it is at work.
            switch event {
            case .resolved(let name, let family, _):
                guard ledger.live.contains(.resolve(name: name, family)) else { continue }
            case .unresolved(let name, let family):
                guard ledger.live.remove(.resolve(name: name, family)) != nil else { continue }
            default: break
            }
            for action in search.handle(event) {
                ledger.apply(action)
                if case .report = action { reports += 1 }
            }
        }
        #expect(reports > Effort.inputs(500))
        for name in Self.names {
            for browser in 0...1 {
                for link in Self.links {
                    for action in search.handle(.vanished(name: name, browser: browser, link: link)) {
                        ledger.apply(action)
                    }
                }
            }
        }
        if case .browse = target {
            #expect(ledger.live.isEmpty)
            #expect(ledger.reported.isEmpty)
        }
        for action in search.reset() { ledger.apply(action) }
        #expect(ledger.reported.isEmpty)
        #expect(ledger.faults == [])
    }
}
