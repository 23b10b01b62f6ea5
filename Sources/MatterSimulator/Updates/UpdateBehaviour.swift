/// How a virtual device updates its software as an OTA requestor (Matter core specification 11.20), and the faults that it plays.
package struct UpdateBehaviour: Hashable, Sendable {
    /// How long after an announcement it asks the provider.
    package var startDelay = Duration.seconds(1)
    /// The shortest wait before it asks a provider again that has put it off (Matter core specification 11.20.3.2).
    package var shortestDelay = Duration.seconds(120)
    /// How long it waits for a block.
    package var blockPatience = Duration.seconds(300)
    /// The most octets in a block that it asks for.
    package var blockSize: UInt16 = 1024
    /// The largest image that it has room for, in octets.
    package var largestImage: UInt64 = 64 << 20

    /// Fault: it ends each transfer at the first block.
    package var refusesDownload = false
    /// Fault: once so many octets have come, it loses its power and starts again; that happens once.
    package var powerLossAfter: UInt64?
    /// Fault: it does not send NotifyUpdateApplied.
    package var neverNotifies = false
    /// Fault: it starts again with the old software.
    package var rollsBack = false

    package init() {}
}

/// A node that offers updates.
package struct UpdateProvider: Hashable, Sendable {
    package var fabricIndex: UInt8
    package var node: NodeID
    package var endpoint: EndpointID
}

/// A device's business with a provider. It survives a restart.
package enum UpdateErrand: Hashable, Sendable {
    /// Ask for newer software, and take it.
    case query(UpdateProvider)
    /// Tell that a version runs.
    case notify(UpdateProvider, token: [UInt8], version: UInt32)

    var provider: UpdateProvider {
        switch self {
        case .query(let provider), .notify(let provider, _, _): provider
        }
    }
}

/// Why a device does not take an update.
struct UpdateFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
