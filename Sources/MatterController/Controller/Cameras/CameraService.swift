public import MatterNetwork
import Synchronization

/// Sessions with cameras (WebRTC): what a camera invokes on our node later, for a session that a command has begun.
///
/// The commands themselves go over a ``NodeLink``. A camera answers over the session of that link, so this process has to keep it.
public final class CameraService: FabricService {
    /// The callbacks that wait for one who reads them.
    private static let mostWaiting = 1024

    let context: FabricContext
    /// The commands of cameras, in the order in which they came, from the first call on.
    public var callbacks: AsyncStream<CameraCallback> { desk.stream }

    /// The place at which cameras are answered. Commands that have nothing to do with cameras do not pay for it.
    private struct Desk {
        let stream: AsyncStream<CameraCallback>
        let told: AsyncStream<CameraCallback>.Continuation
    }

    private let opened = Mutex<Desk?>(nil)
    private let sessions = Mutex(CameraSessions())

    init(_ context: FabricContext) { self.context = context }

    private var desk: Desk {
        opened.withLock { opened in
            if let opened { return opened }
            let (stream, told) = AsyncStream.makeStream(
                of: CameraCallback.self, bufferingPolicy: .bufferingNewest(Self.mostWaiting))
            context.commands.use(
                IncomingCommands.Handler(
                    isExpecting: { [weak self] in self?.sessions.withLock(\.isExpecting) ?? false },
                    answer: { [weak self] request, node in
                        request.commands.map { command in
                            StatusIB(self?.answer(command.path, command.fields, from: node) ?? .unsupportedCluster)
                        }
                    }))
            let desk = Desk(stream: stream, told: told)
            opened = desk
            return desk
        }
    }

    private func answer(_ path: CommandPath, _ fields: TLVValue?, from node: NodeID) -> IMStatus {
        do throws(CommandRefusal) {
            let callback = try CameraCallback(path, fields, from: node)
            let desk = desk
            return sessions.withLock { sessions in
                let outcome = sessions.take(callback)
                // Within the lock, so that none overtakes another.
                if let callback = outcome.told { desk.told.yield(callback) }
                return outcome.status
            }
        } catch { return error.status }
    }

    private func change(_ body: (inout CameraSessions) -> [CameraCallback]) {
        let desk = desk
        sessions.withLock { sessions in for callback in body(&sessions) { desk.told.yield(callback) } }
    }

    /// Says that a command which may begin a session is about to be sent. Callbacks that come before its response are held until
    /// ``finish(_:)``.
    ///
    /// - Returns: a number for the command.
    public func begin(with node: NodeID) -> Int {
        // The first command may be answered before anyone reads.
        _ = desk
        return sessions.withLock { $0.begin(with: node) }
    }

    /// Says which session a command has begun. At most 16 are known: one more ends the oldest.
    ///
    /// - Parameters:
    ///   - session: the number that the response names.
    ///   - endpoint: the endpoint of the camera.
    ///   - command: as ``begin(with:)`` gave it.
    public func opened(_ session: UInt16, at endpoint: UInt16, by command: Int) {
        change { $0.opened(session, at: endpoint, by: command) }
    }

    /// Says that the response to a command was handed on, or that there is none.
    ///
    /// - Parameter command: the number that ``begin(with:)`` gave.
    public func finish(_ command: Int) { change { $0.finish(command) } }

    /// Whether a session was begun here, and has not ended.
    ///
    /// - Parameter session: the number that the camera gave it.
    public func isKnown(_ session: UInt16, with node: NodeID) -> Bool {
        sessions.withLock { $0.isKnown(session, with: node) }
    }

    /// Forgets a session that was ended by a command of ours.
    ///
    /// - Parameter session: the number that the camera gave it.
    public func forget(_ session: UInt16, with node: NodeID) { sessions.withLock { $0.forget(session, with: node) } }

    /// Forgets all sessions with a node that is removed.
    public func forget(_ node: NodeID) { sessions.withLock { $0.forget(node) } }
}
