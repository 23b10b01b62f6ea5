import Foundation
import TestSupport
import Testing

@testable import MatterCrypto

/// A device that lies: damaged chains, declarations and answers are judged to the end, and none of them is trusted unless
/// all that was signed, with its keys and names, is as it was.
@Suite("damaged attestation")
struct MutatedAttestationTests {
    /// The whole of it is 100,000 (docs/reliability.md).
    static let count = ProcessInfo.processInfo.environment["MATTERCTL_MUTATIONS"].flatMap { Int($0) } ?? 2_100

    /// The differences that leave a device trusted.
    enum Exception: String, CaseIterable {
        /// Bytes behind the declaration: its signature does not cover them, and devices on the market have them.
        case strayByte
        /// Of the two numbers s and n − s, either makes a signature with the same r.
        case otherRoot
        /// The device's statement about itself under its own signature and no commissioner compares: the timestamp, the firmware,
        /// vendors' members.
        case ownMembers
    }

    /// The device as it is, and what a liar can do: it has the key of the device, and no other.
    struct Scene {
        let trust: TrustStore
        let evidence: AttestationEvidence
        let declaration: CertificationDeclaration
        let dac: AttestationCertificate
        let pai: AttestationCertificate
        let root: [UInt8]
        let signer: DeclarationSigner
        let key: P256PrivateKey

        init() throws {
            let device = try TestDevice()
            trust = try device.trust()
            evidence = try device.evidence()
            declaration = try CertificationDeclaration(
                cms: AttestationElements(decoding: evidence.response.elements).certificationDeclaration)
            dac = try AttestationCertificate(der: evidence.dac)
            pai = try AttestationCertificate(der: evidence.pai)
            root = try device.paa.signed(with: device.paaKey)
            signer = try #require(trust.declarationSigners.last)
            key = device.dacKey
        }

        func judge(_ evidence: AttestationEvidence, trust: TrustStore? = nil) -> AttestationReport {
            AttestationVerifier(trust: trust ?? self.trust).verify(evidence, at: .now(TestDevice.now))
        }

        /// An answer with other elements, if they are others, signed by the device.
        func answer(_ elements: [UInt8]) throws -> AttestationEvidence {
            guard elements != evidence.response.elements else { return evidence }
            var changed = evidence
            changed.response = AttestationResponse(
                elements: elements, signature: try key.sign(elements + evidence.attestationChallenge))
            return changed
        }

        /// An answer with another declaration, signed by the device.
        func answer(declaration: [UInt8]) throws -> AttestationEvidence? {
            guard
                let elements = try? AttestationElements(
                    certificationDeclaration: declaration, nonce: evidence.nonce)
            else { return nil }
            return try answer(elements.encoded)
        }

        /// How an answer that is trusted differs from that of the device.
        func exceptions(_ other: AttestationEvidence) throws -> Set<Exception> {
            var found: Set<Exception> = []
            let (dac, pai) = (try AttestationCertificate(der: other.dac), try AttestationCertificate(der: other.pai))
            try #require(dac.tbs == self.dac.tbs && pai.tbs == self.pai.tbs)
            let elements = try AttestationElements(decoding: other.response.elements)
            let declaration = try CertificationDeclaration(cms: elements.certificationDeclaration)
            try #require(elements.nonce == evidence.nonce)
            try #require(declaration.content == self.declaration.content)
            try #require(declaration.signerKeyIdentifier == self.declaration.signerKeyIdentifier)
            for (one, its) in [
                (dac.signature, self.dac.signature), (pai.signature, self.pai.signature),
                (declaration.signature, self.declaration.signature),
            ] where one != its {
                try #require(one == Self.otherRoot(its))
                found.insert(.otherRoot)
            }
            if declaration.trailingCount > 0 { found.insert(.strayByte) }
            if other.response.elements == evidence.response.elements {
                if other.response.signature != evidence.response.signature {
                    try #require(other.response.signature == Self.otherRoot(evidence.response.signature))
                    found.insert(.otherRoot)
                }
            } else if elements.certificationDeclaration == self.declaration.cms {
                found.insert(.ownMembers)
            }
            return found
        }

        // MARK: The other root

        private static let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")

        /// The signature with n − s in place of s.
        static func otherRoot(_ signature: [UInt8]) -> [UInt8] {
            var difference = [UInt8](repeating: 0, count: 32)
            var borrow = 0
            for index in (0..<32).reversed() {
                let digit = Int(order[index]) - Int(signature[32 + index]) - borrow
                difference[index] = UInt8(truncatingIfNeeded: digit)
                borrow = digit < 0 ? 1 : 0
            }
            return Array(signature.prefix(32)) + difference
        }

