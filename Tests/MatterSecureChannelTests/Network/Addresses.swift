@testable import MatterNetwork

/// An address in a network for documentation (RFC 5737).
func host(_ number: UInt8) -> PeerAddress {
    guard let address = PeerAddress(octets: [192, 0, 2, number], port: 5540) else { preconditionFailure("four octets") }
    return address
}
