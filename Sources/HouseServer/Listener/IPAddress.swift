import Glibc

/// An address of the Internet Protocol, without a port and a scope.
struct IPAddress: Hashable, Sendable {
    /// 4 or 16 bytes; an IPv4 address that is written as IPv6 (`::ffff:1.2.3.4`) has 4.
    let bytes: [UInt8]

    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    /// - Returns: `nil` for a text that is not an address in numbers.
    init?(_ text: String) {
        let plain = String(text.prefix { $0 != "%" })
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, plain, &four) == 1 {
            bytes = withUnsafeBytes(of: four) { Array($0) }
        } else if inet_pton(AF_INET6, plain, &six) == 1 {
            let all = withUnsafeBytes(of: six) { Array($0) }
            bytes = all.starts(with: Self.mapped) ? Array(all.suffix(4)) : all
        } else {
            return nil
        }
    }

    var isLoopback: Bool {
        if bytes.count == 4 { return bytes.first == 127 }
        return bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    var isFour: Bool { bytes.count == 4 }

    /// The address for counting: all of IPv4, the network of a house of IPv6.
    var counted: String {
        isFour
            ? bytes.map { String($0) }.joined(separator: ".")
            : bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
    }
}
