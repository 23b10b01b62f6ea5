package import Glibc

/// A socket on which a test's server waits for connections from this machine. It stays open for as long as anything has
/// it: a number that is closed early may be another test's socket by the time that it is used again.
package final class LocalListener: Sendable {
    package struct Unavailable: Error {}

    package let port: UInt16
    private let descriptor: Int32

    /// - Throws: `Unavailable` if the system gives no socket.
    package init() throws(Unavailable) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, generic, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isBound else { throw Unavailable() }
    }

    deinit { close(descriptor) }

    /// Waits for a connection, which is the caller's to close; `nil` once connections are refused.
    package func next() -> Int32? {
        let connection = accept(descriptor, nil, nil)
        return connection >= 0 ? connection : nil
    }

    /// Ends the wait for a connection, and refuses all that come later.
    package func refuse() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// A port of this machine.
    package static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
