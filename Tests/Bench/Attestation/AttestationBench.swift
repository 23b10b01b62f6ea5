import Glibc
import MatterCrypto
import MatterLedger
import MatterState

/// Measures the CPU time of a verdict on a device's attestation, and of loading what it rests on
/// (Tests/Bench/attestation.sh).
@main
enum AttestationBench {
    /// Each figure is that of the best batch, so that others on the machine do not matter.
    private static let batches = 20
    private static let runs = 25
    private static let now: UInt32 = 848_138_400
    private static let unixNow: Int64 = 1_795_305_600
    private static let authorities = 75

    /// Milliseconds that each may take.
    private static let longestVerdict = 2.0
    private static let longestLoading = 1.0

    static func main() throws {
        guard CommandLine.arguments.count == 2 else { end("usage: attestation-bench FOLDER", 64) }
        let records = TrustRecords(StateDirectory(path: CommandLine.arguments[1]))
        let device = try DevelopmentAttestation.make(
            vendorID: VendorID(0xFFF1), productID: 0x8001, deviceTypeID: 0x0100, now: now)
        // The device's authority is the last of as many as the ledger has.
        var set = TrustSet(net: .main, origin: "bench", date: unixNow)
        for number in 1...authorities {
            let root =
                number == authorities
                ? device.paa
                : try .root(commonName: "Root \(number)", key: .generate(), validity: .unlimited(from: now))
            set.authorities.append(
                TrustSet.Certificate(
                    keyIdentifier: root.certificate.subjectKeyIdentifier ?? [], der: root.certificate.der,
                    firstSeen: unixNow))
        }
        try records.save(set)
        let evidence = try evidence(device.credentials)
        let paaKey = device.paa.certificate.subjectKeyIdentifier ?? []
        guard let key = ProductionAuthorities.all.last?.keyIdentifier else { end("there is no table", 1) }
        let builtIn = try best { TrustStore().authorities(keyIdentifier: key).isEmpty == false }
        let stored = try best { !(try store(records).authorities(keyIdentifier: paaKey).isEmpty) }
        var trust = try store(records)
        // A key of its own has signed its declaration.
        let declaration = try CertificationDeclaration(cms: device.credentials.certificationDeclaration)
        trust.add(
            DeclarationSigner(
                keyIdentifier: declaration.signerKeyIdentifier, publicKey: device.declarationKey.publicKey,
                subject: device.paa.certificate.subject, origin: .development))
        let report = AttestationVerifier(trust: trust).verify(evidence, at: .now(now))
        guard report.verdict == .test else {
            end("the device is not accepted: \(report.result.map { "\($0)" } ?? "")", 1)
        }
        let verdict = try best { AttestationVerifier(trust: trust).verify(evidence, at: .now(now)) == report }
        try check("verdict", verdict, longestVerdict)
        try check("built-in authorities, loaded and one looked up", builtIn, longestLoading)
        try check("\(authorities) stored authorities, loaded and one looked up", stored, longestLoading)
    }

    private static func store(_ records: TrustRecords) throws -> TrustStore {
        let stored = try records.stored(.main) { _ in }
        let own = try records.ownTrust()
        return TrustStore(
            allowTestDevices: true, files: own.files, ledgers: stored.map { [$0] } ?? [],
            distrusted: Set(own.distrusted))
    }

    private static func evidence(_ credentials: DeviceAttestationCredentials) throws -> AttestationEvidence {
        let (nonce, challenge) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 16))
        return AttestationEvidence(
            dac: credentials.dac, pai: credentials.pai,
            response: try credentials.respond(nonce: nonce, attestationChallenge: challenge), nonce: nonce,
            attestationChallenge: challenge, vendorID: VendorID(0xFFF1), productID: 0x8001)
    }

    /// Milliseconds of CPU for one run.
    private static func best(_ body: () throws -> Bool) throws -> Double {
        var best = Double.infinity
        for _ in 0..<batches {
            let start = clock()
            for _ in 0..<runs { guard try body() else { end("a run came to another result", 1) } }
            best = min(best, Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1000 / Double(runs))
        }
        return best
    }

    private static func check(_ what: String, _ milliseconds: Double, _ limit: Double) throws {
        let figure = Double(Int(milliseconds * 1000)) / 1000
        print("attestation: \(what): \(figure) ms of CPU (at most \(limit))")
        guard milliseconds <= limit else { end("too slow", 1) }
    }

    private static func end(_ message: String, _ status: Int32) -> Never {
        let line = Array((message + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(status)
    }
}
