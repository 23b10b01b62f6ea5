import Logging
import MatterNetwork

extension NodeLink {
    /// The attestation of the node in this session; asked for again if the session is lost.
    func attestation(random: any RandomSource, deadline: Instant) async throws -> AttestationEvidence {
        while true {
            let session = try await connect(deadline: deadline)
            do {
                return try await AttestationInquiry(session: session, random: random, deadline: deadline).evidence()
            } catch let error as TransportError where error.isLoss && time.now < deadline {
                logger.debug("the session is lost; setting up another one")
                await drop(session)
            }
        }
    }
}
