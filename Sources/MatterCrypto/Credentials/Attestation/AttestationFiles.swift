import FoundationEssentials
import Glibc
import JSON

/// The attestation files of a device: a device maker's, those of a test case, or those of a device that was
/// judged earlier.
///
/// A folder holds files that are told apart by their names: the key has `key` in it and neither `pai`, `paa` nor `cd`; of
/// the others, one each has `dac`, `pai` and `cd` (or `declaration`). Certificates and key are PEM or DER, the
/// declaration is DER. `elements.tlv`, `signature.bin`, `nonce.bin`, `challenge.bin` and `claims.json` are the answer of a
/// device. A file is JSON with the members `dac_cert`, `pai_cert`, `cd` (or `certification_declaration`),
/// `dac_private_key` and `basic_info_pid` (of vendor 0xFFF1), as the reference implementation's test cases have them.
public struct AttestationFiles: Sendable {
    package var dac: [UInt8]?
    package var pai: [UInt8]?
    package var declaration: [UInt8]?
    package var key: P256PrivateKey?
    package var response: AttestationResponse?
    package var nonce: [UInt8]?
    package var attestationChallenge: [UInt8]?
    /// The facts of Basic Information.
    package var reported: VendorAndProduct?
    package var setupCode: VendorAndProduct?
    package var advertised: VendorAndProduct?

    private static let largest = 1 << 20
    private static let testVendor = VendorID(0xFFF1)

    package init() {}

    /// Contents are not judged here: cases with wrong ones are to be played.
    ///
    /// - Throws: `attestation.unreadable-files`.
    package init(reading path: String) throws(AttestationError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Self.unreadable(path) }
        if status.st_mode & S_IFMT == S_IFDIR { try readFolder(path) } else { try readCase(path) }
    }

    // MARK: Reading

    private static func unreadable(_ path: String) -> AttestationError {
        wrong("cannot read \(path): \(String(cString: strerror(errno)))")
    }

    private static func wrong(_ reason: String) -> AttestationError { AttestationError(.unreadableFiles, reason) }

    private static func json(_ path: String) throws(AttestationError) -> JSONValue {
        guard let json = try? JSONValue(parsing: try contents(path)) else { throw wrong("\(path) is not JSON") }
        return json
    }

    private mutating func readCase(_ path: String) throws(AttestationError) {
        let json = try Self.json(path)
        func octets(_ key: String) throws(AttestationError) -> [UInt8]? {
            guard let value = json[key] else { return nil }
            guard let text = value.stringValue, let octets = try? Hex.decode(text) else {
                throw Self.wrong("\(path) has no hexadecimal digits as '\(key)'")
            }
            return octets
        }
        dac = try octets("dac_cert").map { octets throws(AttestationError) in try Self.der(octets, path) }
        pai = try octets("pai_cert").map { octets throws(AttestationError) in try Self.der(octets, path) }
        declaration = try octets("cd")
        if declaration == nil { declaration = try octets("certification_declaration") }
        key = try octets("dac_private_key").map { octets throws(AttestationError) in try Self.key(octets, path) }
        if let product = Self.identifier(json["basic_info_pid"]) {
            reported = VendorAndProduct(vendorID: Self.testVendor, productID: product)
        }
    }

    private static func identifier(_ value: JSONValue?) -> UInt16? {
        switch value {
        case .int(let number): UInt16(exactly: number)
        case .uint(let number): UInt16(exactly: number)
        default: nil
        }
    }

    private mutating func readFolder(_ path: String) throws(AttestationError) {
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: path).sorted() } catch {
            throw Self.wrong("\(path) is not a folder that can be read")
        }
        func read(_ name: String) throws(AttestationError) -> [UInt8]? {
            names.contains(name) ? try Self.contents("\(path)/\(name)") : nil
        }
        func find(_ what: String, _ isIt: (String) -> Bool) throws(AttestationError) -> [UInt8]? {
            let found = names.filter { !$0.hasPrefix(".") && isIt($0.lowercased()) }
            guard found.count <= 1 else {
                throw Self.wrong("\(path) has \(found.count) files that could be the \(what), not one")
            }
            return try found.first.map { name throws(AttestationError) in try Self.contents("\(path)/\(name)") }
        }
        func isKey(_ name: String) -> Bool { name.contains("key") }
        func isAuthority(_ name: String) -> Bool { name.contains("pai") || name.contains("paa") }
        func isDeclaration(_ name: String) -> Bool { name.contains("cd") || name.contains("declaration") }
        dac = try find("device certificate") { $0.contains("dac") && !isKey($0) }
            .map { octets throws(AttestationError) in try Self.der(octets, path) }
        pai = try find("intermediate certificate") { $0.contains("pai") && !isKey($0) }
            .map { octets throws(AttestationError) in try Self.der(octets, path) }
        declaration = try find("certification declaration") { isDeclaration($0) && !isKey($0) }
        key = try find("key") { isKey($0) && !isAuthority($0) && !isDeclaration($0) }
            .map { octets throws(AttestationError) in try Self.key(octets, path) }
        if let elements = try read(Self.elementsFile), let signature = try read(Self.signatureFile) {
            response = AttestationResponse(elements: elements, signature: signature)
        }
        nonce = try read(Self.nonceFile)
        attestationChallenge = try read(Self.challengeFile)
        if names.contains(Self.claimsFile) { takeClaims(try Self.json("\(path)/\(Self.claimsFile)")) }
    }

    private mutating func takeClaims(_ json: JSONValue) {
        func product(_ key: String) -> VendorAndProduct? {
            guard let object = json[key] else { return nil }
            return VendorAndProduct(
                vendorID: Self.identifier(object["vendorId"]).map { VendorID($0) },
                productID: Self.identifier(object["productId"]))
        }
        reported = product("basicInformation")
        setupCode = product("setupCode")
        advertised = product("advertised")
    }

    private static func key(_ contents: [UInt8], _ path: String) throws(AttestationError) -> P256PrivateKey {
        do { return try PrivateKeyFile.decode(contents) } catch {
            throw wrong("the key in \(path) cannot be read: \(error)")
        }
    }

    private static func der(_ contents: [UInt8], _ path: String) throws(AttestationError) -> [UInt8] {
        guard contents.first != 0x30 else { return contents }
        guard let block = try? PEM.decode(String(decoding: contents, as: UTF8.self)).first else {
            throw wrong("a certificate in \(path) is neither DER nor PEM")
        }
        return block.contents
    }

    private static func contents(_ path: String) throws(AttestationError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw unreadable(path) }
            if count == 0 { return contents }
            contents += buffer[..<count]
            guard contents.count <= largest else { throw wrong("\(path) is larger than 1 MiB") }
        }
    }
}

