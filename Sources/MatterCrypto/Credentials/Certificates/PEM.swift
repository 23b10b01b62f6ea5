import FoundationEssentials

/// The text form of certificates, requests and keys (RFC 7468).
///
/// Reading is lenient about lines, because cloud services send the base64 text in one line, or with line ends spelled
/// as the two characters `\n`; it is strict about everything else.
package enum PEM {
    package static let certificate = "CERTIFICATE"
    static let certificateRequest = "CERTIFICATE REQUEST"

    /// One block of a PEM text.
    package struct Block: Hashable, Sendable {
        /// The label between BEGIN and the dashes.
        package let label: String
        package let contents: [UInt8]

        // memberwise: package
    }

    // Every pattern that is searched for begins with a dash.
    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)
    private static let lineCount = 64

    /// All blocks of a text; text between them is ignored.
    /// - Throws: ``CredentialsError`` for a block that does not end or is not base64.
    package static func decode(_ text: String) throws(CredentialsError) -> [Block] {
        var blocks: [Block] = []
        var rest = Array(text.utf8)[...]
        while let opening = find(begin, in: rest) {
            rest = rest[opening.upperBound...]
            guard let closing = find(dashes, in: rest) else { throw malformed("its first line does not end") }
            let label = Array(rest[..<closing.lowerBound])
            rest = rest[closing.upperBound...]
            guard let last = find(end + label + dashes, in: rest) else { throw malformed("it has no last line") }
            let base64 = withoutLineEnds(rest[..<last.lowerBound])
            guard !base64.isEmpty, let contents = Data(base64Encoded: Data(base64)) else {
                throw malformed("it is not base64")
            }
            blocks.append(Block(label: String(decoding: label, as: UTF8.self), contents: Array(contents)))
            rest = rest[last.upperBound...]
        }
        return blocks
    }

    /// Drops white space, and line ends that are spelled as a backslash and a letter.
    private static func withoutLineEnds(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let backslash = UInt8(ascii: "\\")
        var kept: [UInt8] = []
        var isEscape = false
        for character in text {
            switch character {
            case backslash where !isEscape: isEscape = true
            case UInt8(ascii: "n") where isEscape, UInt8(ascii: "r") where isEscape: isEscape = false
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
            default:
                // A backslash that no line end follows stays, and is no base64.
                if isEscape { kept.append(backslash) }
                isEscape = false
                kept.append(character)
            }
        }
        return isEscape ? kept + [backslash] : kept
    }

    private static func find(_ pattern: [UInt8], in text: ArraySlice<UInt8>) -> Range<Int>? {
        var rest = text
        while let start = rest.firstIndex(of: UInt8(ascii: "-")), text.endIndex - start >= pattern.count {
            if text[start...].starts(with: pattern) { return start..<start + pattern.count }
            rest = text[(start + 1)...]
        }
        return nil
    }

    /// A text with one block.
    package static func encode(_ contents: [UInt8], label: String) -> String {
        func line(_ start: [UInt8]) -> String { String(decoding: start + Array(label.utf8) + dashes, as: UTF8.self) }
        var lines = [line(begin)]
        var rest = Data(contents).base64EncodedString()[...]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(lineCount)))
            rest = rest.dropFirst(lineCount)
        }
        return (lines + [line(end), ""]).joined(separator: "\n")
    }

    private static func malformed(_ fault: String) -> CredentialsError {
        CredentialsError(.malformed, "the PEM text is malformed: \(fault)")
    }
}

extension MatterCertificate {
    /// Decodes a certificate in whichever form a file or a service has it: PEM, DER or Matter TLV.
    ///
    /// - Throws: ``CredentialsError``.
    public init(anyForm bytes: [UInt8]) throws(CredentialsError) {
        switch bytes.first {
        case 0x15: try self.init(tlv: bytes)
        case 0x30: try self.init(der: bytes)
        default: try self.init(pem: String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Decodes a PEM text that holds exactly one certificate.
    package init(pem: String) throws(CredentialsError) {
        let blocks = try PEM.decode(pem).filter { $0.label == PEM.certificate }
        guard let block = blocks.first, blocks.count == 1 else {
            throw CredentialsError(.malformed, "the text holds \(blocks.count) PEM certificates instead of one")
        }
        try self.init(der: block.contents)
    }

    /// The certificate as PEM text.
    package func pem() throws(CredentialsError) -> String { PEM.encode(try der(), label: PEM.certificate) }
}

extension CertificateSigningRequest {
    /// Decodes a PEM text that holds exactly one request.
    package init(pem: String) throws(CredentialsError) {
        let blocks = try PEM.decode(pem).filter { $0.label == PEM.certificateRequest }
        guard let block = blocks.first, blocks.count == 1 else {
            throw CredentialsError(.malformedRequest, "the text holds \(blocks.count) PEM requests instead of one")
        }
        try self.init(der: block.contents)
    }

    /// The request as PEM text.
    package var pem: String { PEM.encode(der, label: PEM.certificateRequest) }
}
