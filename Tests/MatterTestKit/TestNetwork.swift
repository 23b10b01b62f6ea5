import Glibc
package import MatterNetwork
import Synchronization

/// The network of one test: hosts in memory that are called by loopback addresses.
package final class TestNetwork: Sendable {
    /// The network of tests that take place in real time.
    private static let common = TestNetwork()
    /// The network of the test under way.
    package static var current: TestNetwork { VirtualTime.current?.network ?? common }

    /// How long a message is on its way.
    package static let latency = Duration.milliseconds(1)

    /// When copies of a message arrive; none for one that is lost.
    package typealias Rule = @Sendable (_ message: [UInt8], _ from: PeerAddress, _ to: PeerAddress) -> [Duration]

    private final class Traffic: Sendable {
        let received = Mutex<[PeerAddress: Int]>([:])
        let rule = Mutex<Rule>({ _, _, _ in [TestNetwork.latency] })
    }

    private let nextPort = Atomic<UInt16>(10_000)
    private let traffic: Traffic
    let memory: MemoryNetwork

    /// - Parameter properties: the promises of its links.
    package init(_ properties: LinkProperties = .udp) {
        let traffic = Traffic()
        self.traffic = traffic
        memory = MemoryNetwork(
            properties,
            judge: { message, from, to in
                traffic.received.withLock { $0[to, default: 0] += 1 }
                return traffic.rule.withLock { $0 }(message, from, to)
            }, refusal: { $0.udp?.isLinkLocal ?? false ? ENETUNREACH : nil })
    }

    /// An address that nothing has yet.
    package func freeAddress() -> PeerAddress { Self.address(nextPort.add(1, ordering: .relaxed).newValue) }

    private static func address(_ port: UInt16) -> PeerAddress {
        let octets = [UInt8](repeating: 0, count: 15) + [1]
        guard let address = PeerAddress(octets: octets, port: port) else {
            preconditionFailure("16 bytes")
        }
        return address
    }

    /// Links of the network of the test under way; each is another host's.
    package static func links() -> any LinkProvider { current.links() }

    /// Links of this network; each is another host's.
    package func links() -> any LinkProvider { Links(network: self) }

    private struct Links: LinkProvider {
        let network: TestNetwork
        var properties: LinkProperties { network.memory.properties }

        func open(
            port: UInt16, on eventLoop: any EventLoop, receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
        ) async throws(TransportError) -> any DatagramLink {
            let address = port == 0 ? network.freeAddress() : TestNetwork.address(port)
            return try network.memory.open(address, on: eventLoop, receive: receive)
        }
    }

    /// From now on does to messages what a rule says.
    package func treat(_ rule: @escaping Rule) { traffic.rule.withLock { $0 = rule } }

    /// How many messages were sent to an address since this was last asked.
    func takeReceived(at address: PeerAddress) -> Int {
        traffic.received.withLock { $0.removeValue(forKey: address) ?? 0 }
    }

    /// How many messages were sent to any address.
    package var messages: Int { traffic.received.withLock { $0.values.reduce(0, +) } }
}

/// An address where messages arrive that are not read.
package struct Blackhole: Sendable {
    package let address: PeerAddress
    private let network = TestNetwork.current

    package init() { address = network.freeAddress() }

    /// How many messages have come since this was last asked.
    package var received: Int { network.takeReceived(at: address) }
}
