package import MatterNetwork

/// A secure session that stays when its process ends, for the next one to go on with.
package struct KeptSession: Sendable {
    /// Keys, counters and addresses.
    package var snapshot: SessionSnapshot
    package var peerParameters: SessionParameters
    /// The end of the session's set-up, in nanoseconds since the start of the machine.
    package var setUp: Int64
    /// How often the node had been started when it was asked in this session.
    package var rebootCount: UInt16?
    /// Which certificate of ours the session was set up with: the node has taken our rights from it.
    package var certificate: UInt32
    /// Our own port: a node may go on sending there.
    package var port: UInt16
    /// When this was written.
    package var moment: MachineMoment

    // memberwise: package

    /// The result of the handshake that the session began with, as far as it matters later.
    package var established: EstablishedSession {
        EstablishedSession(snapshot.parameters, peerParameters: peerParameters)
    }

    /// How old the session is at a moment of the same start of the machine.
    package func age(at moment: MachineMoment) -> Duration { .nanoseconds(moment.sinceBoot &- setUp) }
}
