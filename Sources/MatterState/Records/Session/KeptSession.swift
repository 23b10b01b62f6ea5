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

    package init(
        snapshot: SessionSnapshot, peerParameters: SessionParameters, setUp: Int64, rebootCount: UInt16?,
        certificate: UInt32,
        port: UInt16, moment: MachineMoment
    ) {
        self.snapshot = snapshot
        self.peerParameters = peerParameters
        self.setUp = setUp
        self.rebootCount = rebootCount
        self.certificate = certificate
        self.port = port
        self.moment = moment
    }

    /// The result of the handshake that the session began with, as far as it matters later.
    package var established: EstablishedSession {
        EstablishedSession(snapshot.parameters, peerParameters: peerParameters)
    }

    /// How old the session is at a moment of the same start of the machine.
    package func age(at moment: MachineMoment) -> Duration { .nanoseconds(moment.sinceBoot &- setUp) }
}
