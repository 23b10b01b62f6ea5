package import MatterBase

/// Runs commands (Matter core specification 10.7.9).
package struct InvokeRequest: InteractionMessage {
    package static let opcode = InteractionModelOpcode.invokeRequest

    /// True if no InvokeResponse is wanted; only for groups.
    package var suppressesResponse: Bool
    /// True if this is the second half of a timed interaction.
    package var isTimed: Bool
    package var commands: [CommandDataIB]

    package init(suppressesResponse: Bool = false, isTimed: Bool = false, commands: [CommandDataIB]) {
        self.suppressesResponse = suppressesResponse
        self.isTimed = isTimed
        self.commands = commands
    }

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
package struct InvokeResponse: InteractionMessage {
    package static let opcode = InteractionModelOpcode.invokeResponse
    package static let text = TLVText.repaired

    package var suppressesResponse: Bool
    package var responses: [InvokeResponseIB]
    /// True if another InvokeResponse of this interaction follows.
    package var hasMoreChunks: Bool

    package init(suppressesResponse: Bool = false, responses: [InvokeResponseIB], hasMoreChunks: Bool = false) {
        self.suppressesResponse = suppressesResponse
        self.responses = responses
        self.hasMoreChunks = hasMoreChunks
    }

    package init(fields: TLVFields) throws(TLVError) {
        suppressesResponse = try fields.bool(0)
        responses = try fields.requiredBlocks(1)
        hasMoreChunks = try fields.optionalBool(2) ?? false
    }

    package var members: [TLVElement] {
        [.bool(0, suppressesResponse), .blocks(1, responses), .flag(2, hasMoreChunks)].compactMap { $0 }
    }
}
