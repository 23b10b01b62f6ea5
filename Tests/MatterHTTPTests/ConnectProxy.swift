import Glibc
import Synchronization

/// A proxy on this machine for one CONNECT: it keeps what was asked of it, and what passes through.
final class ConnectProxy: Sendable {
    private let listener: Int32
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
        struct Unavailable: Error {}
        guard let (descriptor, port) = Self.listen() else { throw Unavailable() }
        (listener, self.port) = (descriptor, port)
        let run = Run(listener: descriptor, target: target, kept: kept)
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

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func listen() -> (Int32, UInt16)? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, size) == 0 && Glibc.listen(descriptor, 4) == 0
                    && getsockname(descriptor, generic, &size) == 0
            }
        }
        return isListening ? (descriptor, UInt16(bigEndian: address.sin_port)) : nil
    }

    private final class Run: Sendable {
        let listener: Int32
        let target: UInt16
        let kept: Kept

        init(listener: Int32, target: UInt16, kept: Kept) {
            (self.listener, self.target, self.kept) = (listener, target, kept)
        }

        func serve() {
            defer { close(listener) }
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            defer { close(client) }
            var head: [UInt8] = []
            var byte: UInt8 = 0
            while !head.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)), read(client, &byte, 1) == 1 {
                head.append(byte)
            }
            kept.head.withLock { $0 = String(decoding: head, as: UTF8.self) }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(server) }
            var address = ConnectProxy.address(target)
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
