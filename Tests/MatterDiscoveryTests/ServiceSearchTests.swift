import TestSupport
import Testing

@testable import MatterNetwork

// The parts of the events in these tests.
let v6 = ipv6([0xFD, 0x77], 2)
let better = ipv6([0xFE, 0x80], 2)
let v4: [UInt8] = [192, 168, 1, 2]
let link = Link(interface: 2, transport: 1)
let otherTransport = Link(interface: 2, transport: 0)
let otherInterface = Link(interface: 3, transport: 1)

/// The answer of a resolver.
func location(
    _ address: [UInt8] = v6, host: String = "lamp.local", port: UInt16 = 5540, txt data: [UInt8] = txt("D=1")
) -> ServiceLocation {
    ServiceLocation(host: host, port: port, txt: data, address: address, link: link)
}

extension [LookupAction] {
    /// The instances that are reported as there.
    fileprivate var updates: [ServiceInstance] {
        compactMap { if case .report(.updated(let instance)) = $0 { instance } else { nil } }
    }

    fileprivate var removals: [String] {
        compactMap { if case .report(.removed(let name)) = $0 { name } else { nil } }
    }
}

@Suite("Service searches", .ownDaemons)
struct ServiceSearchTests {
    /// A browse in which LAMP has appeared and been resolved.
    private func resolvedBrowse() -> ServiceSearch {
        var search = ServiceSearch(.browse(["a", "b"]))
        _ = search.start()
        _ = search.handle(.appeared(name: "LAMP", browser: 0, link: link))
        _ = search.handle(.resolved(name: "LAMP", .ipv6, location()))
        return search
    }

