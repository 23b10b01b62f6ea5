import MatterBase

/// Matter core specification 4.14.2.3, message Sigma1.
struct Sigma1: Equatable, Sendable {
    var initiatorRandom: [UInt8]
    var initiatorSessionID: UInt16
    var destinationID: [UInt8]
    var ephemeralKey: [UInt8]
    var parameters: SessionParameters?
    var resumption: Resumption?

    /// The two fields that ask for resumption come together or not at all.
    struct Resumption: Equatable, Sendable {
        var id: [UInt8]
        var mic: [UInt8]
    }

    func encoded() -> [UInt8] {
        var members = [
            TLVElement(1, .octets(initiatorRandom)), TLVElement(2, .uint(UInt64(initiatorSessionID))),
            TLVElement(3, .octets(destinationID)), TLVElement(4, .octets(ephemeralKey)),
        ]
        if let parameters { members.append(TLVElement(5, parameters.value)) }
        if let resumption {
            members.append(TLVElement(6, .octets(resumption.id)))
            members.append(TLVElement(7, .octets(resumption.mic)))
        }
        return TLVElement(.anonymous, .structure(members)).encoded()
    }
}

extension Sigma1 {
    init(decoding payload: [UInt8]) throws(TLVError) {
        let fields = try TLVFields(decoding: payload, "Sigma1")
        initiatorRandom = try fields.octets(1, count: 32)
        initiatorSessionID = try fields.unsigned(2)
        destinationID = try fields.octets(3, count: 32)
        ephemeralKey = try fields.octets(4, count: 65)
        let given = try fields.optionalFields(5, "session parameters")
        parameters = given == nil ? nil : try SessionParameters(given)
        let id = try fields.optionalOctets(6, count: 16...16)
        let mic = try fields.optionalOctets(7, count: 16...16)
        switch (id, mic) {
        case (.some(let id), .some(let mic)): resumption = Resumption(id: id, mic: mic)
        case (nil, nil): resumption = nil
        default: throw TLVError(.missingField, "Sigma1 has one of the two resumption fields")
        }
    }
}

/// Matter core specification 4.14.2.3, message Sigma2.
struct Sigma2: Equatable, Sendable {
    var responderRandom: [UInt8]
    var responderSessionID: UInt16
    var ephemeralKey: [UInt8]
    var encrypted: [UInt8]
    var parameters: SessionParameters?

    func encoded() -> [UInt8] {
        var members = [
            TLVElement(1, .octets(responderRandom)), TLVElement(2, .uint(UInt64(responderSessionID))),
            TLVElement(3, .octets(ephemeralKey)), TLVElement(4, .octets(encrypted)),
        ]
        if let parameters { members.append(TLVElement(5, parameters.value)) }
        return TLVElement(.anonymous, .structure(members)).encoded()
    }
}

extension Sigma2 {
    init(decoding payload: [UInt8], base: ReliabilityParameters) throws(TLVError) {
        let fields = try TLVFields(decoding: payload, "Sigma2")
        responderRandom = try fields.octets(1, count: 32)
        responderSessionID = try fields.unsigned(2)
        ephemeralKey = try fields.octets(3, count: 65)
        encrypted = try fields.octets(4)
        let given = try fields.optionalFields(5, "session parameters")
        parameters = given == nil ? nil : try SessionParameters(given, base: base)
    }
}

/// Matter core specification 4.14.2.3, message Sigma2Resume.
struct Sigma2Resume: Equatable, Sendable {
    var resumptionID: [UInt8]
    var mic: [UInt8]
    var responderSessionID: UInt16
    var parameters: SessionParameters?

    func encoded() -> [UInt8] {
        var members = [
            TLVElement(1, .octets(resumptionID)), TLVElement(2, .octets(mic)),
            TLVElement(3, .uint(UInt64(responderSessionID))),
        ]
        if let parameters { members.append(TLVElement(4, parameters.value)) }
        return TLVElement(.anonymous, .structure(members)).encoded()
    }
}

extension Sigma2Resume {
    init(decoding payload: [UInt8], base: ReliabilityParameters) throws(TLVError) {
        let fields = try TLVFields(decoding: payload, "Sigma2Resume")
        resumptionID = try fields.octets(1, count: 16)
        mic = try fields.octets(2, count: 16)
        responderSessionID = try fields.unsigned(3)
        let given = try fields.optionalFields(4, "session parameters")
        parameters = given == nil ? nil : try SessionParameters(given, base: base)
    }
}

/// Sigma3 has one field, the encrypted proof of the initiator.
enum Sigma3 {
    static func encoded(_ encrypted: [UInt8]) -> [UInt8] {
        TLVElement(.anonymous, .structure([TLVElement(1, .octets(encrypted))])).encoded()
    }

    static func decode(_ payload: [UInt8]) throws(TLVError) -> [UInt8] {
        try TLVFields(decoding: payload, "Sigma3").octets(1)
    }
}

/// The encrypted proof of a side: its chain, its signature and, from the responder, a resumption id.
struct SigmaProof: Equatable, Sendable {
    static let certificateLength = 1...400

    var noc: [UInt8]
    var icac: [UInt8]?
    var signature: [UInt8]
    var resumptionID: [UInt8]?

    func encoded() -> [UInt8] {
        var members = [TLVElement(1, .octets(noc))]
        if let icac { members.append(TLVElement(2, .octets(icac))) }
        members.append(TLVElement(3, .octets(signature)))
        if let resumptionID { members.append(TLVElement(4, .octets(resumptionID))) }
        return TLVElement(.anonymous, .structure(members)).encoded()
    }

    /// The signed bytes (sigma-2-tbsdata, sigma-3-tbsdata).
    static func signed(noc: [UInt8], icac: [UInt8]?, senderKey: [UInt8], receiverKey: [UInt8]) -> [UInt8] {
        var members = [TLVElement(1, .octets(noc))]
        if let icac { members.append(TLVElement(2, .octets(icac))) }
        members.append(TLVElement(3, .octets(senderKey)))
        members.append(TLVElement(4, .octets(receiverKey)))
        return TLVElement(.anonymous, .structure(members)).encoded()
    }
}

extension SigmaProof {
    /// - Parameter fromResponder: whether a resumption id has to be there.
    init(decoding plaintext: [UInt8], fromResponder: Bool) throws(TLVError) {
        let fields = try TLVFields(decoding: plaintext, "the encrypted proof")
        noc = try fields.octets(1, count: Self.certificateLength)
        icac = try fields.optionalOctets(2, count: Self.certificateLength)
        signature = try fields.octets(3, count: 64)
        resumptionID = fromResponder ? try fields.octets(4, count: 16) : nil
    }
}
