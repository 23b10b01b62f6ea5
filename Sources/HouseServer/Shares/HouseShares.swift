public import Logging
public import MatterController

/// A share of the house that this host can serve.
public struct HouseShare: Sendable {
    /// The name, the same on all hosts.
    public var name: String
    /// The nodes that belong to it.
    public var includes: @Sendable (NodeRecord) -> Bool
    /// Whether the host waits until it takes the share, unless its record says something else.
    public var standsBy = false
    /// The server of the other host; `nil` if that is said with each take.
    public var peer: WebSocketURL?

    /// A share that the host follows from the first.
    public init(_ name: String, includes: @escaping @Sendable (NodeRecord) -> Bool) {
        self.name = name
        self.includes = includes
    }

    /// True if a share may be called so: 1 to 32 letters, digits, `_` and `-` of ASCII.
    public static func isName(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
    }
}

/// The outcome of a take.
public struct ShareTaking: Sendable {
    /// Whether the share came with this take; it was here already otherwise.
    public var isTaken: Bool
    /// The server of the other host, without its token; `nil` if it was not asked.
    public var from: String?
    /// Whether the other host has said that it does not follow the share.
    public var isGivenUp: Bool
    /// Why it has not; `nil` if it has, or was not asked.
    public var failure: String?
    /// How many nodes the share has.
    public var nodeCount: Int
}

/// The part that this host has in a share.
public struct ShareReport: Sendable {
    /// The name of the share.
    public var name: String
    /// One word: `held`, `stand-by`, `given-up` or `taking`.
    public var state: String
    /// When it came to be so, in seconds since 1970.
    public var since: Int64
    /// The node id of the host that it was given up to; `nil` if it was not.
    public var host: UInt64?
    /// Whether it was taken without an answer of the other host.
    public var isForced: Bool
    /// The server of the other host, without its token; `nil` if none was named.
    public var peer: String?
    /// How many nodes it has.
    public var nodeCount: Int
    /// How many of them are followed, and answer.
    public var upCount: Int
}

