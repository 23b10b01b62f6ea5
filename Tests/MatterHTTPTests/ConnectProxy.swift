import Glibc
import Synchronization
import TestSupport

/// A proxy on this machine for one CONNECT: it keeps what was asked of it, and what passes through.
final class ConnectProxy: Sendable {
    private let listener: LocalListener
    let port: UInt16
    private let kept = Kept()

    private final class Kept: Sendable {
        let head = Mutex("")
        let passed = Mutex<[UInt8]>([])
    }

    /// The request for the tunnel.
    var head: String { kept.head.withLock { $0 } }
    /// Everything that the client sent through it.
    var passed: [UInt8] { kept.passed.withLock { $0 } }

    /// - Parameter target: where tunnels go, on this machine, whatever was asked for.
    init(to target: UInt16) throws {
        let listener = try LocalListener()
        (self.listener, port) = (listener, listener.port)
        let run = Run(listener: listener, target: target, kept: kept)
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Run>.fromOpaque(argument).takeRetainedValue().serve()
                return nil
            }, Unmanaged.passRetained(run).toOpaque())
        pthread_detach(thread)
    }

    deinit { listener.refuse() }

    private final class Run: Sendable {
        let listener: LocalListener
        let target: UInt16
        let kept: Kept

        init(listener: LocalListener, target: UInt16, kept: Kept) {
            (self.listener, self.target, self.kept) = (listener, target, kept)
        }

        func serve() {
            defer { listener.refuse() }
            guard let client = listener.next() else { return }
            defer { close(client) }
            var head: [UInt8] = []
            var byte: UInt8 = 0
            while !head.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)), read(client, &byte, 1) == 1 {
                head.append(byte)
            }
            kept.head.withLock { $0 = String(decoding: head, as: UTF8.self) }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(server) }
            var address = LocalListener.address(target)
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    connect(server, generic, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else { return }
            _ = write(client, "HTTP/1.1 200 Connected\r\n\r\n", 26)
            pump(client, server)
        }

        /// Both ways, until either side ends.
        private func pump(_ client: Int32, _ server: Int32) {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            var ends = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            while poll(&ends, 2, 60_000) > 0 {
                for (index, end) in ends.enumerated() where end.revents != 0 {
                    let count = read(end.fd, &buffer, buffer.count)
                    guard count > 0 else { return }
                    if index == 0 { kept.passed.withLock { $0 += buffer.prefix(count) } }
                    _ = write(index == 0 ? server : client, buffer, count)
                }
            }
        }
    }
}
