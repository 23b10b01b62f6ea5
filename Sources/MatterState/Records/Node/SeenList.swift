import MatterCrypto

/// The access control list that was last shown of a node: a number that the user types stands for an entry of that one.
public struct SeenList: Equatable, Sendable {
    /// SHA-256 of the entries in their order.
    package var digest: [UInt8]
    /// When it was shown, in milliseconds since 1970.
    package var time: UInt64
    /// Whether a command showed it that was to change the list; otherwise one that was asked for it.
    package var isResult: Bool
    /// The text shown for each entry, in a line, for the words that a shell offers.
    public var entries: [String]

    // memberwise: package, isResult = false, entries = []
}

extension SeenList: NodeNote {
    /// Where such notes are kept.
    public static var folder: String { "seen" }

    /// A note as it is kept.
    ///
    /// - Throws: if it is garbled.
    public init(_ fields: RecordFields) throws {
        self.init(
            digest: try fields.octets("digest"), time: try fields.integer("shown"),
            isResult: try fields.optionalBool("result") ?? false, entries: try fields.strings("entries"))
    }

    /// The note as it is kept.
    public var json: JSONObject {
        [
            "digest": .string(Hex.encode(digest)), "shown": .id(time), "result": .bool(isResult),
            "entries": .array(entries.map { .string($0) }),
        ]
    }
}