// MARK: Evidence

extension AttestationFiles {
    static let elementsFile = "elements.tlv"
    static let signatureFile = "signature.bin"
    static let nonceFile = "nonce.bin"
    static let challengeFile = "challenge.bin"
    static let claimsFile = "claims.json"

    /// The files of a device that was asked, by name.
    public static func files(of evidence: AttestationEvidence) -> [(name: String, contents: [UInt8])] {
        func product(_ product: VendorAndProduct?) -> JSONValue? {
            guard let product, product != VendorAndProduct() else { return nil }
            var object: JSONObject = [:]
            object["vendorId"] = product.vendorID.map { .uint(UInt64($0.rawValue)) }
            object["productId"] = product.productID.map { .uint(UInt64($0)) }
            return .object(object)
        }
        var claims: JSONObject = [:]
        claims["basicInformation"] = product(evidence.reported)
        claims["setupCode"] = product(evidence.setupCode)
        claims["advertised"] = product(evidence.advertised)
        let declaration =
            evidence.declaration
            ?? (try? AttestationElements(decoding: evidence.response.elements))?
            .certificationDeclaration
        return [
            ("dac.der", evidence.dac), ("pai.der", evidence.pai), ("declaration.der", declaration ?? []),
            (elementsFile, evidence.response.elements), (signatureFile, evidence.response.signature),
            (nonceFile, evidence.nonce), (challengeFile, evidence.attestationChallenge),
            (claimsFile, JSONValue.object(claims).utf8()),
        ].filter { !$0.1.isEmpty }
    }

    /// The evidence to judge: the answer of a device; with the key alone an answer that it makes now; without either only
    /// certificates and, if there is one, the declaration.
    ///
    /// - Throws: `attestation.unreadable-files` if there is no certificate of a device.
    package func evidence(random: any RandomSource, path: String) throws -> AttestationEvidence {
        guard let dac else { throw Self.wrong("\(path) has no certificate of a device (DAC)") }
        var evidence = AttestationEvidence(
            dac: dac, pai: pai ?? [], response: AttestationResponse(elements: [], signature: []), nonce: [],
            attestationChallenge: [], vendorID: reported?.vendorID, productID: reported?.productID)
        evidence.setupCode = setupCode
        evidence.advertised = advertised
        if let response, let nonce, let attestationChallenge {
            evidence.response = response
            evidence.nonce = nonce
            evidence.attestationChallenge = attestationChallenge
            evidence.source = .recording
            return evidence
        }
        guard let declaration, let key else {
            evidence.declaration = declaration
            evidence.source = .certificates
            return evidence
        }
        evidence.nonce = try random.bytes(AttestationElements.nonceCount)
        evidence.attestationChallenge = try random.bytes(AttestationResponse.challengeCount)
        evidence.response = try DeviceAttestationCredentials(
            dac: dac, pai: evidence.pai, certificationDeclaration: declaration, key: key
        ).respond(nonce: evidence.nonce, attestationChallenge: evidence.attestationChallenge)
        return evidence
    }
}
