import Foundation
import TestSupport
import Testing

@testable import MatterCrypto

/// Handshakes that were recorded between real peers, key by key. The messages are cut at known offsets: reading them is
/// for other modules.
@Suite(.vectors, .enabled(if: Vectors.available)) struct RecordedSessionTests {
    private struct PASE: Decodable {
        var w0, L, y, context, pake1, pake2, pake3, Ka, Ke, cA, cB, i2rKey, r2iKey, attestationChallenge: String
        var passcode: UInt32
        var salt: String
        var iterations: Int
    }

    private struct CASE: Decodable {
        struct Fabric: Decodable {
            var rootPublicKey, ipkEpochKey, compressedFabricId, operationalIpk: String
            var fabricId: UInt64
        }
        struct Signed: Decodable {
            var noc, signature: String
        }
        var name, sigma1, sigma2, sigma3, responderEphPrivateKey, sharedSecret, S2K, S3K: String
        var i2rKey, r2iKey, attestationChallenge: String
        var fabric: Fabric
        var tbe2, tbe3: Signed
    }

    private struct CASEFile: Decodable {
        var handshakes: [CASE]
    }

    private struct FabricFile: Decodable {
        struct Identifier: Decodable {
            var rootPublicKey, fabricId, compressedFabricId: String
        }
        struct GroupKey: Decodable {
            var epochKey, compressedFabricId, operationalKey, privacyKey: String
            var groupSessionId: Int
        }
        struct Destination: Decodable {
            var operationalIpk, initiatorRandom, rootPublicKey, fabricId, nodeId, destinationId: String
        }
        var compressedFabricId: [Identifier]
        var groupKeys: [GroupKey]
        var destinationId: [Destination]
    }

    private func derive(_ secret: SecretBytes, salt: [UInt8] = [], _ info: String, _ count: Int) throws -> String {
        try hexString(HKDF.sha256(secret: secret, salt: salt, info: Array(info.utf8), count: count).copyBytes())
    }

    @Test("a recorded PASE run: verifier, shares, confirmations and session keys")
    func pase() throws {
        let run: PASE = try Vectors.load("pase-transcript.json")
        let data = try SPAKE2PlusVerifierData(
            passcode: run.passcode, salt: hex(run.salt), iterations: run.iterations)
        #expect(hexString(data.serialized().copyBytes()) == run.w0 + run.L)
        let pA = Array(hex(run.pake1)[4..<69])
        let verifier = SPAKE2PlusVerifier(
            data: data, context: hex(run.context), random: ScriptedRandom([hex(run.y)]))

        var twin = verifier
        #expect(try hexString(twin.keys(pA: pA).keys.ka.copyBytes()) == run.Ka)

        var side = verifier
        let answer = try side.respond(pA: pA)
        #expect(answer.pB == Array(hex(run.pake2)[4..<69]))
        #expect(hexString(answer.cB) == run.cB)
        #expect(run.pake3.contains(run.cA))
        let key = try side.finish(cA: hex(run.cA))
        #expect(hexString(key.copyBytes()) == run.Ke)
        #expect(try derive(key, "SessionKeys", 48) == run.i2rKey + run.r2iKey + run.attestationChallenge)
    }

    @Test("recorded CASE handshakes: shared secret, Sigma keys, plaintexts and session keys")
    func caseHandshakes() throws {
        let file: CASEFile = try Vectors.load("case-transcripts.json")
        #expect(!file.handshakes.isEmpty)
        for run in file.handshakes {
            let ipk = hex(run.fabric.operationalIpk)
            #expect(
                try derive(
                    SecretBytes(hex(run.fabric.ipkEpochKey)), salt: hex(run.fabric.compressedFabricId),
                    "GroupKey v1.0", 16) == run.fabric.operationalIpk)

            let ephemeral = try P256PrivateKey(scalar: SecretBytes(hex(run.responderEphPrivateKey)))
            let marker = try #require(run.sigma1.range(of: "30044104"))
            let initiatorPoint = "04" + run.sigma1[marker.upperBound...].prefix(128)
            let secret = try ephemeral.sharedSecret(with: P256PublicKey(x963: hex(initiatorPoint)))
            #expect(hexString(secret.copyBytes()) == run.sharedSecret)

            let responderRandom = Array(hex(run.sigma2)[4..<36])
            let salt2 = ipk + responderRandom + ephemeral.publicKey.x963 + SHA256.hash(hex(run.sigma1))
            #expect(try derive(secret, salt: salt2, "Sigma2", 16) == run.S2K)

            var transcript = SHA256()
            transcript.update(hex(run.sigma1))
            transcript.update(hex(run.sigma2))
            #expect(try derive(secret, salt: ipk + transcript.digest(), "Sigma3", 16) == run.S3K)
            transcript.update(hex(run.sigma3))
            #expect(
                try derive(secret, salt: ipk + transcript.digest(), "SessionKeys", 48)
                    == run.i2rKey + run.r2iKey + run.attestationChallenge)

            let sealed = Array(hex(run.sigma3)[5...].dropLast())
            let opened = try AES128CCM(key: SecretBytes(hex(run.S3K)))
                .open(sealed, nonce: Array("NCASE_Sigma3N".utf8))
            #expect(hexString(opened).contains(run.tbe3.noc))
            #expect(hexString(opened).contains(run.tbe3.signature))
        }
    }

    @Test("fabric identifiers, group keys and destination identifiers")
    func fabric() throws {
        let file: FabricFile = try Vectors.load("fabric.json")
        for vector in file.compressedFabricId {
            let identifier = try HKDF.sha256(
                secret: Array(hex(vector.rootPublicKey).dropFirst()), salt: hex(vector.fabricId),
                info: Array("CompressedFabric".utf8), count: 8)
            #expect(hexString(identifier) == vector.compressedFabricId)
        }
        for vector in file.groupKeys {
            let epoch = SecretBytes(hex(vector.epochKey))
            #expect(
                try derive(epoch, salt: hex(vector.compressedFabricId), "GroupKey v1.0", 16) == vector.operationalKey)
            let key = SecretBytes(hex(vector.operationalKey))
            #expect(try derive(key, "PrivacyKey", 16) == vector.privacyKey)
            #expect(try Int(derive(key, "GroupKeyHash", 2), radix: 16) == vector.groupSessionId)
        }
        for vector in file.destinationId {
            let message =
                hex(vector.initiatorRandom) + hex(vector.rootPublicKey) + hex(vector.fabricId).reversed()
                + hex(vector.nodeId).reversed()
            let code = try HMACSHA256.authenticate(key: SecretBytes(hex(vector.operationalIpk)), message: message)
            #expect(hexString(code) == vector.destinationId)
        }
    }
}
