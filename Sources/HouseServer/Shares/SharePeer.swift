import MatterController

/// The other host of a share; a test gives something else.
protocol SharePeer: Sendable {
    /// Where it is, without its token.
    var place: String { get }

    /// Asks the host to give a share up.
    ///
    /// - Parameters:
    ///   - host: the node id of the one that asks.
    ///   - take: the number of its take.
    /// - Throws: ``SharePeerError``.
    func giveUp(_ share: String, to host: UInt64, take: UInt64, deadline: Instant) async throws -> SharePeerAnswer
}

/// The answer of a host that does not follow a share any more.
struct SharePeerAnswer: Sendable, Equatable {
    /// Whether it did until now.
    var wasHeld: Bool
    /// Its own take that gave way.
    var conceded: UInt64?
}

/// Why the other host has not said that it does not follow a share any more.
enum SharePeerError: Error, Sendable {
    /// It was not asked.
    case unreachable(String)
    /// It was asked, and said no.
    case refused(String)
    /// It was asked, and what it did is not known.
    case lost(String)
}

/// A host by the interface of its server.
struct ServerPeer: SharePeer {
    /// How long a connection may take.
    private static let patience = Duration.seconds(10)

    let url: WebSocketURL
    /// The fabric that both hosts have to serve.
    let fabric: CompressedFabricID
    /// A file of certificate authorities to trust beside those of the system.
    let authorities: String?

    var place: String { "\(url)" }

    func giveUp(_ share: String, to host: UInt64, take: UInt64, deadline: Instant) async throws -> SharePeerAnswer {
        let server: MatterServer
        do {
            server = try await MatterServer.connect(
                to: url, authorities: authorities, within: min(Self.patience, deadline - .now))
        } catch {
            try Task.checkCancellation()
            throw SharePeerError.unreachable(MatterError(error).message)
        }
        do {
            let answer = try await ask(server, share, host, take, deadline)
            await server.close()
            return answer
        } catch {
            await server.close()
            throw error
        }
    }

    private func ask(
        _ server: MatterServer, _ share: String, _ host: UInt64, _ take: UInt64, _ deadline: Instant
    ) async throws -> SharePeerAnswer {
        guard server.fabric == fabric else {
            throw SharePeerError.refused("the server there serves another fabric")
        }
        let result: JSONValue
        do {
            result = try await server.result(
                of: InterfaceCommands.giveUpShare, ["share": .string(share), "host": .uint(host), "take": .uint(take)],
                deadline: deadline)
        } catch let error as ShareError where error.code == .serverRefused {
            guard case .text(let words)? = error.facts.first(where: { $0.name == "serverDetails" })?.value else {
                throw SharePeerError.refused(error.reason)
            }
            throw SharePeerError.refused(words)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw SharePeerError.lost(MatterError(error).message)
        }
        guard let result = result.objectValue, case .bool(let wasHeld)? = result["was_held"] else {
            throw SharePeerError.lost("the server there answered something else")
        }
        return SharePeerAnswer(
            wasHeld: wasHeld,
            conceded: result["conceded"].flatMap { InterfaceArguments.integer($0, as: UInt64.self) })
    }
}
