package import MatterBase

/// Runs commands (Matter core specification 10.7.9).
package struct InvokeRequest: InteractionMessage {
    package static let opcode = InteractionModelOpcode.invokeRequest

    /// True if no InvokeResponse is wanted; only for groups.
    package var suppressesResponse: Bool
    /// True if this is the second half of a timed interaction.
    package var isTimed: Bool
    package var commands: [CommandDataIB]

    // memberwise: package, suppressesResponse = false, isTimed = false

    package init(fields: TLVFields) throws(TLVError) {
        suppressesResponse = try fields.bool(0)
        isTimed = try fields.bool(1)
        commands = try fields.requiredBlocks(2)
    }

    package var members: [TLVElement] {
        [.bool(0, suppressesResponse), .bool(1, isTimed), .blocks(2, commands)]
    }
}

/// The results of the commands (Matter core specification 10.7.10).
struct InvokeResponse: InteractionMessage {
    static let opcode = InteractionModelOpcode.invokeResponse
    static let text = TLVText.repaired

    var suppressesResponse: Bool = false
    var responses: [InvokeResponseIB]
    /// True if another InvokeResponse of this interaction follows.
    var hasMoreChunks: Bool = false

    var members: [TLVElement] {
        [.bool(0, suppressesResponse), .blocks(1, responses), .flag(2, hasMoreChunks)].compactMap { $0 }
    }
}

extension InvokeResponse {
    init(fields: TLVFields) throws(TLVError) {
        suppressesResponse = try fields.bool(0)
        responses = try fields.requiredBlocks(1)
        hasMoreChunks = try fields.optionalBool(2) ?? false
    }
}
