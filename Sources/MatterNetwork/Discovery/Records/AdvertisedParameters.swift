/// The node's timing and transport in every Matter service (TXT keys SII, SAI, SAT, T and ICD).
///
/// `nil` is "not said": the default of the specification applies.
package struct AdvertisedParameters: Hashable, Sendable {
    /// Which side of a TCP connection the node can be.
    package struct TCPSupport: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let client = TCPSupport(rawValue: 1 << 1)
        package static let server = TCPSupport(rawValue: 1 << 2)
    }

    /// How an intermittently connected device is operating.
    package enum ICDMode: UInt8, Hashable, Sendable {
        case shortIdleTime = 0
        case longIdleTime = 1
    }

    /// SII: how long to wait for an answer of an idle node, at most one hour.
    package var idleInterval: Duration?
    /// SAI: the same for an active one.
    package var activeInterval: Duration?
    /// SAT: how long a node stays active, 1 to 65,535 ms.
    package var activeThreshold: Duration?
    /// T.
    var tcp: TCPSupport
    /// ICD; `nil` where the node is not capable of long idle times.
    package var icdMode: ICDMode?

    /// The longest interval that may be advertised, in milliseconds (Matter core specification 4.3.4).
    private static let longestInterval: UInt32 = 3_600_000

    // memberwise: package, idleInterval = nil, activeInterval = nil, activeThreshold = nil, tcp = [], icdMode = nil

    /// Reads the keys; a value that is not valid counts as absent.
    package init(_ txt: TXTRecord) {
        let interval = 0...Self.longestInterval
        self.init(
            idleInterval: txt.number("SII", in: interval).map { .milliseconds($0) },
            activeInterval: txt.number("SAI", in: interval).map { .milliseconds($0) },
            activeThreshold: txt.number("SAT", in: 1...UInt16.max).map { .milliseconds($0) },
            tcp: Self.tcp(txt.number("T")),
            icdMode: txt.number("ICD").flatMap(ICDMode.init(rawValue:)))
    }

    /// Earlier revisions of the specification wrote 1 for both sides.
    private static func tcp(_ bits: UInt8?) -> TCPSupport {
        switch bits {
        case 1: [.client, .server]
        case 2, 4, 6: TCPSupport(rawValue: bits ?? 0)
        default: []
        }
    }

    /// The pairs for a TXT record of our own.
    package var pairs: [(key: String, value: String)] {
        func milliseconds(_ duration: Duration?) -> String? {
            duration.map { String(Int64($0 / .milliseconds(1))) }
        }
        let all: [(key: String, value: String?)] = [
            ("SII", milliseconds(idleInterval)), ("SAI", milliseconds(activeInterval)),
            ("SAT", milliseconds(activeThreshold)), ("T", tcp.isEmpty ? nil : String(tcp.rawValue)),
            ("ICD", icdMode.map { String($0.rawValue) }),
        ]
        return all.compactMap { pair in pair.value.map { (pair.key, $0) } }
    }
}
