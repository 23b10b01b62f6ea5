import Glibc
import Logging
import NIOCore

/// The user at the other side of a Unix socket, as the kernel knows it (SO_PEERCRED).
enum PeerUser {
    private struct Credentials: Sendable {
        var process: Int32
        var user: UInt32
        var group: UInt32
    }

    /// A connection that is not let in.
    struct NotAdmitted: Error {}

    /// Lets this user in, and no other. To be called on the channel's event loop.
    ///
    /// - Throws: ``NotAdmitted``.
    static func check(_ channel: any Channel, _ logger: Logger) throws {
        guard let options = channel as? any SocketOptionProvider else { throw NotAdmitted() }
        let asked: EventLoopFuture<Credentials> = options.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
        // On its own event loop it is there at once.
        let peer = NIOLoopBoundBox<Credentials?>(nil, eventLoop: channel.eventLoop)
        asked.whenSuccess { peer.value = $0 }
        guard let user = peer.value?.user, user == geteuid() else {
            logger.warning("another user was refused at the socket", metadata: ["user": "\(peer.value?.user ?? .max)"])
            throw NotAdmitted()
        }
    }
}
