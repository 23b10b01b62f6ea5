package import MatterCrypto

/// Text that must not leak: tokens and passwords. It prints as its length only and is wiped when freed.
package struct SecretText: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    private let octets: SecretBytes

    package init(_ text: String) { octets = SecretBytes(Array(text.utf8)) }

    package init(_ octets: SecretBytes) { self.octets = octets }

    /// The text itself, for the one header or body that needs it.
    package var revealed: String { String(decoding: octets.copyBytes(), as: UTF8.self) }
    package var count: Int { octets.count }
    package var isEmpty: Bool { octets.isEmpty }
    package var description: String { "<\(count) secret bytes>" }
    package var debugDescription: String { description }
}
