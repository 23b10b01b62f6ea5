package import MatterBase

/// A message of the Interaction Model: an anonymous structure that ends with the revision of its sender.
///
/// Decoding ignores fields it does not know and any revision; encoding writes fields in ascending order.
package protocol InteractionMessage: Hashable, Sendable {
    static var opcode: InteractionModelOpcode { get }
    /// The treatment of strings that are not valid UTF-8. In a request they are refused; an answer may have what
    /// another controller has stored on the device.
    static var text: TLVText { get }
    /// The treatment of tags that their containers forbid: only a message that checks them itself gets them as written.
    static var tags: TLVTagRules { get }

    init(fields: TLVFields) throws(TLVError)

    /// The fields in ascending order, without the revision.
    var members: [TLVElement] { get }
}

extension InteractionMessage {
    package static var text: TLVText { .strict }
    package static var tags: TLVTagRules { .strict }

    /// - Throws: ``InteractionError/Code/malformed``, or ``InteractionError/Code/limitExceeded`` for a payload larger
    ///   than any transport carries.
    package init(decoding payload: [UInt8]) throws(InteractionError) {
        guard payload.count <= InteractionModel.largestPayload else {
            throw InteractionError(
                .limitExceeded, "a \(Self.opcode) of \(payload.count) bytes", opcode: Self.opcode.rawValue)
        }
        do {
            let fields = try TLVFields(decoding: payload, "\(Self.opcode)", text: Self.text, tags: Self.tags)
            // Any revision will do, but it has to be a number.
            _ = try fields.optionalUnsigned(InteractionModel.revisionTag, as: UInt64.self)
            try self.init(fields: fields)
        } catch {
            throw InteractionError(error, in: Self.opcode)
        }
    }

    /// The payload to send.
    package func encoded() -> [UInt8] {
        TLVElement(.anonymous, .structure(members + [InteractionModel.revisionField])).encoded()
    }

    /// This message as the next thing to send.
    func sent(expectsReply: Bool) -> InteractionAction {
        .send(opcode: Self.opcode, payload: encoded(), expectsReply: expectsReply)
    }
}

/// Constants of the protocol.
package enum InteractionModel {
    /// The revision this implementation speaks, sent in every message.
    package static let revision: UInt8 = 12
    static let revisionTag: UInt8 = 0xFF
    static let revisionField = TLVElement(revisionTag, .uint(UInt64(revision)))

    /// The largest payload any transport delivers (TCP carries messages of 64,000 bytes).
    package static let largestPayload = 65_536
    /// How many attribute and event paths every server accepts in one ReadRequest (8.2.2).
    package static let pathsPerRead = 9
    /// The smallest payload limit that a server's helper machines work with.
    static let smallestMaxPayload = 128
}
