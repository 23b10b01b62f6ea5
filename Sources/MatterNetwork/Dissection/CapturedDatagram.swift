/// A UDP datagram of a capture.
package struct CapturedDatagram: Equatable, Sendable {
    /// Microseconds since 1970.
    package var time: Int64
    package var source: PeerAddress
    package var destination: PeerAddress
    package var payload: [UInt8]

    // memberwise: package
}

/// The faults of a file that is no capture.
package struct CaptureError: Error, Equatable, Sendable {
    package var reason: String

    package init(_ reason: String) { self.reason = reason }
}
