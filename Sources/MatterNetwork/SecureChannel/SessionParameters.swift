package import MatterBase

/// The session parameters of one side of a handshake (Matter core specification 4.13.1, session parameters).
package struct SessionParameters: Equatable, Sendable {
    package var reliability: ReliabilityParameters
    package var dataModelRevision: UInt16?
    package var interactionModelRevision: UInt16?
    package var specificationVersion: UInt32?
    package var maxPathsPerInvoke: UInt16

    // memberwise: package, reliability = .standard, dataModelRevision = nil, interactionModelRevision = nil,
    //     specificationVersion = nil, maxPathsPerInvoke = 1

    /// Our own parameters.
    package static let own = SessionParameters(
        dataModelRevision: 19, interactionModelRevision: 12, specificationVersion: 0x0104_0200, maxPathsPerInvoke: 1)

    private enum Tag {
        static let idleInterval: UInt8 = 1
        static let activeInterval: UInt8 = 2
        static let activeThreshold: UInt8 = 3
        static let dataModelRevision: UInt8 = 4
        static let interactionModelRevision: UInt8 = 5
        static let specificationVersion: UInt8 = 6
        static let maxPathsPerInvoke: UInt8 = 7
    }

    package var value: TLVValue {
        func milliseconds(_ duration: Duration) -> TLVValue { .uint(duration.wholeMilliseconds) }
        var members = [
            TLVElement(Tag.idleInterval, milliseconds(reliability.idleInterval)),
            TLVElement(Tag.activeInterval, milliseconds(reliability.activeInterval)),
            TLVElement(Tag.activeThreshold, milliseconds(reliability.activeThreshold)),
        ]
        if let dataModelRevision { members.append(.init(Tag.dataModelRevision, .uint(UInt64(dataModelRevision)))) }
        if let interactionModelRevision {
            members.append(.init(Tag.interactionModelRevision, .uint(UInt64(interactionModelRevision))))
        }
        if let specificationVersion {
            members.append(.init(Tag.specificationVersion, .uint(UInt64(specificationVersion))))
        }
        members.append(.init(Tag.maxPathsPerInvoke, .uint(UInt64(maxPathsPerInvoke))))
        return .structure(members)
    }

    /// Reads the parameters of a peer. What is absent has its default, what is out of range is capped.
    ///
    /// - Parameter base: what was known before, e.g. from DNS-SD.
    init(_ fields: TLVFields?, base: ReliabilityParameters = .standard) throws(TLVError) {
        var reliability = base
        let cap = ReliabilityParameters.maximumInterval
        if let idle: UInt32 = try fields?.optionalUnsigned(Tag.idleInterval) {
            reliability.idleInterval = min(.milliseconds(Int64(idle)), cap)
        }
        if let active: UInt32 = try fields?.optionalUnsigned(Tag.activeInterval) {
            reliability.activeInterval = min(.milliseconds(Int64(active)), cap)
        }
        if let threshold: UInt16 = try fields?.optionalUnsigned(Tag.activeThreshold) {
            reliability.activeThreshold = .milliseconds(Int64(threshold))
        }
        self.init(
            reliability: reliability,
            dataModelRevision: try fields?.optionalUnsigned(Tag.dataModelRevision),
            interactionModelRevision: try fields?.optionalUnsigned(Tag.interactionModelRevision),
            specificationVersion: try fields?.optionalUnsigned(Tag.specificationVersion),
            maxPathsPerInvoke: max(1, try fields?.optionalUnsigned(Tag.maxPathsPerInvoke) ?? 1))
    }
}

extension Duration {
    /// Nanoseconds without their fraction, as far as they fit: 292 years.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : product &+ attoseconds / 1_000_000_000
    }

    /// Milliseconds without their fraction; 0 for negative durations. A quotient in floating point would lose one now
    /// and then.
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        // More than a million years are no duration of a protocol.
        return UInt64(min(max(0, seconds), 1 << 45)) * 1000 + UInt64(max(0, attoseconds)) / 1_000_000_000_000_000
    }
}
