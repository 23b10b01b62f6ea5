package import JSON

/// The modes that a node was last seen to have, by the labels of the device, for the words that a shell offers.
public struct SeenModes: Equatable, Sendable {
    /// A mode of an endpoint.
    public struct Mode: Equatable, Sendable {
        /// The number of the endpoint.
        public var endpoint: UInt16
        /// The label of the device for it.
        public var label: String
        /// Its purpose, by the names of the cluster.
        public var tags: [String]

        // memberwise: package
    }

    /// In the order of the device.
    public var modes: [Mode]

    // memberwise: package
}

extension SeenModes: NodeNote {
    /// Where such notes are kept.
    public static var folder: String { "modes" }

    /// A note as it is kept.
    ///
    /// - Throws: ``RecordError`` if it is garbled.
    public init(_ fields: RecordFields) throws {
        modes = try fields.objects("modes").map { mode in
            Mode(
                endpoint: try mode.integer("endpoint"), label: try mode.string("label"), tags: try mode.strings("tags"))
        }
    }

    /// The note as it is kept.
    public var json: JSONObject {
        [
            "modes": .array(
                modes.map { mode in
                    [
                        "endpoint": .int(Int64(mode.endpoint)), "label": .string(mode.label),
                        "tags": .array(mode.tags.map { .string($0) }),
                    ]
                })
        ]
    }
}
