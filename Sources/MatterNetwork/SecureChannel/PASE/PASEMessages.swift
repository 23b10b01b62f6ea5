import MatterBase

/// The salt and iteration count of a passcode verifier.
package struct PBKDFParameters: Equatable, Sendable {
    package static let saltLength = 16...32
    package static let iterationRange = 1000...100_000

    package var iterations: Int
    package var salt: [UInt8]

    // memberwise: package

    func check() throws(SecureChannelError) {
        guard Self.iterationRange.contains(iterations) else {
            throw SecureChannelError(.malformed, "PBKDF2 iterations of \(iterations)")
        }
        guard Self.saltLength.contains(salt.count) else {
            throw SecureChannelError(.malformed, "a PBKDF2 salt of \(salt.count) bytes")
        }
    }
}

/// Matter core specification 4.14.1.2, message PBKDFParamRequest.
struct PBKDFParamRequest: Equatable, Sendable {
    var initiatorRandom: [UInt8]
    var initiatorSessionID: UInt16
    var passcodeID: UInt16 = 0
    var hasPBKDFParameters: Bool
    var parameters: SessionParameters?

    func encoded() -> [UInt8] {
        var members = [
            TLVElement(1, .octets(initiatorRandom)), TLVElement(2, .uint(UInt64(initiatorSessionID))),
            TLVElement(3, .uint(UInt64(passcodeID))), TLVElement(4, .bool(hasPBKDFParameters)),
        ]
        if let parameters { members.append(TLVElement(5, parameters.value)) }
        return TLVElement(.anonymous, .structure(members)).encoded()
    }
}

extension PBKDFParamRequest {
    init(decoding payload: [UInt8]) throws(TLVError) {
        let fields = try TLVFields(decoding: payload, "PBKDFParamRequest")
        initiatorRandom = try fields.octets(1, count: 32)
        initiatorSessionID = try fields.unsigned(2)
        passcodeID = try fields.unsigned(3)
        hasPBKDFParameters = try fields.bool(4)
        let given = try fields.optionalFields(5, "session parameters")
        parameters = given == nil ? nil : try SessionParameters(given)
    }
}

/// Matter core specification 4.14.1.2, message PBKDFParamResponse.
struct PBKDFParamResponse: Equatable, Sendable {
    var initiatorRandom: [UInt8]
    var responderRandom: [UInt8]
    var responderSessionID: UInt16
    var pbkdf: PBKDFParameters?
    var parameters: SessionParameters?

    func encoded() -> [UInt8] {
        var members = [
            TLVElement(1, .octets(initiatorRandom)), TLVElement(2, .octets(responderRandom)),
            TLVElement(3, .uint(UInt64(responderSessionID))),
        ]
        if let pbkdf {
            members.append(
                TLVElement(
                    4,
                    .structure([
                        TLVElement(1, .uint(UInt64(pbkdf.iterations))), TLVElement(2, .octets(pbkdf.salt)),
                    ])))
        }
        if let parameters { members.append(TLVElement(5, parameters.value)) }
        return TLVElement(.anonymous, .structure(members)).encoded()
    }
}

extension PBKDFParamResponse {
    init(decoding payload: [UInt8], base: ReliabilityParameters) throws(TLVError) {
        let fields = try TLVFields(decoding: payload, "PBKDFParamResponse")
        initiatorRandom = try fields.octets(1, count: 32)
        responderRandom = try fields.octets(2, count: 32)
        responderSessionID = try fields.unsigned(3)
        if let given = try fields.optionalFields(4, "PBKDF parameters") {
            pbkdf = PBKDFParameters(
                iterations: Int(try given.unsigned(1, as: UInt32.self)), salt: try given.octets(2))
        }
        let given = try fields.optionalFields(5, "session parameters")
        parameters = given == nil ? nil : try SessionParameters(given, base: base)
    }
}

/// The messages Pake1, Pake2 and Pake3: shares of 65 bytes, confirmations of 32.
enum PakeMessage {
    static let shareLength = 65
    static let confirmationLength = 32

    static func pake1(share: [UInt8]) -> [UInt8] { structure([share]) }
    static func pake2(share: [UInt8], confirmation: [UInt8]) -> [UInt8] { structure([share, confirmation]) }
    static func pake3(confirmation: [UInt8]) -> [UInt8] { structure([confirmation]) }

    static func decodePake1(_ payload: [UInt8]) throws(TLVError) -> [UInt8] {
        try TLVFields(decoding: payload, "Pake1").octets(1, count: shareLength)
    }

    static func decodePake2(_ payload: [UInt8]) throws(TLVError) -> (share: [UInt8], confirmation: [UInt8]) {
        let fields = try TLVFields(decoding: payload, "Pake2")
        return (try fields.octets(1, count: shareLength), try fields.octets(2, count: confirmationLength))
    }

    static func decodePake3(_ payload: [UInt8]) throws(TLVError) -> [UInt8] {
        try TLVFields(decoding: payload, "Pake3").octets(1, count: confirmationLength)
    }

    private static func structure(_ fields: [[UInt8]]) -> [UInt8] {
        let members = fields.enumerated().map { TLVElement(UInt8($0.offset + 1), .octets($0.element)) }
        return TLVElement(.anonymous, .structure(members)).encoded()
    }
}

/// The hash of both sides over the first two messages.
enum PASEContext {
    private static let prefix = Array("CHIP PAKE V1 Commissioning".utf8)

    static func input(request: [UInt8], response: [UInt8]) -> [UInt8] { prefix + request + response }
}
