import MatterModel
import Synchronization

/// Commands that nodes invoke on ours, over sessions that we have set up with them. There is one who answers them, or they are not let in.
package final class IncomingCommands: Sendable {
    /// The one who answers.
    package struct Handler: Sendable {
        /// True while a node may have something to invoke.
        package var isExpecting: @Sendable () -> Bool
        /// Answers each command of a request; called for one request after the other, in their order.
        package var answer: @Sendable (_ request: InvokeRequest, _ node: NodeID) -> [StatusIB]

        // memberwise: package
    }

    /// How long a node may take to acknowledge an answer.
    private static let limit = Duration.seconds(30)

    private let handler = Mutex<Handler?>(nil)

    package init() {}

    /// True if a node may have something to invoke.
    package var isListening: Bool { handler.withLock { $0 }?.isExpecting() ?? false }

    /// Has commands answered from now on.
    package func use(_ handler: Handler) { self.handler.withLock { $0 = handler } }

    /// Takes the first message of an exchange.
    ///
    /// - Parameter peer: the node id of the session; commands of a session without one are not answered.
    func take(_ incoming: ExchangeManager.Incoming, from peer: UInt64?) async {
        guard let handler = handler.withLock({ $0 }), let peer, peer != 0,
            let request = try? InvokeRequest(decoding: incoming.message.payload)
        else { return await incoming.exchange.abandon() }
        // Before anything is awaited: what comes next is taken after it.
        let outcomes = handler.answer(request, NodeID(peer)).map { CommandResult.Outcome.status($0) }
        let time = incoming.exchange.manager.time
        time.start {
            if !request.suppressesResponse {
                var responder = InvokeResponder(answering: request, with: outcomes)
                let run = InteractionRun(
                    exchange: incoming.exchange, deadline: time.now + Self.limit, processing: Self.limit,
                    delivery: .zero)
                _ = try? await run.carryOut(&responder)
            }
            await incoming.exchange.close()
        }
    }
}