    @Test("a browse starts its browsers in order, and resolves what appears for both families")
    func browse() {
        var search = ServiceSearch(.browse(["a", "b"]))
        #expect(search.start() == [.browse(0, type: "a"), .browse(1, type: "b")])
        #expect(
            search.handle(.appeared(name: "LAMP", browser: 0, link: link)) == [
                .resolve(name: "LAMP", .ipv6), .resolve(name: "LAMP", .ipv4),
            ])
    }

    @Test("an instance that several browsers see on several ways is resolved once")
    func duplicates() {
        var search = ServiceSearch(.browse(["a", "b"]))
        _ = search.start()
        _ = search.handle(.appeared(name: "LAMP", browser: 0, link: link))
        #expect(search.handle(.appeared(name: "lamp", browser: 1, link: link)).isEmpty)
        #expect(search.handle(.appeared(name: "LAMP", browser: 0, link: otherTransport)).isEmpty)
    }

    @Test("the first answer is reported at once, before anything else is asked for")
    func firstAnswer() {
        var search = ServiceSearch(.browse(["a"]))
        _ = search.start()
        _ = search.handle(.appeared(name: "LAMP", browser: 0, link: link))
        let actions = search.handle(.resolved(name: "LAMP", .ipv6, location()))
        let instance = ServiceInstance(
            name: "LAMP", host: "lamp.local", port: 5540, txt: (try? TXTRecord(decoding: txt("D=1"))) ?? .empty,
            browsers: [0], addresses: [.init(octets: v6, interface: 2)])
        #expect(
            actions == [
                .stopResolving(name: "LAMP", .ipv4), .report(.updated(instance)), .watchHost("lamp.local"),
            ])
    }

    @Test("after an IPv4 answer the resolver for IPv6 goes on")
    func ipv4First() {
        var search = ServiceSearch(.browse(["a"]))
        _ = search.start()
        _ = search.handle(.appeared(name: "LAMP", browser: 0, link: link))
        let first = search.handle(.resolved(name: "LAMP", .ipv4, location(v4)))
        #expect(first.updates.map { $0.addresses.map(\.octets) } == [[v4]])
        #expect(first.contains(.watchHost("lamp.local")))
        let second = search.handle(.resolved(name: "LAMP", .ipv6, location(v6)))
        #expect(second.updates.map { $0.addresses.map(\.octets) } == [[v4, v6]])
        #expect(second.first == .stopResolving(name: "LAMP", .ipv4))
        #expect(!second.contains(.watchHost("lamp.local")))
    }

    @Test("an answer with port 0 or without a host is ignored")
    func unusableAnswer() {
        var search = ServiceSearch(.instance("NODE"))
        #expect(search.start() == [.resolve(name: "NODE", .ipv6), .resolve(name: "NODE", .ipv4)])
        #expect(search.handle(.resolved(name: "NODE", .ipv6, location(port: 0))).isEmpty)
        #expect(search.handle(.resolved(name: "NODE", .ipv6, location(host: ""))).isEmpty)
        #expect(search.handle(.resolved(name: "NODE", .ipv6, location())).updates.count == 1)
    }

    @Test("a damaged TXT record counts as an empty one")
    func damagedText() {
        var search = ServiceSearch(.instance("NODE"))
        _ = search.start()
        let actions = search.handle(.resolved(name: "NODE", .ipv6, location(txt: [9, 1])))
        #expect(actions.updates.map(\.txt) == [.empty])
    }

    @Test("cached addresses are reported together, later ones one by one, all families")
    func addresses() {
        var search = resolvedBrowse()
        func address(_ family: ResolvedAddress.Family, _ change: RecordChange) -> [[[UInt8]]] {
            search.handle(.address(host: "lamp.local", family, change)).updates.map { $0.addresses.map(\.octets) }
        }
        #expect(address(.ipv6, .added(v6, link)) == [])
        #expect(address(.ipv6, .added(better, link)) == [])
        #expect(address(.ipv6, .cacheRead) == [[v6, better]])
        #expect(address(.ipv4, .cacheRead) == [])
        #expect(address(.ipv4, .added(v4, link)) == [[v6, better, v4]])
        #expect(address(.ipv6, .removed(v6, link)) == [[better, v4]])
    }

    @Test("an address that was only hinted at does not outlive the cache that lacks it")
    func disproved() {
        var search = resolvedBrowse()
        _ = search.handle(.address(host: "lamp.local", .ipv6, .added(better, link)))
        let actions = search.handle(.address(host: "lamp.local", .ipv6, .cacheRead))
        #expect(actions.updates.map { $0.addresses.map(\.octets) } == [[better]])
    }

    @Test("an address that came on two ways is gone when both have lost it")
    func twoWays() {
        var search = resolvedBrowse()
        for event in [RecordChange.added(v6, link), .added(v6, otherTransport), .cacheRead, .removed(v6, link)] {
            #expect(search.handle(.address(host: "lamp.local", .ipv6, event)).isEmpty)
        }
        #expect(search.handle(.address(host: "lamp.local", .ipv6, .removed(v6, otherTransport))).removals == ["LAMP"])
    }

    @Test("the same address on another interface is another address")
    func interfaces() {
        var search = resolvedBrowse()
        _ = search.handle(.address(host: "lamp.local", .ipv6, .added(v6, link)))
        _ = search.handle(.address(host: "lamp.local", .ipv6, .cacheRead))
        let actions = search.handle(.address(host: "lamp.local", .ipv6, .added(v6, otherInterface)))
        #expect(actions.updates.map { $0.addresses.map(\.interface) } == [[2, 3]])
    }

    @Test("records of the wrong size are ignored", arguments: [[], [1], v4, v6 + [0]] as [[UInt8]])
    func wrongSize(octets: [UInt8]) {
        var search = resolvedBrowse()
        _ = search.handle(.address(host: "lamp.local", .ipv6, .added(v6, link)))
        _ = search.handle(.address(host: "lamp.local", .ipv6, .cacheRead))
        #expect(search.handle(.address(host: "lamp.local", .ipv6, .added(octets, link))).isEmpty)
    }

    @Test("a record browser that fails does not hold back what is known")
    func failedBrowser() {
        var search = resolvedBrowse()
        _ = search.handle(.address(host: "lamp.local", .ipv6, .added(better, link)))
        let actions = search.handle(.address(host: "lamp.local", .ipv6, .failed))
        #expect(actions.updates.map { $0.addresses.map(\.octets) } == [[v6, better]])
    }

    @Test("an instance is gone when the last browser and way have lost it, and everything for it is stopped")
    func vanished() {
        var search = resolvedBrowse()
        _ = search.handle(.appeared(name: "LAMP", browser: 1, link: link))
        _ = search.handle(.vanished(name: "LAMP", browser: 0, link: link))
        let actions = search.handle(.vanished(name: "LAMP", browser: 1, link: link))
        #expect(
            actions == [
                .stopResolving(name: "LAMP", .ipv6), .report(.removed(name: "LAMP")), .unwatchHost("lamp.local"),
            ])
        #expect(search.handle(.vanished(name: "LAMP", browser: 1, link: link)).isEmpty)
    }

    @Test("two instances on a host share its records")
    func sharedHost() {
        var search = resolvedBrowse()
        _ = search.handle(.appeared(name: "TWIN", browser: 0, link: link))
        let second = search.handle(.resolved(name: "TWIN", .ipv6, location()))
        #expect(!second.contains(.watchHost("lamp.local")))
        _ = search.handle(.address(host: "lamp.local", .ipv6, .cacheRead))
        let both = search.handle(.address(host: "lamp.local", .ipv6, .added(better, link)))
        #expect(both.updates.map(\.name) == ["LAMP", "TWIN"])
        let one = search.handle(.vanished(name: "LAMP", browser: 0, link: link))
        #expect(!one.contains(.unwatchHost("lamp.local")))
        let none = search.handle(.vanished(name: "TWIN", browser: 0, link: link))
        #expect(none.contains(.unwatchHost("lamp.local")))
    }

    @Test("a move to another host is followed")
    func move() {
        var search = resolvedBrowse()
        let actions = search.handle(.resolved(name: "LAMP", .ipv6, location(better, host: "other.local")))
        #expect(actions.first == .unwatchHost("lamp.local"))
        #expect(actions.last == .watchHost("other.local"))
        #expect(actions.updates.map { $0.addresses.map(\.octets) } == [[better]])
    }

    @Test("news of the record or the port is reported, the same again is not")
    func news() {
        var search = resolvedBrowse()
        #expect(search.handle(.resolved(name: "LAMP", .ipv6, location())).isEmpty)
        #expect(search.handle(.resolved(name: "LAMP", .ipv6, location(txt: txt("D=2")))).updates.count == 1)
        #expect(search.handle(.resolved(name: "LAMP", .ipv6, location(port: 1))).updates.map(\.port) == [1])
    }

    @Test("when both families have failed, they are asked for again")
    func silence() {
        var search = ServiceSearch(.instance("NODE"))
        _ = search.start()
        #expect(search.handle(.unresolved(name: "NODE", .ipv6)).isEmpty)
        #expect(search.handle(.unresolved(name: "NODE", .ipv6)).isEmpty)
        let again: [LookupAction] = [.resolve(name: "NODE", .ipv6), .resolve(name: "NODE", .ipv4)]
        #expect(search.handle(.unresolved(name: "NODE", .ipv4)) == again)
    }

    @Test("an instance that falls silent is gone, and asked for again")
    func fallsSilent() {
        var search = resolvedBrowse()
        let actions = search.handle(.unresolved(name: "LAMP", .ipv6))
        #expect(
            actions == [
                .report(.removed(name: "LAMP")), .unwatchHost("lamp.local"), .resolve(name: "LAMP", .ipv6),
                .resolve(name: "LAMP", .ipv4),
            ])
        #expect(search.handle(.resolved(name: "LAMP", .ipv4, location(v4))).updates.count == 1)
    }

    @Test("a node that was looked up by name is watched for its goodbye")
    func goodbye() {
        var search = ServiceSearch(.instance("NODE"))
        _ = search.start()
        let found = search.handle(.resolved(name: "NODE", .ipv6, location()))
        #expect(found.last == .watchService(name: "NODE"))
        for change in [RecordChange.added([1], link), .added([1], otherTransport), .cacheRead, .removed([1], link)] {
            #expect(search.handle(.service(name: "NODE", change)).isEmpty)
        }
        let gone = search.handle(.service(name: "NODE", .removed([1], otherTransport)))
        #expect(
            gone == [
                .report(.removed(name: "NODE")), .unwatchHost("lamp.local"), .unwatchService(name: "NODE"),
            ])
        let back = search.handle(.resolved(name: "NODE", .ipv6, location(port: 5541)))
        #expect(back.updates.map(\.port) == [5541])
        #expect(back.contains(.watchService(name: "NODE")))
    }

    @Test("all is reported for now when every browser has settled and nothing is being resolved")
    func settled() {
        var search = ServiceSearch(.browse(["a", "b"]))
        _ = search.start()
        _ = search.handle(.appeared(name: "LAMP", browser: 0, link: link))
        _ = search.handle(.appeared(name: "DEAD", browser: 0, link: link))
        #expect(search.handle(.settled(browser: 0)).isEmpty)
        #expect(search.handle(.settled(browser: 1)).isEmpty)
        #expect(search.handle(.resolved(name: "LAMP", .ipv6, location())).last == .watchHost("lamp.local"))
        #expect(search.handle(.unresolved(name: "DEAD", .ipv6)).isEmpty)
        #expect(search.handle(.unresolved(name: "DEAD", .ipv4)).last == .report(.settled))
        #expect(!search.handle(.appeared(name: "LATE", browser: 0, link: link)).contains(.report(.settled)))
    }

    @Test("a list reports names without resolving them")
    func list() {
        var search = ServiceSearch(.list(["a"]))
        _ = search.start()
        #expect(search.handle(.appeared(name: "NODE", browser: 0, link: link)) == [.report(.named("NODE"))])
        #expect(search.handle(.appeared(name: "NODE", browser: 0, link: otherTransport)).isEmpty)
        #expect(search.handle(.settled(browser: 0)) == [.report(.settled)])
        _ = search.handle(.vanished(name: "NODE", browser: 0, link: link))
        let gone = search.handle(.vanished(name: "NODE", browser: 0, link: otherTransport))
        #expect(gone == [.report(.removed(name: "NODE"))])
    }

    @Test("a reset takes back what was reported, and the search can start again")
    func reset() {
        var search = resolvedBrowse()
        _ = search.handle(.appeared(name: "SILENT", browser: 0, link: link))
        #expect(search.reset() == [.report(.removed(name: "LAMP"))])
        #expect(search.reset().isEmpty)
        #expect(search.start().count == 2)
        #expect(search.handle(.appeared(name: "LAMP", browser: 0, link: link)).count == 2)
    }

    @Test("a flood of instances and addresses is cut off")
    func flood() {
        var search = ServiceSearch(.browse(["a"]))
        _ = search.start()
        let resolved = (0..<2 * ServiceSearch.instanceLimit).filter {
            !search.handle(.appeared(name: "I\($0)", browser: 0, link: link)).isEmpty
        }
        #expect(resolved.count == ServiceSearch.instanceLimit)
        _ = search.handle(.resolved(name: "I0", .ipv6, location()))
        _ = search.handle(.address(host: "lamp.local", .ipv4, .cacheRead))
        var count = 0
        for number in 0..<1000 {
            let octets = [10, 0, UInt8(number >> 8), UInt8(number & 0xFF)]
            let updates = search.handle(.address(host: "lamp.local", .ipv4, .added(octets, link))).updates
            count = updates.first?.addresses.count ?? count
        }
        #expect(count == HostRecords.limit)
    }
}
