package import MatterBase

/// How much an event matters; decides which events a full buffer gives up first (Matter core specification,
/// chapter 8).
public struct EventPriority: RawRepresentable, Hashable, Sendable {
    /// The number.
    public var rawValue: UInt8

    /// The value with a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let debug = EventPriority(rawValue: 0)
    package static let info = EventPriority(rawValue: 1)
    package static let critical = EventPriority(rawValue: 2)
}

extension EventPriority: CustomStringConvertible {
    /// The value as text, as messages and logs show it.
    public var description: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .critical: "critical"
        default: "\(rawValue)"
        }
    }
}

/// When an event happened, in milliseconds (Matter core specification, chapter 8).
public enum EventTimestamp: Hashable, Sendable {
    /// Since 1970.
    case epoch(UInt64)
    /// Since the node started.
    case system(UInt64)
    /// Since the event before in the same message, which had an epoch time.
    case deltaEpoch(UInt64)
    /// Since the event before in the same message, which had a system time.
    case deltaSystem(UInt64)
}

/// An event that happened (EventDataIB, Matter core specification 10.6.9).
package struct EventDataIB: Hashable, Sendable {
    package var path: EventPath
    /// Ascending over all events of the node.
    package var number: UInt64
    package var priority: EventPriority
    package var timestamp: EventTimestamp
    /// The fields, a structure; `nil` for an event without any.
    package var data: TLVValue?

    // memberwise: package
}

extension EventDataIB: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(structure: tlv, "EventDataIB")
        path = try fields.block(0)
        number = try fields.unsigned(1)
        priority = EventPriority(rawValue: try fields.unsigned(2))
        let timestamps: [EventTimestamp?] = [
            try fields.optionalUnsigned(3).map { .epoch($0) }, try fields.optionalUnsigned(4).map { .system($0) },
            try fields.optionalUnsigned(5).map { .deltaEpoch($0) },
            try fields.optionalUnsigned(6).map { .deltaSystem($0) },
        ]
        let given = timestamps.compactMap { $0 }
        guard let first = given.first else { throw TLVError(.missingField, "EventDataIB lacks a timestamp") }
        guard given.count == 1 else { throw TLVError(.malformed, "EventDataIB has \(given.count) timestamps") }
        timestamp = first
        data = fields[7]
    }

    package var tlv: TLVValue {
        let time: TLVElement =
            switch timestamp {
            case .epoch(let time): .unsigned(3, time)
            case .system(let time): .unsigned(4, time)
            case .deltaEpoch(let time): .unsigned(5, time)
            case .deltaSystem(let time): .unsigned(6, time)
            }
        return .structure(
            [
                TLVElement(0, path.tlv), .unsigned(1, number), .unsigned(2, priority.rawValue), time,
                data.map { TLVElement(7, $0) },
            ].compactMap { $0 })
    }
}
