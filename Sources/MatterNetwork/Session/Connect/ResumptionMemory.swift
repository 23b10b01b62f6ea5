package import MatterCrypto

/// The place where the secrets of earlier sessions are kept, so that the next one with the same node can be resumed.
package protocol ResumptionMemory: Sendable {
    /// - Returns: `nil` if there is nothing that can be used: a full handshake does without.
    func load(_ node: NodeID) async -> ResumptionRecord?

    /// - Throws: whatever keeps the record from being stored; the session is good all the same.
    func save(_ record: ResumptionRecord, of node: NodeID) async throws
}