        /// DER with the other root of a signature in it.
        static func otherRoot(_ signature: [UInt8], in der: [UInt8]) throws -> [UInt8] {
            let (old, new) = (
                try ECDSASignature.rawToDER(signature), try ECDSASignature.rawToDER(otherRoot(signature))
            )
            func length(_ count: Int) -> [UInt8] {
                count < 128
                    ? [UInt8(count)]
                    : count < 256 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 255)]
            }
            func rebuilt(_ elements: [UInt8]) -> [UInt8] {
                var (rest, result) = (elements[...], [UInt8]())
                while let tag = rest.popFirst(), var count = rest.popFirst().map({ Int($0) }) {
                    if count > 128 {
                        let digits = rest.prefix(count - 128)
                        rest = rest.dropFirst(count - 128)
                        count = digits.reduce(0) { $0 << 8 | Int($1) }
                    }
                    var contents = Array(rest.prefix(count))
                    rest = rest.dropFirst(count)
                    if tag & 0x20 != 0 {
                        contents = rebuilt(contents)
                    } else if contents == old || contents == [0] + old {
                        contents = contents.prefix(contents.count - old.count) + new
                    }
                    result += [tag] + length(contents.count) + contents
                }
                return result
            }
            return rebuilt(der)
        }
    }

    @Test("damage is always judged, and trusted only where everything that counts is unchanged")
    func damage() throws {
        let scene = try Scene()
        let evidence = scene.evidence
        func mutator(_ seed: UInt64, _ bytes: [UInt8]...) -> Mutator { Mutator(seed: seed, corpus: bytes) }
        // Splices need something to be spliced with.
        var certificates = [
            mutator(31, evidence.dac, evidence.pai), mutator(32, evidence.pai, evidence.dac, scene.root),
        ]
        var answers = [mutator(33, evidence.response.elements), mutator(34, evidence.response.signature)]
        var declarations = mutator(35, scene.declaration.cms)
        var elements = mutator(36, evidence.response.elements)
        var roots = mutator(37, scene.root)
        var (judged, trusted, results) = (0, 0, Set<AttestationResult>())
        var seen: Set<Exception> = []
        for index in 0..<Self.count {
            var changed = evidence
            var trust = scene.trust
            switch index % 7 {
            case 0: changed.dac = certificates[0].next()
            case 1: changed.pai = certificates[1].next()
            case 2: changed.response.elements = answers[0].next()
            case 3: changed.response.signature = answers[1].next()
            case 4: changed = try scene.answer(declaration: declarations.next()) ?? evidence
            case 5: changed = try scene.answer(elements.next())
            default:
                trust = TrustStore(builtIn: false, files: [TrustFile(path: "root", contents: roots.next())])
                trust.add(scene.signer)
            }
            let report = scene.judge(changed, trust: trust)
            judged += 1
            let result = try #require(report.result)
            results.insert(result)
            #expect(report.checks.count == AttestationStep.allCases.count)
            guard report.verdict != .untrusted else {
                #expect(result != .success && report.failedCheck != nil)
                continue
            }
            trusted += 1
            #expect(report.verdict == .trusted && report.authority?.subject == scene.pai.issuer)
            seen.formUnion(try scene.exceptions(changed))
        }
        #expect(judged == Self.count && trusted < judged / 4)
        #expect(results.count > 8, "\(results)")
        #expect(seen.isSubset(of: Exception.allCases), "\(seen)")
        print(
            "\(judged) damaged attestations: \(trusted) trusted (\(seen.map(\.rawValue).sorted())), \(results.count) results"
        )
    }

    @Test("the differences that leave a device trusted do so, each where it may be")
    func exceptions() throws {
        let scene = try Scene()
        let evidence = scene.evidence
        var changes: [(Exception, AttestationEvidence)] = []
        for count in [1, 2, 40] {
            let stray = scene.declaration.cms + [UInt8](repeating: 0, count: count)
            changes.append((.strayByte, try #require(try scene.answer(declaration: stray))))
        }
        var changed = evidence
        changed.response.signature = Scene.otherRoot(evidence.response.signature)
        changes.append((.otherRoot, changed))
        changed = evidence
        changed.dac = try Scene.otherRoot(scene.dac.signature, in: evidence.dac)
        changes.append((.otherRoot, changed))
        changed = evidence
        changed.pai = try Scene.otherRoot(scene.pai.signature, in: evidence.pai)
        changes.append((.otherRoot, changed))
        let declaration = try Scene.otherRoot(scene.declaration.signature, in: scene.declaration.cms)
        changes.append((.otherRoot, try #require(try scene.answer(declaration: declaration))))
        let members = try AttestationElements(
            certificationDeclaration: scene.declaration.cms, nonce: evidence.nonce, timestamp: 9,
            firmwareInformation: [1, 2])
        changes.append((.ownMembers, try scene.answer(members.encoded)))
        for (exception, changed) in changes {
            #expect(changed != evidence)
            let report = scene.judge(changed)
            #expect(report.verdict == .trusted, "\(exception): \(report.failure ?? "")")
            #expect(try scene.exceptions(changed) == [exception])
        }
    }
}
