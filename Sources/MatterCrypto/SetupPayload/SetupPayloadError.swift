public import MatterBase

/// Why a setup code was refused or cannot be made, in words that help to correct it.
///
/// It never contains the passcode.
public struct SetupPayloadError: CodedError, Equatable {
    /// The kind of fault.
    public enum Code: String, ErrorCode {
        /// Neither a QR payload nor a manual pairing code.
        case unrecognized = "payload.unrecognized"
        /// A character that the code cannot contain.
        case character = "payload.character"
        /// Too few or too many characters, digits or bytes.
        case length = "payload.length"
        /// A group of characters or digits without a value.
        case group = "payload.group"
        /// The last digit does not fit the others.
        case checkDigit = "payload.check-digit"
        /// A version that is not 0.
        case version = "payload.version"
        /// Padding that is not 0.
        case padding = "payload.padding"
        /// A reserved commissioning flow.
        case commissioningFlow = "payload.commissioning-flow"
        /// Discovery capabilities that are reserved or absent.
        case discoveryCapabilities = "payload.discovery-capabilities"
        /// A discriminator out of range, or only four bits of it where all twelve are needed.
        case discriminator = "payload.discriminator"
        /// A passcode out of range or on the list of trivial ones.
        case passcode = "payload.passcode"
        /// A vendor id that the specification reserves.
        case vendorID = "payload.vendor-id"
        /// A vendor id without a product id.
        case productID = "payload.product-id"
        /// TLV data at the end of a QR payload that is malformed or breaks a rule.
        case extensionData = "payload.extension-data"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind { .invalidInput }
    }

    /// The code to match on; its raw value is stable.
    public var code: Code
    /// A sentence for a person.
    public var reason: String
    /// The next step, if it is known.
    public var hint: Hint?
    /// The character (from 1) of the text as it was given at which the fault begins.
    package var position: Int?

    package init(_ code: Code, _ reason: String, hint: Hint? = nil, position: Int? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
        self.position = position
    }
}

extension Unicode.Scalar {
    /// The character in quotation marks, or its number where it might not print.
    var quoted: String {
        if 0x21...0x7E ~= value { return "'\(self)'" }
        if self == " " { return "a blank" }
        return "U+" + Hex.number(value, digits: 4, uppercase: true)
    }

    /// The value of an ASCII digit.
    var digit: UInt8? {
        0x30...0x39 ~= value ? UInt8(value - 0x30) : nil
    }
}
