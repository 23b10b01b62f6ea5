import JSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes of addresses (Matter core specification, section 7.19.2.20 and following).
public enum NetworkAddress {
    /// The bytes of an address text; `nil` if the text is none of this format.
    static func parse(_ text: String, as format: DataType.Format) -> [UInt8]? {
        switch format {
        case .ipAddress: ip(text, AF_INET) ?? ip(text, AF_INET6)
        case .ipv4Address: ip(text, AF_INET)
        case .ipv6Address: ip(text, AF_INET6)
        case .ipv6Prefix: prefix(text)
        case .hardwareAddress: hardware(text)
        case .clusterID, .deviceTypeID: nil
        }
    }

    /// How an address is written; `nil` if the bytes are none of this format.
    public static func text(_ octets: [UInt8], as format: DataType.Format) -> String? {
        switch format {
        case .ipAddress: octets.count == 4 ? ipText(octets, AF_INET) : ipText(octets, AF_INET6)
        case .ipv4Address: ipText(octets, AF_INET)
        case .ipv6Address: ipText(octets, AF_INET6)
        case .ipv6Prefix:
            octets.first.flatMap { bits in
                bits <= 128 && octets.count <= 17
                    ? ipText(octets.dropFirst() + Array(repeating: 0, count: 17 - octets.count), AF_INET6).map {
                        "\($0)/\(bits)"
                    }
                    : nil
            }
        case .hardwareAddress:
            octets.count == 6 || octets.count == 8
                ? octets.map { Hex.number($0, digits: 2) }.joined(separator: ":") : nil
        case .clusterID, .deviceTypeID: nil
        }
    }

    /// An example, for error messages.
    static func example(_ format: DataType.Format) -> String? {
        switch format {
        case .ipAddress: "192.168.1.2 or fd00::2"
        case .ipv4Address: "192.168.1.2"
        case .ipv6Address: "fd00::2"
        case .ipv6Prefix: "fd00::/64"
        case .hardwareAddress: "02:00:00:00:00:01"
        case .clusterID, .deviceTypeID: nil
        }
    }

    private static func length(_ family: Int32) -> Int { family == AF_INET ? 4 : 16 }

    private static func ip(_ text: String, _ family: Int32) -> [UInt8]? {
        // A NUL would end the text early.
        guard !text.utf8.contains(0) else { return nil }
        var octets = [UInt8](repeating: 0, count: length(family))
        return octets.withUnsafeMutableBytes { inet_pton(family, text, $0.baseAddress) } == 1 ? octets : nil
    }

    private static func ipText(_ octets: [UInt8], _ family: Int32) -> String? {
        guard octets.count == length(family) else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isWritten = octets.withUnsafeBytes { source in
            text.withUnsafeMutableBufferPointer {
                inet_ntop(family, source.baseAddress, $0.baseAddress, socklen_t($0.count)) != nil
            }
        }
        guard isWritten else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The length in bits, then as many bytes of the address as it needs; bits beyond it are cleared.
    private static func prefix(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let bits = NumberText.unsigned(String(parts[1])), bits <= 128,
            let address = ip(String(parts[0]), AF_INET6)
        else { return nil }
        var octets = Array(address.prefix(Int(bits + 7) / 8))
        if !bits.isMultiple(of: 8), let last = octets.indices.last { octets[last] &= 0xFF << UInt8(8 - bits % 8) }
        return [UInt8(bits)] + octets
    }

    private static func hardware(_ text: String) -> [UInt8]? {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "-" }
        guard parts.count == 6 || parts.count == 8, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isHexDigit) })
        else {
            return nil
        }
        let octets = parts.compactMap { UInt8($0, radix: 16) }
        return octets.count == parts.count ? octets : nil
    }
}
