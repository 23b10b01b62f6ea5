import CAvahi

/// The Avahi client library, opened at run time, so that hosts without it can do everything but discovery.
final class AvahiLibrary: Sendable {
    /// The file names, as the dynamic loader takes them.
    struct Names: Hashable, Sendable {
        var common: String
        var client: String

        /// The names of Debian's packages libavahi-common3 and libavahi-client3.
        static let system = Names(common: "libavahi-common.so.3", client: "libavahi-client.so.3")
    }

    /// Safe to share: it points to a table of functions that `cavahi_open` fills from files with fixed names, and that is
    /// const for everything else. Nothing from the network or the user is ever written there.
    nonisolated(unsafe) let handle: OpaquePointer

    /// - Throws: `libraryMissing` where a file or a function in it is not there.
    init(_ names: Names) throws(DiscoveryError) {
        var message = [CChar](repeating: 0, count: 512)
        guard let handle = cavahi_open(names.common, names.client, &message, message.count) else {
            let words = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw DiscoveryError(.libraryMissing, "discovery needs the Avahi client library: \(words)")
        }
        self.handle = handle
    }

    deinit { cavahi_forget(handle) }

    /// Avahi's words for an error number.
    func words(_ error: Int32) -> String { String(cString: cavahi_strerror(handle, error)) }

    /// The error for a client that could not be made.
    func connectionError(_ error: Int32) -> DiscoveryError {
        switch Int(error) {
        // Avahi does not tell the bus and the daemon apart.
        case CAVAHI_ERR_NO_DAEMON, CAVAHI_ERR_DBUS,
            CAVAHI_ERR_DISCONNECTED:
            cavahi_bus_answers(handle) != 0
                ? DiscoveryError(.daemonUnavailable, "discovery needs avahi-daemon, which is not running")
                : DiscoveryError(.busUnavailable, "discovery needs the D-Bus system bus, which does not answer")
        default:
            DiscoveryError(.refused, "avahi-daemon refuses the connection: \(words(error))")
        }
    }
}
