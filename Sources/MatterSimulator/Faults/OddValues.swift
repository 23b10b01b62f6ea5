import MatterModel

/// Attribute values that a device should not report: of another type, out of range, null, long, nested, or none at all.
///
/// The seed and the path decide, so that an attribute is as odd in every report.
struct OddValues: Sendable, Equatable {
    /// Of an attribute to be odd, 0…1.
    var probability: Double
    var seed: UInt64

    /// How a value is odd.
    enum Oddity: UInt64, CaseIterable {
        case wrongType, largest, smallest, null, emptyList, nested, long, otherFields, notANumber, missing
    }

    /// How the value of an attribute is odd; `nil` for a sound one.
    func oddity(endpoint: EndpointID, cluster: ClusterID, attribute: AttributeID) -> Oddity? {
        let place = UInt64(endpoint.rawValue) << 48 ^ UInt64(cluster.rawValue) << 20 ^ UInt64(attribute.rawValue)
        let dice = Self.mixed(seed ^ Self.mixed(place))
        guard Double(dice >> 11) / Double(UInt64(1) << 53) < probability else { return nil }
        return Oddity(rawValue: Self.mixed(dice) % UInt64(Oddity.allCases.count))
    }

    /// No structure of the specification has fields with these numbers.
    private static let unknownFields: [UInt8] = [250, 251]

    /// The status in place of a value; `nil` for nothing.
    static func value(_ oddity: Oddity, insteadOf value: TLVValue) -> TLVValue? {
        switch oddity {
        case .wrongType: if case .string = value { .uint(7) } else { .string("odd\u{1B}[31m\u{202E}\n") }
        case .largest: .uint(.max)
        case .smallest: .int(.min)
        case .null: .null
        case .emptyList: .array([])
        case .nested: (0..<12).reduce(value) { inner, _ in .array([TLVElement(.anonymous, inner)]) }
        case .long: .string(String(repeating: "long ", count: 180))
        case .otherFields:
            .structure(
                zip(Self.unknownFields, [value, .bool(true)]).map { TLVElement($0, $1) })
        case .notANumber: .double(.nan)
        case .missing: nil
        }
    }

    /// Spreads the bits of a number (the finalizer of SplitMix64).
    private static func mixed(_ number: UInt64) -> UInt64 {
        var bits = number &+ 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}
