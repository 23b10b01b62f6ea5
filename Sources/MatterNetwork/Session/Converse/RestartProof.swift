/// When it is certain that a command did not run because the node had been started again before it was sent.
///
/// A node that starts loses its sessions, so that it cannot read what is sent on one of them any more. All times are in
/// the clock of this machine's run.
package struct RestartProof: Equatable, Sendable {
    /// RebootCount (core specification 11.12.6.2), read in the session of the command.
    package var rebootCount: UInt16
    /// The end of the set-up of that session.
    package var setUp: Instant
    /// The first transmission of the command.
    package var sent: Instant

    /// How far the clocks of the node and ours may be apart while a second passes, and UpTime counts whole seconds.
    private static let margin = Duration.seconds(1)

    // memberwise: package

    /// - Parameters:
    ///   - rebootCount: RebootCount, read in a later session.
    ///   - upTime: UpTime, read with it. One that stands still while the node sleeps only makes the start seem later, so
    ///     that there is no proof.
    ///   - asked: when both were asked for.
    ///   - answered: when the answer came.
    package func holds(rebootCount: UInt16, upTime: Duration, asked: Instant, answered: Instant) -> Bool {
        // One that was started more often may have been started between the command and now; one that has begun to count
        // from 0, too.
        guard self.rebootCount < .max, rebootCount == self.rebootCount + 1 else { return false }
        let (earliest, latest) = (asked - upTime - Self.margin, answered - upTime)
        return earliest > setUp + Self.margin && latest < sent - Self.margin
    }
}