/// The named shares of a host: which it follows, how it takes one, and how it gives one up.
public actor HouseShares {
    /// How long a host may take to give a share up.
    static let patience = Duration.seconds(25)

    private struct Share {
        let share: HouseShare
        var holding: ShareHolding
    }

    private let store: ShareStore
    private let host: UInt64
    private let time: any TimeSource
    private let logger: Logger
    private var shares: [Share]
    private var house: House?
    private var lastWrite: Task<Void, Never>?
    /// The shares as they were declared, in their order.
    nonisolated let declared: [HouseShare]
    private let makePeer: @Sendable (WebSocketURL) -> any SharePeer

    /// The shares of the fabric in use, with what the record says of them.
    ///
    /// - Parameters:
    ///   - declared: a node belongs to the first one that includes it.
    ///   - authorities: a file of certificate authorities (PEM) to trust beside those of the system.
    /// - Throws: ``ServerError`` `serve.shares-invalid`; if there is no fabric, or the record cannot be read.
    public init(
        _ context: FabricContext, _ declared: [HouseShare], authorities: String? = nil, logger: Logger
    ) throws {
        let fabric = try context.fabric().compressedFabricID
        try self.init(context, declared, logger: logger, time: SystemTime()) { url in
            ServerPeer(url: url, fabric: fabric, authorities: authorities)
        }
    }

    init(
        _ context: FabricContext, _ declared: [HouseShare], logger: Logger, time: any TimeSource,
        peer makePeer: @escaping @Sendable (WebSocketURL) -> any SharePeer
    ) throws {
        host = try context.fabric().nodeID.rawValue
        self.declared = declared
        self.time = time
        self.logger = logger
        self.makePeer = makePeer
        store = try ShareStore(context)
        let entries = try store.entries()
        let now = Int64(clamping: time.unixMicroseconds / 1_000_000)
        shares = declared.map { [host] share in
            let usual = ShareHolding.Entry(state: share.standsBy ? .standingBy : .held, since: now)
            return Share(share: share, holding: ShareHolding(host: host, entries[share.name] ?? usual))
        }
        for share in shares where share.holding.entry.state == .taking {
            logger.warning("the share '\(share.share.name)' was being taken when the server ended: take it again")
        }
    }

    /// The share that a node belongs to; `nil` for none.
    nonisolated func name(of node: NodeRecord) -> String? { declared.first { $0.includes(node) }?.name }

    /// The shares that are not followed here.
    var resting: Set<String> { Set(shares.filter { !$0.holding.isHeld }.map(\.share.name)) }

    /// Begins to work for a house.
    func attach(_ house: House) { self.house = house }

    /// The part that this host has in each share.
    public func reports() async -> [ShareReport] {
        let nodes = await house?.board.nodes.values.map { (record: $0.record, isUp: $0.isAvailable) } ?? []
        return shares.map { share in
            let own = nodes.filter { name(of: $0.record) == share.share.name }
            let entry = share.holding.entry
            return ShareReport(
                name: share.share.name, state: entry.state.rawValue, since: entry.since, host: entry.host,
                isForced: entry.isForced, peer: share.share.peer.map { "\($0)" }, nodeCount: own.count,
                upCount: own.count { $0.isUp })
        }
    }

    private func place(_ name: String) throws -> Int {
        guard let place = shares.firstIndex(where: { $0.share.name == name }) else {
            throw ServerError(
                .shareUnknown, "this server has no share '\(name)'", hint: .step("serve.shares-see"))
        }
        return place
    }

    private var now: Int64 { Int64(clamping: time.unixMicroseconds / 1_000_000) }

    // MARK: Taking

    /// Takes a share: the other host gives it up first, then this one follows its nodes.
    ///
    /// - Parameters:
    ///   - url: the server of the other host; as it was declared if `nil`.
    ///   - isForced: whether it is also taken if the other host does not say that it has given it up.
    /// - Throws: ``ServerError``.
    public func take(_ name: String, from url: WebSocketURL? = nil, isForced: Bool = false) async throws -> ShareTaking
    {
        let place = try place(name)
        let id = try SystemRandom().integer(UInt64.self)
        let peer = (url ?? shares[place].share.peer).map(makePeer)
        if peer == nil, shares[place].holding.isHeld { return await here(name) }
        guard peer != nil || isForced else {
            throw ServerError(
                .peerUnnamed, "the other host of the share '\(name)' is not known", hint: .step("serve.peer"))
        }
        let first: ShareHolding.Entry
        do throws(ShareHolding.Refusal) {
            guard let entry = try shares[place].holding.begin(take: id, asksAgain: url != nil, now: now) else {
                return await here(name)
            }
            first = entry
        } catch {
            throw Self.refused(error, name)
        }
        do {
            if first.state == .taking {
                try await write(first, of: name)
                shares[place].holding.begun(take: id, first)
            }
        } catch {
            _ = shares[place].holding.failed(take: id, isKnown: false)
            throw error
        }
        return try await take(place, id, peer, isForced)
    }

    private func take(_ place: Int, _ id: UInt64, _ peer: (any SharePeer)?, _ isForced: Bool) async throws
        -> ShareTaking
    {
        let name = shares[place].share.name
        var failure: (any Error)?
        var answer: SharePeerAnswer?
        if let peer {
            do {
                answer = try await peer.giveUp(name, to: host, take: id, deadline: time.now + Self.patience)
            } catch {
                failure = error
            }
        }
        if let failure, !isForced || failure is CancellationError {
            try await giveIn(place, id, failure, peer?.place ?? "")
        }
        // A share that was given up is taken over, also if the command is interrupted now.
        let commit = time.start { [answer] in
            await self.commit(place, id, answer)
        }
        try await commit.value.get()
        let words = failure.map { "\(Self.words($0))" }
        if let words { logger.warning("the share '\(name)' is taken without the other host's word: \(words)") }
        logger.notice("the share '\(name)' is followed here")
        return ShareTaking(
            isTaken: true, from: peer?.place, isGivenUp: answer != nil, failure: words, nodeCount: await count(name))
    }

    private func commit(_ place: Int, _ id: UInt64, _ answer: SharePeerAnswer?) async -> Result<Void, any Error> {
        let name = shares[place].share.name
        let entry: ShareHolding.Entry
        do throws(ShareHolding.Refusal) {
            entry = try shares[place].holding.answered(
                take: id, conceded: answer?.conceded, isForced: answer == nil, now: now)
        } catch {
            return .failure(Self.refused(error, name))
        }
        do {
            try await write(entry, of: name)
        } catch {
            shares[place].holding.unsettle()
            return .failure(error)
        }
        await house?.resume(name)
        shares[place].holding.settle(entry)
        return .success(())
    }

    /// Ends a take that failed.
    private func giveIn(_ place: Int, _ id: UInt64, _ failure: any Error, _ peer: String) async throws -> Never {
        let name = shares[place].share.name
        let isKnown = (failure as? SharePeerError)?.isKnown ?? false
        if let entry = shares[place].holding.failed(take: id, isKnown: isKnown) {
            do {
                try await write(entry, of: name)
            } catch {
                logger.warning("the record of the shares cannot be written: \(error)")
            }
        }
        switch failure {
        case SharePeerError.unreachable(let words):
            throw ServerError(
                .peerUnreachable, "the host at \(peer) was not reached, and '\(name)' stays as it was: \(words)",
                hint: .step("serve.take-dead", name))
        case SharePeerError.refused(let words):
            throw ServerError(.peerRefused, "the host at \(peer) did not give '\(name)' up: \(words)")
        case SharePeerError.lost(let words):
            throw ServerError(
                .peerLost, "the host at \(peer) was asked for '\(name)', and may have given it up: \(words)",
                hint: .step("serve.take-again", name))
        default: throw failure
        }
    }

    private static func words(_ failure: any Error) -> String {
        switch failure {
        case SharePeerError.unreachable(let words), SharePeerError.refused(let words), SharePeerError.lost(let words):
            words
        default: "\(failure)"
        }
    }

    /// Writes an entry down, after those that came before it.
    private func write(_ entry: ShareHolding.Entry, of name: String) async throws {
        let (store, previous) = (store, lastWrite)
        let writing = time.start { () async -> Result<Void, any Error> in
            await previous?.value
            do {
                return .success(try await store.write(entry, of: name))
            } catch {
                return .failure(error)
            }
        }
        lastWrite = time.start { _ = await writing.value }
        try await writing.value.get()
    }

    /// The outcome for a share that is here already.
    private func here(_ name: String) async -> ShareTaking {
        ShareTaking(isTaken: false, from: nil, isGivenUp: false, nodeCount: await count(name))
    }

    private func count(_ name: String) async -> Int {
        await house?.board.nodes.values.count { self.name(of: $0.record) == name } ?? 0
    }

    // MARK: Giving up

    /// Gives a share up to another host: writes that down, stops following its nodes, and ends the sessions with them.
    ///
    /// - Returns: what the other host is to know.
    /// - Throws: ``ServerError``; then the share stays here.
    func giveUp(_ name: String, to other: UInt64, take: UInt64) async throws -> SharePeerAnswer {
        let place = try place(name)
        let gift: ShareHolding.Gift
        do throws(ShareHolding.Refusal) {
            gift = try shares[place].holding.give(to: other, take: take, now: now)
        } catch {
            throw Self.refused(error, name)
        }
        if let entry = gift.entry {
            do {
                try await write(entry, of: name)
            } catch {
                shares[place].holding.unsettle()
                throw error
            }
            if gift.wasHeld {
                await house?.rest(name)
                logger.notice("the share '\(name)' is given up to node \(other)")
            }
            shares[place].holding.settle(entry)
        }
        return SharePeerAnswer(wasHeld: gift.wasHeld, conceded: gift.conceded)
    }

    private static func refused(_ refusal: ShareHolding.Refusal, _ name: String) -> ServerError {
        switch refusal {
        case .busy:
            ServerError(
                .shareBusy, "the share '\(name)' is being taken or given up already",
                hint: .step("serve.take-later"))
        case .overtaken:
            ServerError(
                .shareBusy, "another host has taken the share '\(name)' at the same time",
                hint: .step("serve.take-later"))
        case .ourselves:
            ServerError(
                .shareBusy, "both hosts have the same node id: each has to be a member with a certificate of its own")
        case .givenTo(let holder):
            ServerError(.shareBusy, "the share '\(name)' was given up to node \(holder) already: take it from there")
        }
    }
}

extension SharePeerError {
    /// Whether it is certain that the other host has not given the share up.
    var isKnown: Bool { if case .lost = self { false } else { true } }
}
