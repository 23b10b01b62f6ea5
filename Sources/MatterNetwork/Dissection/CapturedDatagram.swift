/// A message of a capture, as its carrier delivers it: a UDP datagram, mostly.
package struct CapturedDatagram: Equatable, Sendable {
    /// Microseconds since 1970.
    package var time: Int64
    package var source: PeerAddress
    package var destination: PeerAddress
    package var payload: [UInt8]
    package var carrier: Carrier

    // memberwise: package, carrier = .udp

    /// The protocol that carries messages.
    package enum Carrier: String, Sendable { case udp, tcp, bluetooth }
}

extension PeerAddress {
    /// The protocol that carries messages with this peer; `nil` where it is only a stand-in.
    package var carrier: CapturedDatagram.Carrier? {
        switch self {
        case .udp: .udp
        case .bluetooth: .bluetooth
        case .memory: nil
        }
    }

    /// The name of a Bluetooth device or central, if it is one.
    package var bluetoothName: String? {
        if case .bluetooth(let name) = self { name } else { nil }
    }
}

/// The faults of a file that is no capture.
package struct CaptureError: Error, Equatable, Sendable {
    package var reason: String

    package init(_ reason: String) { self.reason = reason }
}
