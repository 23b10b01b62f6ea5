package import JSON

/// That a node gave no answer when it was last asked together with others.
package struct Silence: Equatable, Sendable {
    /// Seconds since 1970.
    package var time: Int64

    package init(time: Int64) { self.time = time }
}

extension Silence: NodeNote {
    package static var folder: String { "silent" }

    package init(_ fields: RecordFields) throws { self.init(time: try fields.time("time")) }

    package var json: JSONObject { ["time": .int(time)] }
}
