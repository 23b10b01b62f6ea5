package import MatterBase

/// Why an object of device attestation other than a certificate was refused. Certificates throw ``CredentialsError``.
package struct AttestationError: CodedError, Equatable {
    /// The kind of fault. The raw value is stable and meant for programs.
    package enum Code: String, ErrorCode, CaseIterable {
        /// Attestation elements that do not follow their schema.
        case malformedElements = "attestation.malformed-elements"
        /// A certification declaration that is not the one CMS form which is allowed.
        case malformedDeclaration = "attestation.malformed-declaration"
        /// A certification declaration whose content does not follow its schema.
        case malformedDeclarationContent = "attestation.malformed-declaration-content"
        /// A revocation set that is not one.
        case malformedRevocationSet = "attestation.malformed-revocation-set"
        /// A folder of trusted certificates that cannot be read.
        case unreadableTrust = "attestation.unreadable-trust"
        /// Files of a device's attestation that cannot be read, or lack a part.
        case unreadableFiles = "attestation.unreadable-files"

        package var kind: FailureKind { .invalidInput }
    }

    package var code: Code
    /// A sentence for a person.
    package var reason: String
    /// The byte offset of the fault in the encoding, where it is known.
    package var offset: Int?

    package init(_ code: Code, _ reason: String, offset: Int? = nil) {
        self.code = code
        self.reason = reason
        self.offset = offset
    }

    package var description: String { offset.map { "\(reason) (at byte \($0))" } ?? reason }

    /// Runs a decoder that speaks of certificates; its refusal becomes one of `code`.
    static func rethrowing<Result>(
        _ code: Code, _ decode: () throws(CredentialsError) -> Result
    ) throws(AttestationError) -> Result {
        do { return try decode() } catch { throw AttestationError(code, error.reason, offset: error.offset) }
    }
}
