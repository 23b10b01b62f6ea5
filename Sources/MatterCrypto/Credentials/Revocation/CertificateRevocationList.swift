import SwiftASN1

/// A list of revoked certificates as its signer publishes it (CRL, RFC 5280, 5): version 2, ECDSA with SHA-256.
///
/// Decoding checks the form. Whether the signer may speak for an issuer is for the caller to find out.
package struct CertificateRevocationList: Sendable {
    /// The longest DER form: some 75,000 entries.
    package static let maximumCount = 3_000_000
    /// The label of the PEM form.
    package static let pemLabel = "X509 CRL"

    /// One revoked certificate.
    package struct Entry: Sendable, Hashable {
        /// Without leading zeros.
        package let serialNumber: [UInt8]
        /// Seconds since 1970.
        package let date: Int64
        /// The issuer that this entry, or one before it, names; `nil` if none did, and the issuer is that of the list.
        package let issuer: AttestationName?
    }

    /// The scope of the list (RFC 5280, 5.2.5).
    package struct Scope: Sendable, Hashable {
        /// Where the list is published.
        package var urls: [String] = []
        package var isForDevicesOnly = false
        package var isForAuthoritiesOnly = false
        /// Whether entries may be of other issuers than the signer.
        var isIndirect = false
    }

    /// The bytes that the signature covers.
    package let tbs: [UInt8]
    /// The signer's name.
    package let issuer: AttestationName
    /// Seconds since 1970.
    package let thisUpdate: Int64
    package let nextUpdate: Int64?
    package let authorityKeyIdentifier: [UInt8]?
    /// The contents bytes of the INTEGER; it grows with every list.
    package let number: [UInt8]?
    /// `nil` if the list does not say.
    package let scope: Scope?
    package let entries: [Entry]
    /// r and s, 64 bytes.
    package let signature: [UInt8]

    /// Decodes the DER form.
    ///
    /// - Throws: `certificate.critical-extension` for a list of changes (delta) and for what is not understood.
    package init(der: [UInt8]) throws(CredentialsError) {
        guard der.count <= Self.maximumCount else {
            throw CredentialsError(
                .tooLarge, "a list of \(der.count) bytes, at most \(Self.maximumCount) allowed")
        }
        var outer = DERSlices(der[...], "the list")
        var list = DERSlices(try outer.next(DERSlices.sequence).contents, "the list")
        try outer.end()
        let contents = try list.next(DERSlices.sequence)
        // Algorithm and signature are a value of their own for the reader of small ones.
        var trailer = try Self.fields(try Self.wrapped(&list, 2), "the list")
        try trailer.algorithm(ObjectIdentifier.ecdsaWithSHA256, "the signature algorithm")
        let signature = try trailer.wholeOctetBits("the signature")
        try trailer.end()
        do { self.signature = try ECDSASignature.derToRaw(signature) } catch {
            throw CredentialsError(.malformed, error.reason)
        }
        tbs = Array(contents.whole)

        var rest = DERSlices(contents.contents, "the list's contents")
        var head = try Self.fields(try Self.wrapped(&rest, 4), "the list's head")
        guard try head.integer("the version") == [1] else { throw head.wrong("the version of the list is not 2") }
        try head.algorithm(ObjectIdentifier.ecdsaWithSHA256, "the signature algorithm")
        issuer = try AttestationName(try head.next("the issuer"), "the issuer")
        thisUpdate = try X509Time.decode(try head.next("the date"), "the date")
        nextUpdate =
            if let time = try rest.optional(DERSlices.utcTime, DERSlices.generalizedTime) {
                try Self.time(time)
            } else {
                nil
            }
        let revoked = try rest.optional(DERSlices.sequence)
        let extensions = try Self.extensions(try rest.optional(DERSlices.context(0))?.contents)
        try rest.end()

        (authorityKeyIdentifier, number, scope) = try Self.meaning(extensions)
        entries = try revoked.map { element throws(CredentialsError) in try Self.entries(element.contents) } ?? []
    }

    /// True if the owner of a key signed this list.
    package func isSigned(by key: P256PublicKey) -> Bool { key.isValidSignature(signature, for: tbs) }

    // MARK: Parts

    /// The next members of a list, as one encoding.
    private static func wrapped(_ slices: inout DERSlices, _ count: Int) throws(CredentialsError) -> [UInt8] {
        var coder = DER.Serializer()
        var members: [UInt8] = []
        for _ in 0..<count { members += try slices.any().whole }
        guard members.count <= 4096 else { throw CredentialsError(.tooLarge, "the head of the list is too long") }
        coder.sequence { $0.serializeRawBytes(members) }
        return coder.serializedBytes
    }

    private static func fields(_ encoding: [UInt8], _ name: String) throws(CredentialsError) -> DERFields {
        try DERFields(decoding: encoding, name, code: .malformed)
    }

    private static func time(_ element: DERSlices.Element) throws(CredentialsError) -> Int64 {
        guard
            let seconds = X509Time.seconds(
                element.contents, isGeneralized: element.identifier == DERSlices.generalizedTime)
        else { throw CredentialsError(.malformed, "a date of the list is not a time of X.509") }
        return seconds
    }

    private static func entries(_ contents: ArraySlice<UInt8>) throws(CredentialsError) -> [Entry] {
        var list = DERSlices(contents, "the list")
        var entries: [Entry] = []
        var issuer: AttestationName?
        while !list.isAtEnd {
            var entry = DERSlices(try list.next(DERSlices.sequence).contents, "an entry of the list")
            let serial = try entry.next(DERSlices.integer).contents
            guard DERFields.isInteger(Array(serial.prefix(2))), serial.count <= 21 else {
                throw CredentialsError(.malformed, "a serial number of the list is malformed")
            }
            guard let time = try entry.optional(DERSlices.utcTime, DERSlices.generalizedTime) else {
                throw CredentialsError(.malformed, "an entry of the list has no date")
            }
            let date = try Self.time(time)
            if !entry.isAtEnd {
                let whole = try entry.next(DERSlices.sequence).whole
                for one in try AttestationExtension.list(
                    DERFields(decoding: Array(whole), "an entry", code: .malformed))
                {
                    if one.objectIdentifier == ObjectIdentifier.certificateIssuer {
                        issuer = try Self.issuer(in: one.value)
                    } else if one.isCritical {
                        throw CredentialsError(.criticalExtension, "an entry of the list is not understood")
                    }
                }
            }
            try entry.end()
            entries.append(
                Entry(
                    serialNumber: serial.count > 1 && serial.first == 0 ? Array(serial.dropFirst()) : Array(serial),
                    date: date, issuer: issuer))
        }
        return entries
    }

    private static func extensions(
        _ contents: ArraySlice<UInt8>?
    ) throws(CredentialsError) -> [AttestationExtension] {
        guard let contents else { return [] }
        guard contents.count <= 4096 else { throw CredentialsError(.tooLarge, "the list's extensions are too long") }
        return try AttestationExtension.list(try fields(Array(contents), "the list's extensions"))
    }

    private static func meaning(
        _ extensions: [AttestationExtension]
    ) throws(CredentialsError) -> (key: [UInt8]?, number: [UInt8]?, scope: Scope?) {
        var (key, number, scope): ([UInt8]?, [UInt8]?, Scope?)
        for one in extensions {
            switch one.objectIdentifier {
            case ObjectIdentifier.authorityKeyIdentifier:
                key = try AttestationExtension.authorityKeyIdentifier(in: one.value)
            case ObjectIdentifier.crlNumber:
                number = try AttestationExtension.primitive(one.value, .integer, "the number of the list")
            case ObjectIdentifier.issuingDistributionPoint: scope = try Scope(decoding: one.value)
            case ObjectIdentifier.deltaCRLIndicator:
                throw CredentialsError(.criticalExtension, "it is a list of changes only (delta), which is not used")
            default:
                guard !one.isCritical else {
                    throw CredentialsError(.criticalExtension, "the list has an unknown critical extension")
                }
            }
        }
        return (key, number, scope)
    }

    /// The directory name among GeneralNames.
    private static func issuer(in value: [UInt8]) throws(CredentialsError) -> AttestationName {
        var names = try fields(value, "the issuer of an entry")
        while !names.isAtEnd {
            let name = try names.next("a name")
            guard name.identifier == .context(4) else { continue }
            var choice = try DERFields(name, as: .context(4), name: "the issuer of an entry", code: .malformed)
            let issuer = try AttestationName(try choice.next("a name"), "the issuer of an entry")
            try choice.end()
            return issuer
        }
        throw names.wrong("the issuer of an entry has no name of a directory")
    }
}

extension CertificateRevocationList.Scope {
    init(decoding value: [UInt8]) throws(CredentialsError) {
        var fields = try DERFields(decoding: value, "the scope of the list", code: .malformed)
        if let node = fields.optional(.context(0)) {
            var point = try DERFields(node, as: .context(0), name: "the distribution point", code: .malformed)
            // The other form of a name is relative to the issuer's, and no URL.
            if let names = point.optional(.context(0)) {
                var list = try DERFields(names, as: .context(0), name: "the distribution point", code: .malformed)
                while !list.isAtEnd {
                    let name = try list.next("a name")
                    if name.identifier == .context(6), let text = name.primitive {
                        urls.append(String(decoding: text, as: UTF8.self))
                    }
                }
            }
        }
        func flag(_ number: UInt) -> Bool { fields.optional(.context(number)).map { $0.primitive != [0] } ?? false }
        isForDevicesOnly = flag(1)
        isForAuthoritiesOnly = flag(2)
        guard fields.optional(.context(3)) == nil else {
            throw fields.wrong("the list is for some reasons of revocation only")
        }
        isIndirect = flag(4)
        guard !flag(5) else { throw fields.wrong("the list is not for certificates of keys") }
        try fields.end()
    }
}
