import Dispatch
import Glibc
import Synchronization

/// A bad network in front of a device: a UDP relay that loses, repeats and delays datagrams on their way.
///
/// It listens on the port that peers know; the device itself listens on another. Each peer gets a socket of its own
/// towards the device, so that the device tells them apart. Everything happens on one queue.
final class ImpairedLink: Sendable {
    /// When each copy of a datagram goes on; none for one that is lost.
    typealias Impairment = @Sendable () -> [Duration]

    private static let largest = 2048
    private static let mostPeers = 256

    /// The port that peers know.
    let port: UInt16
    private let relay: Relay

    /// - Parameters:
    ///   - port: where peers send to; 0 for any.
    ///   - device: the port of the device, on this host.
    init(port: UInt16, device: UInt16, impairment: @escaping Impairment) throws(SimulatorError) {
        let descriptor = try Self.open(port, host: in6addr_any)
        self.port = Self.boundPort(descriptor)
        relay = Relay(descriptor, device: device, impairment: impairment)
        let relay = relay
        relay.queue.async { relay.start() }
    }

    func close() {
        let relay = relay
        relay.queue.async { relay.stop() }
    }

    private static func open(_ port: UInt16, host: in6_addr) throws(SimulatorError) -> Int32 {
        let descriptor = socket(AF_INET6, Int32(SOCK_DGRAM.rawValue) | O_NONBLOCK | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw failure(port) }
        var off: Int32 = 0
        setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = host
        address.sin6_port = port.bigEndian
        let bound = withUnsafeBytes(of: &address) {
            bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count))
        }
        guard bound == 0 else {
            let error = failure(port)
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func failure(_ port: UInt16) -> SimulatorError {
        SimulatorError(
            .invalidFault, "cannot open UDP port \(port) for a bad network: \(String(cString: strerror(errno)))")
    }

    private static func boundPort(_ descriptor: Int32) -> UInt16 {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = withUnsafeMutableBytes(of: &address) {
            getsockname(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
        }
        return UInt16(bigEndian: address.sin6_port)
    }

    /// The sockets and the datagrams on their way.
    private final class Relay: Sendable {
        private struct State {
            var source: (any DispatchSourceRead)?
            var peers: [[UInt8]: (descriptor: Int32, source: any DispatchSourceRead)] = [:]
        }

        let queue = DispatchQueue(label: "matterctl.simulator.link")
        private let state = Mutex(State())
        private let outside: Int32
        private let device: UInt16
        private let impairment: Impairment

        init(_ outside: Int32, device: UInt16, impairment: @escaping Impairment) {
            self.outside = outside
            self.device = device
            self.impairment = impairment
        }

        func start() {
            state.withLock { state in
                state.source = read(outside) { [weak self] in self?.takeOutside() }
            }
        }

        func stop() {
            state.withLock { state in
                state.source?.cancel()
                for peer in state.peers.values { peer.source.cancel() }
                state = State()
            }
        }

        private func read(_ descriptor: Int32, _ handler: @escaping @Sendable () -> Void) -> any DispatchSourceRead {
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler(handler: handler)
            source.setCancelHandler { Glibc.close(descriptor) }
            source.activate()
            return source
        }

        private func receive(_ descriptor: Int32) -> (datagram: [UInt8], address: [UInt8])? {
            var buffer = [UInt8](repeating: 0, count: ImpairedLink.largest)
            var address = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
            var length = socklen_t(address.count)
            let count = address.withUnsafeMutableBytes {
                recvfrom(
                    descriptor, &buffer, buffer.count, 0, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, &length
                )
            }
            guard count >= 0 else { return nil }
            return (Array(buffer.prefix(count)), address)
        }

        private func takeOutside() {
            while let (datagram, address) = receive(outside) {
                guard let peer = peer(address) else { continue }
                goOn(datagram, from: peer, to: deviceAddress)
            }
        }

        private func peer(_ address: [UInt8]) -> Int32? {
            state.withLock { state in
                if let known = state.peers[address] { return known.descriptor }
                guard state.source != nil, state.peers.count < ImpairedLink.mostPeers,
                    let descriptor = try? ImpairedLink.open(0, host: in6addr_loopback)
                else { return nil }
                let source = read(descriptor) { [weak self] in
                    guard let self else { return }
                    while let (datagram, _) = self.receive(descriptor) {
                        self.goOn(datagram, from: self.outside, to: address)
                    }
                }
                state.peers[address] = (descriptor, source)
                return descriptor
            }
        }

        private var deviceAddress: [UInt8] {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = in6addr_loopback
            address.sin6_port = device.bigEndian
            return withUnsafeBytes(of: address) { Array($0) }
        }

        private func goOn(_ datagram: [UInt8], from descriptor: Int32, to address: [UInt8]) {
            for delay in impairment() {
                guard delay > .zero else {
                    send(datagram, from: descriptor, to: address)
                    continue
                }
                let (seconds, attoseconds) = delay.components
                let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
                queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
                    self?.send(datagram, from: descriptor, to: address)
                }
            }
        }

        private func send(_ datagram: [UInt8], from descriptor: Int32, to address: [UInt8]) {
            // Data that was on its way when the link closed is lost.
            guard state.withLock({ $0.source != nil }) else { return }
            _ = address.withUnsafeBytes {
                sendto(
                    descriptor, datagram, datagram.count, 0,
                    $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count))
            }
        }
    }
}
