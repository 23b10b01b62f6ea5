import MatterCrypto

/// Lets an external program issue: it gets the request with its context as JSON on stdin, and gives the chain as PEM on
/// stdout, the node's certificate first.
///
/// The node id is the one in the certificate. What is checked here is what the program printed; that it fits device and
/// fabric is checked for every issuer alike.
struct ExecIssuer: NOCIssuer {
    /// How long the program may take.
    static let timeout = Duration.seconds(60)

    private let command: String
    private let credentials: OperationalCredentials
    private let adminVendorID: VendorID
    private let withheld: [String]
    private let unixTime: @Sendable () -> Int64

    /// - Parameters:
    ///   - command: for `/bin/sh -c`.
    ///   - credentials: our own membership of the fabric for which the program issues.
    ///   - services: the names of services whose variables the program does not get: they may be passwords.
    init(
        command: String, credentials: OperationalCredentials, adminVendorID: VendorID, services: [String] = [],
        unixTime: @escaping @Sendable () -> Int64
    ) {
        withheld = services.map { "\($0.uppercased())_" }
        self.command = command
        self.credentials = credentials
        self.adminVendorID = adminVendorID
        self.unixTime = unixTime
    }

    func prepare() async throws -> FabricParameters? {
        try FabricParameters(
            rootCertificate: credentials.root, ipk: credentials.ipkEpochKey, caseAdminSubject: credentials.nodeID,
            adminVendorID: adminVendorID)
    }

    func issue(_ csr: CertificateSigningRequest, context: NOCIssueContext) async throws -> IssuedNOC {
        let question = try Self.question(csr, context, fabric: credentials).utf8(.indented)
        let answer = try await ChildProcess.run(command, input: question, timeout: Self.timeout, withheld: withheld)
        return try Self.issued(String(decoding: answer, as: UTF8.self), csr, credentials, time: validationTime)
    }

    private var validationTime: ValidationTime {
        ValidationTime(unix: unixTime())
    }

    /// The input of the program.
    static func question(
        _ csr: CertificateSigningRequest, _ context: NOCIssueContext, fabric: OperationalCredentials
    ) throws -> JSONValue {
        var object: JSONObject = [
            "version": 1, "csr": .string(csr.pem), "fabricId": .string(fabric.fabric.fabricID.description),
            "root": .string(try fabric.root.pem()),
        ]
        object["nodeId"] = context.requestedNodeID.map { .string($0.description) }
        if let device = context.attestation {
            object["vendorId"] = .uint(UInt64(device.vendorID.rawValue))
            object["productId"] = .uint(UInt64(device.productID))
            object["dac"] = .string(PEM.encode(device.dac, label: PEM.certificate))
            object["pai"] = .string(PEM.encode(device.pai, label: PEM.certificate))
        }
        if let signed = context.csrAttestation {
            object["nocsrElements"] = .string(Hex.encode(signed.elements.encoded))
            object["attestationSignature"] = .string(Hex.encode(signed.attestationSignature))
            object["attestationChallenge"] = .string(Hex.encode(signed.attestationChallenge))
        }
        return .object(object)
    }

    /// Reads the chain that the program printed; the root may be among it.
    static func issued(
        _ text: String, _ csr: CertificateSigningRequest, _ fabric: OperationalCredentials, time: ValidationTime
    ) throws -> IssuedNOC {
        var noc: MatterCertificate?
        var icac: MatterCertificate?
        do {
            for block in try PEM.decode(text) where block.label == PEM.certificate {
                let certificate = try MatterCertificate(der: block.contents)
                switch try certificate.kind {
                case .node where noc == nil: noc = certificate
                case .intermediate where icac == nil: icac = certificate
                case .root where certificate == fabric.root: break
                default: throw failure("it printed a certificate that is not part of the chain")
                }
            }
            guard let noc, let nodeID = noc.nodeID else { throw failure("it printed no node certificate") }
            let issued = IssuedNOC(
                noc: noc, icac: icac, nodeID: nodeID, receipt: NOCReceipt(rawValue: Hex.encode(noc.serialNumber)))
            _ = try issued.validate(csr: csr, root: fabric.root, fabricID: fabric.fabric.fabricID, at: time)
            return issued
        } catch let error as CredentialsError {
            throw failure("its certificate is not valid: \(error)")
        }
    }

    static func failure(_ fault: String) -> ControllerError {
        ControllerError(
            .issuerProgram, "the program that issues certificates failed: \(fault)",
            hint: "it must print the chain as PEM, the node's certificate first; its stdin is JSON")
    }
}
