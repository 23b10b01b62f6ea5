import JSON
import Testing

@testable import HouseServer

/// Who follows a share of the house, as each of two hosts sees it.
@Suite struct ShareHoldingTests {
    private static func holding(_ host: UInt64, _ state: ShareHolding.State, of other: UInt64? = nil) -> ShareHolding {
        ShareHolding(host: host, ShareHolding.Entry(state: state, host: other, since: 1))
    }

    @Test("a take is noted, the other host asked, and the share held only after its answer")
    func take() throws {
        var holding = Self.holding(2, .standingBy)
        let begun = try #require(try holding.begin(take: 7, asksAgain: false, now: 5))
        #expect(begun.state == .taking && begun.since == 5 && !holding.isHeld)
        holding.begun(take: 7, begun)
        let held = try holding.answered(take: 7, conceded: nil, isForced: false, now: 6)
        #expect(held.state == .held && !held.isForced && !holding.isHeld, "not before it is written down")
        holding.settle(held)
        #expect(holding.isHeld)
        #expect(try holding.begin(take: 8, asksAgain: false, now: 7) == nil)
    }

    @Test("a share is given up once, to one host; the same host is told so again, another one whom to ask")
    func give() throws {
        var holding = Self.holding(1, .held)
        let gift = try holding.give(to: 2, take: 7, now: 5)
        let entry = try #require(gift.entry)
        #expect(gift.wasHeld && entry == ShareHolding.Entry(state: .givenUp, host: 2, since: 5))
        #expect(holding.isHeld, "not before it is written down")
        #expect(throws: ShareHolding.Refusal.busy) { try holding.give(to: 3, take: 8, now: 5) }
        #expect(throws: ShareHolding.Refusal.busy) { try holding.begin(take: 9, asksAgain: false, now: 5) }
        holding.settle(entry)
        #expect(!holding.isHeld)
        #expect(
            try holding.give(to: 2, take: 7, now: 6) == ShareHolding.Gift(entry: nil, wasHeld: false, conceded: nil))
        #expect(throws: ShareHolding.Refusal.givenTo(2)) { try holding.give(to: 3, take: 8, now: 6) }
        #expect(throws: ShareHolding.Refusal.ourselves) { try holding.give(to: 1, take: 8, now: 6) }
    }

    @Test("what cannot be written down is not given up")
    func unwritten() throws {
        var holding = Self.holding(1, .held)
        _ = try holding.give(to: 2, take: 7, now: 5)
        holding.unsettle()
        #expect(holding.isHeld)
        #expect(try holding.give(to: 2, take: 8, now: 5).entry != nil)
    }

    @Test("a take that fails leaves the share as it was, unless the other host may have given it up")
    func failure() throws {
        for isKnown in [true, false] {
            var holding = Self.holding(2, .givenUp, of: 1)
            holding.begun(take: 7, try #require(try holding.begin(take: 7, asksAgain: false, now: 5)))
            #expect(throws: ShareHolding.Refusal.busy) { try holding.begin(take: 8, asksAgain: false, now: 5) }
            #expect((holding.failed(take: 7, isKnown: isKnown) == nil) == !isKnown)
            #expect(holding.entry.state == (isKnown ? .givenUp : .taking) && holding.entry.host == 1)
            #expect(try holding.begin(take: 8, asksAgain: false, now: 5) != nil)
        }
    }

    @Test("a share that was taken without an answer is asked for again by the next take, and stays here if that fails")
    func forced() throws {
        var holding = Self.holding(2, .standingBy)
        holding.begun(take: 7, try #require(try holding.begin(take: 7, asksAgain: false, now: 5)))
        holding.settle(try holding.answered(take: 7, conceded: nil, isForced: true, now: 6))
        #expect(holding.isHeld && holding.entry.isForced)
        #expect(try holding.begin(take: 8, asksAgain: false, now: 7) == holding.entry)
        #expect(holding.failed(take: 8, isKnown: true) == nil && holding.isHeld)
        _ = try holding.begin(take: 9, asksAgain: false, now: 8)
        holding.settle(try holding.answered(take: 9, conceded: nil, isForced: false, now: 9))
        #expect(holding.isHeld && !holding.entry.isForced && holding.entry.since == 6)
    }

    @Test("the record keeps every state, and is refused if it is damaged")
    func record() throws {
        var entries: [String: ShareHolding.Entry] = [:]
        for state in ShareHolding.State.allCases {
            entries[state.rawValue] = ShareHolding.Entry(
                state: state, host: state == .givenUp ? .max : nil, since: 1_790_000_000, isForced: state == .held)
        }
        #expect(try ShareStore.decode(ShareStore.encode(entries)) == entries)
        #expect(try ShareStore.decode(nil).isEmpty)
        for text in ["{}", "[]", #"{"shares":[{"name":"x","state":"lost","since":1}]}"#, #"{"shares":[1]}"#] {
            #expect(throws: ServerError.self) { try ShareStore.decode(Array(text.utf8)) }
        }
    }

    @Test("names of shares are short words without spaces and signs")
    func names() {
        for name in ["north", "Upper_floor-2", "1"] { #expect(HouseShare.isName(name)) }
        for name in ["", "a b", "a=b", "room:x", "é", "a/b", String(repeating: "x", count: 33)] {
            #expect(!HouseShare.isName(name))
        }
    }

    // MARK: All orders of events

    /// Two hosts, their disks, and the messages between them.
    fileprivate struct World: Hashable {
        enum Taking: Hashable {
            case write(UInt64, ShareHolding.Entry)
            case ask(UInt64)
            case waiting(UInt64)
            case given(UInt64, conceded: UInt64?)
            case refused(UInt64)
            case commit(ShareHolding.Entry)
            case undo(ShareHolding.Entry)
        }

        struct Giving: Hashable {
            let take: UInt64
            let entry: ShareHolding.Entry
            let gift: UInt64?
            let wasHeld: Bool
            var isWritten = false
        }

        struct Host: Hashable {
            var holding: ShareHolding
            var disk: ShareHolding.Entry
            var follows: Bool
            var taking: Taking?
            var giving: Giving?
            /// Requests on their way to the other host.
            var requests: Set<UInt64> = []
            var takes: UInt64
            var wins = 0

            init(_ host: UInt64, _ state: ShareHolding.State, takes: UInt64) {
                disk = ShareHolding.Entry(state: state, since: 0)
                holding = ShareHolding(host: host, disk)
                follows = state == .held
                self.takes = takes
            }
        }

        var hosts: [Host]
        var crashes: Int
        var losses: Int

        var isQuiet: Bool { hosts.allSatisfy { $0.taking == nil && $0.giving == nil && $0.requests.isEmpty } }
        var followers: [Int] { hosts.indices.filter { hosts[$0].follows } }

        private func with(_ change: (inout World) -> Void) -> World {
            var world = self
            change(&world)
            return world
        }

        /// The worlds that one step makes of this one.
        var next: [World] {
            var worlds: [World] = []
            for host in hosts.indices {
                if hosts[host].taking == nil, hosts[host].takes > 0 { worlds.append(with { $0.begin(host) }) }
                if hosts[host].taking != nil, hosts[host].taking?.isWaiting != true {
                    worlds.append(with { $0.go(on: host) })
                }
                for request in hosts[1 - host].requests {
                    worlds.append(with { $0.deliver(request, to: host) })
                }
                // Entries are written in their order.
                if hosts[host].giving != nil, hosts[host].taking?.isWriting != true {
                    worlds.append(with { $0.give(host) })
                }
                if crashes > 0 { worlds.append(with { $0.crash(host) }) }
                if losses > 0, hosts[host].taking?.isWaiting == true { worlds.append(with { $0.lose(host) }) }
            }
            return worlds
        }

        mutating func begin(_ host: Int) {
            let id = UInt64(host) * 10 + hosts[host].takes
            hosts[host].takes -= 1
            guard let begun = try? hosts[host].holding.begin(take: id, asksAgain: false, now: 0) else { return }
            hosts[host].taking = begun.state == .taking ? .write(id, begun) : .ask(id)
        }

        mutating func go(on host: Int) {
            switch hosts[host].taking {
            case .write(let id, let entry):
                hosts[host].disk = entry
                hosts[host].holding.begun(take: id, entry)
                hosts[host].taking = .ask(id)
            case .ask(let id):
                hosts[host].requests.insert(id)
                hosts[host].taking = .waiting(id)
            case .given(let id, let conceded):
                hosts[host].taking = nil
                if let entry = try? hosts[host].holding.answered(
                    take: id, conceded: conceded, isForced: false, now: 0)
                {
                    hosts[host].taking = .commit(entry)
                }
            case .commit(let entry):
                hosts[host].disk = entry
                hosts[host].follows = true
                hosts[host].holding.settle(entry)
                hosts[host].taking = nil
                hosts[host].wins += 1
            case .refused(let id): fail(host, id, isKnown: true)
            case .undo(let entry):
                hosts[host].disk = entry
                hosts[host].taking = nil
            case .waiting, nil: break
            }
        }

        private mutating func fail(_ host: Int, _ id: UInt64, isKnown: Bool) {
            hosts[host].taking = hosts[host].holding.failed(take: id, isKnown: isKnown).map { .undo($0) }
        }

        mutating func deliver(_ request: UInt64, to host: Int) {
            hosts[1 - host].requests.remove(request)
            let other = hosts[1 - host].holding.host
            do {
                let gift = try hosts[host].holding.give(to: other, take: request, now: 0)
                if let entry = gift.entry {
                    hosts[host].giving = Giving(
                        take: request, entry: entry, gift: gift.conceded, wasHeld: gift.wasHeld)
                } else {
                    answer(request, from: host, .given(request, conceded: gift.conceded))
                }
            } catch {
                answer(request, from: host, .refused(request))
            }
        }

        private mutating func answer(_ request: UInt64, from host: Int, _ answer: Taking) {
            if hosts[1 - host].taking == .waiting(request) { hosts[1 - host].taking = answer }
        }

        mutating func give(_ host: Int) {
            guard var giving = hosts[host].giving else { return }
            guard giving.isWritten else {
                hosts[host].disk = giving.entry
                giving.isWritten = true
                hosts[host].giving = giving
                return
            }
            if giving.wasHeld { hosts[host].follows = false }
            hosts[host].holding.settle(giving.entry)
            hosts[host].giving = nil
            answer(giving.take, from: host, .given(giving.take, conceded: giving.gift))
        }

        mutating func lose(_ host: Int) {
            losses -= 1
            if case .waiting(let id) = hosts[host].taking { fail(host, id, isKnown: false) }
        }

        mutating func crash(_ host: Int) {
            crashes -= 1
            let lost = hosts[1 - host].requests.union(hosts[host].giving.map { [$0.take] } ?? [])
            hosts[1 - host].requests = []
            if case .waiting(let id) = hosts[1 - host].taking, lost.contains(id) {
                fail(1 - host, id, isKnown: false)
            }
            hosts[host].holding = ShareHolding(host: hosts[host].holding.host, hosts[host].disk)
            hosts[host].follows = hosts[host].disk.state == .held
            hosts[host].taking = nil
            hosts[host].giving = nil
        }

        /// A take that nothing disturbs.
        func taken(by host: Int) -> World {
            with { world in
                world.hosts[host].takes = 9
                world.begin(host)
                while let step = world.hosts[host].taking {
                    if case .waiting(let id) = step {
                        if world.hosts[host].requests.contains(id) { world.deliver(id, to: 1 - host) }
                        while world.hosts[1 - host].giving != nil { world.give(1 - host) }
                        guard world.hosts[host].taking?.isWaiting != true else { return }
                    } else {
                        world.go(on: host)
                    }
                }
            }
        }
    }

    @Test(
        "in every order of steps, losses and kills no two hosts follow a share, and an undisturbed take mends what is left",
        arguments: [ShareHolding.State.held, .standingBy, .taking])
    func orders(first: ShareHolding.State) {
        var seen: Set<World> = []
        var waiting: [World] = []
        for (crashes, losses) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            waiting.append(
                World(
                    hosts: [World.Host(1, first, takes: 2), World.Host(2, .standingBy, takes: 2)], crashes: crashes,
                    losses: losses))
        }
        var quiet = 0
        while let world = waiting.popLast() {
            guard seen.insert(world).inserted else { continue }
            if world.followers.count > 1 {
                Issue.record("both follow: \(world)")
                return
            }
            if world.isQuiet {
                quiet += 1
                for host in [0, 1] where world.taken(by: host).followers != [host] {
                    Issue.record("a take by \(host) does not mend: \(world)")
                    return
                }
            }
            waiting += world.next
        }
        #expect(seen.count > 1000 && quiet > 10, "\(seen.count) \(quiet)")
    }

    @Test("of two takes at once one wins, whatever their order, if nothing is lost")
    func atOnce() {
        for state in [ShareHolding.State.standingBy, .givenUp] {
            var seen: Set<World> = []
            var waiting = [
                World(
                    hosts: [World.Host(1, state, takes: 1), World.Host(2, .standingBy, takes: 1)], crashes: 0, losses: 0
                )
            ]
            var ends = 0
            while let world = waiting.popLast() {
                guard seen.insert(world).inserted else { continue }
                let next = world.next
                if next.isEmpty {
                    ends += 1
                    let wins = world.hosts.map(\.wins)
                    #expect(wins.reduce(0, +) >= 1 && world.followers.count == 1, "\(world)")
                }
                waiting += next
            }
            #expect(ends > 1, "\(ends)")
        }
    }
}

extension ShareHoldingTests.World.Taking {
    fileprivate var isWriting: Bool {
        switch self {
        case .write, .undo: true
        default: false
        }
    }

    fileprivate var isWaiting: Bool { if case .waiting = self { true } else { false } }
}
