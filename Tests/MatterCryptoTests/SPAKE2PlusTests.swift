import TestSupport
import Testing

@testable import MatterCrypto

@Suite struct SPAKE2PlusTests {
    private struct File: Decodable {
        struct Run: Decodable {
            var name, context, idProver, idVerifier, w0, w1, L, x, X, y, Y, Ka, Ke, cA, cB: String
        }
        struct Verifier: Decodable {
            var passcode: UInt32
            var salt: String
            var iterations: Int
            var w0, w1, L, serialized: String
        }
        var spake2p: [Run]
        var verifiers: [Verifier]
    }

    // One run, computed with an independent implementation.
    private static let passcode: UInt32 = 80_120_409
    private static let salt = [UInt8](0x30..<0x48)
    private static let iterations = 1234
    private static let w0 = "6cafd69afa95d08f7b3b19eb6b049e6afcb640d2b75ffc54ebee4f0041259d97"
    private static let w1 = "ad364870484bce565b07bcb3df79ecd29e2986270960ca0e2cc960bade5c895f"
    private static let L = """
        0461d711268edc0da108bbe90703a1e46a6972bd674041d06662cc6a433c2e771e\
        e4ca573a0f02ad3b0f4b855e0ca79bdba752d5b979de9426929a5046b7732013
        """
    private static let x = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    private static let y = "a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa"
    private static let context = hex("ea7792a26f405e2ae9c6f49ca93bbe6076ceac0a1fc53d83426c7d7f2d9377e4")
    static let pA = """
        048d094db8b8c5bafe13a5f74ea0c6d8c4d2c6eab5c4c56e264785aa8e1d53fb10\
        45cb0de25db71756192a50a19be2520e391b205f3f9189f2d9e9effac4728d3b
        """
    static let pB = """
        04d42d405c327a227699ba9e3189f515c13222db3c991389e247433e2cd86cddcb\
        c51dc8e0eaae4b1294b16ebee195c9a273bba1f1ab4c5e1b4ceeed58288a8308
        """
    private static let cA = "30533831ec6c92032d09016d2e154e83f4df1c3dd5cd8f3ae55e3a57b406d08f"
    private static let cB = "cf22a93287a4a806e26834464104bb649333d7683bb90df297eec29a33954716"
    private static let ka = "3c1e4f16445ceb52d02573c55b23243d"
    private static let ke = "dc54dea6cc00d91cb48409aef197fe03"

    private func secret(_ passcode: UInt32 = passcode) throws -> SPAKE2PlusSecret {
        try SPAKE2PlusSecret(passcode: passcode, salt: Self.salt, iterations: Self.iterations)
    }

    private func prover() throws -> SPAKE2PlusProver {
        try SPAKE2PlusProver(secret: secret(), context: Self.context, random: ScriptedRandom([hex(Self.x)]))
    }

    private func verifier(_ passcode: UInt32 = passcode, context: [UInt8] = context) throws -> SPAKE2PlusVerifier {
        SPAKE2PlusVerifier(
            data: try secret(passcode).verifierData(), context: context, random: ScriptedRandom([hex(Self.y)]))
    }

    @Test("a passcode gives the scalars and the verifier")
    func passcodes() throws {
        #expect(try hexString(secret().w0.copyBytes()) == Self.w0)
        #expect(try hexString(secret().w1.copyBytes()) == Self.w1)
        let data = try SPAKE2PlusVerifierData(
            passcode: Self.passcode, salt: Self.salt, iterations: Self.iterations)
        #expect(hexString(data.L.x963) == Self.L)
        #expect(hexString(data.serialized().copyBytes()) == Self.w0 + Self.L)
    }

    @Test("a serialised verifier reads back, and no other octets read")
    func serialization() throws {
        let data = try secret().verifierData()
        let bytes = data.serialized().copyBytes()
        #expect(bytes.count == 97)
        #expect(try SPAKE2PlusVerifierData(serialized: bytes) == data)
        #expect(code { _ = try SPAKE2PlusVerifierData(serialized: bytes + [0]) } == .invalidLength)
        #expect(code { _ = try SPAKE2PlusVerifierData(serialized: bytes.dropLast()) } == .invalidLength)
        #expect(code { _ = try SPAKE2PlusVerifierData(serialized: []) } == .invalidLength)
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(code { _ = try SPAKE2PlusVerifierData(serialized: zero + bytes[32...]) } == .invalidScalar)
        let most = [UInt8](repeating: 0xFF, count: 32)
        #expect(code { _ = try SPAKE2PlusVerifierData(serialized: most + bytes[32...]) } == .invalidScalar)
        var offCurve = bytes
        offCurve[96] ^= 1
        #expect(code { _ = try SPAKE2PlusVerifierData(serialized: offCurve) } == .invalidPoint)
    }

    @Test("salts and iteration counts outside the specification's bounds are refused")
    func bounds() {
        let derive = { (salt: Int, iterations: Int) in
            code {
                _ = try SPAKE2PlusSecret(
                    passcode: 1, salt: [UInt8](repeating: 1, count: salt), iterations: iterations)
            }
        }
        #expect(derive(15, 1000) == .invalidLength)
        #expect(derive(33, 1000) == .invalidLength)
        #expect(derive(16, 999) == .invalidParameter)
        #expect(derive(16, 100_001) == .invalidParameter)
        #expect(derive(16, -1) == .invalidParameter)
        #expect(derive(16, 1000) == nil)
        #expect(derive(32, 1000) == nil)
    }

    @Test("a run gives the shares, confirmations and key that another implementation computed")
    func ownRun() throws {
        var (prover, verifier) = (try prover(), try verifier())
        #expect(hexString(prover.share) == Self.pA)
        let answer = try verifier.respond(pA: prover.share)
        #expect(hexString(answer.pB) == Self.pB)
        #expect(hexString(answer.cB) == Self.cB)
        let result = try prover.finish(pB: answer.pB, cB: answer.cB)
        #expect(hexString(result.cA) == Self.cA)
        #expect(hexString(result.Ke.copyBytes()) == Self.ke)
        #expect(try verifier.finish(cA: result.cA) == result.Ke)
    }

    @Test("both sides derive the same Ka")
    func confirmationKey() throws {
        var (prover, verifier) = (try prover(), try verifier())
        #expect(try hexString(prover.keys(pB: hex(Self.pB)).ka.copyBytes()) == Self.ka)
        #expect(try hexString(verifier.keys(pA: hex(Self.pA)).keys.ka.copyBytes()) == Self.ka)
    }

    @Test("runs with scalars of the system's source agree, and differ from each other")
    func randomRuns() throws {
        let secret = try secret()
        let data = try secret.verifierData()
        var keys: [SecretBytes] = []
        for _ in 0..<4 {
            var prover = try SPAKE2PlusProver(secret: secret, context: Self.context)
            var verifier = SPAKE2PlusVerifier(data: data, context: Self.context)
            let answer = try verifier.respond(pA: prover.share)
            let result = try prover.finish(pB: answer.pB, cB: answer.cB)
            #expect(try verifier.finish(cA: result.cA) == result.Ke)
            #expect(!keys.contains(result.Ke))
            keys.append(result.Ke)
        }
    }

    @Test("a wrong passcode or another context shows at the prover first")
    func mismatch() throws {
        for verifier in [try verifier(80_120_410), try verifier(context: Array(repeating: 0, count: 32))] {
            var (prover, verifier) = (try prover(), verifier)
            let answer = try verifier.respond(pA: prover.share)
            #expect(code { _ = try prover.finish(pB: answer.pB, cB: answer.cB) } == .confirmationFailed)
            #expect(code { _ = try verifier.finish(cA: hex(Self.cA)) } == .confirmationFailed)
        }
    }

    @Test("a confirmation of another length or with any bit changed is refused")
    func confirmations() throws {
        let good = hex(Self.cB)
        for wrong in [[], Array(good.dropLast()), good + [0]]
            + (0..<32).map({ at in good.enumerated().map { $0 == at ? $1 ^ 1 : $1 } })
        {
            var prover = try prover()
            #expect(code { _ = try prover.finish(pB: hex(Self.pB), cB: wrong) } == .confirmationFailed)
        }
        var verifier = try verifier()
        _ = try verifier.respond(pA: hex(Self.pA))
        #expect(code { _ = try verifier.finish(cA: Array(hex(Self.cA).dropLast())) } == .confirmationFailed)
    }

    @Test("shares off the curve, at infinity or in another form are refused by both sides")
    func hostileShares() throws {
        var offCurve = hex(Self.pB)
        offCurve[40] ^= 4
        let compressed = [0x02] + hex(Self.pB)[1...32]
        for share in [[], [0], [0x04], offCurve, compressed, hex(Self.pB) + [0], [UInt8](repeating: 0, count: 65)] {
            var (prover, verifier) = (try prover(), try verifier())
            #expect(code { _ = try prover.finish(pB: share, cB: hex(Self.cB)) } == .invalidPoint)
            #expect(code { _ = try verifier.respond(pA: share) } == .invalidPoint)
        }
    }

    @Test("a share that is nothing but its own blinding is refused, since it makes the secret infinite")
    func blindingShares() throws {
        let w0 = try P256Scalar(SecretBytes(hex(Self.w0)))
        let onlyN = try P256Point.reading(x963: SPAKE2Plus.N).multiplied(by: w0).x963().copyBytes()
        let onlyM = try P256Point.reading(x963: SPAKE2Plus.M).multiplied(by: w0).x963().copyBytes()
        var (prover, verifier) = (try prover(), try verifier())
        #expect(code { _ = try prover.finish(pB: onlyN, cB: hex(Self.cB)) } == .invalidPoint)
        #expect(code { _ = try verifier.respond(pA: onlyM) } == .invalidPoint)
    }

    @Test("a run goes forward only, also after a failure")
    func order() throws {
        var (prover, verifier) = (try prover(), try verifier())
        #expect(code { _ = try verifier.finish(cA: hex(Self.cA)) } == .invalidState)
        _ = try verifier.respond(pA: hex(Self.pA))
        #expect(code { _ = try verifier.respond(pA: hex(Self.pA)) } == .invalidState)
        #expect(code { _ = try verifier.finish(cA: []) } == .confirmationFailed)
        #expect(code { _ = try verifier.finish(cA: hex(Self.cA)) } == .invalidState)
        #expect(code { _ = try prover.finish(pB: hex(Self.pB), cB: []) } == .confirmationFailed)
        #expect(code { _ = try prover.finish(pB: hex(Self.pB), cB: hex(Self.cB)) } == .invalidState)
    }

    @Test("scalars outside the group are refused")
    func scalars() {
        let (one, most) = ([UInt8](repeating: 0, count: 31) + [1], [UInt8](repeating: 0xFF, count: 32))
        #expect(code { _ = try SPAKE2PlusSecret(w0: SecretBytes(most), w1: SecretBytes(one)) } == .invalidScalar)
        #expect(code { _ = try SPAKE2PlusSecret(w0: SecretBytes(one), w1: SecretBytes(most)) } == .invalidScalar)
        #expect(code { _ = try SPAKE2PlusSecret(w0: SecretBytes([1]), w1: SecretBytes(one)) } == .invalidLength)
    }

    @Test(
        "the shared runs hold, in both roles", .vectors, .enabled(if: Vectors.available),
        arguments: try Vectors.cases("spake2p.json", atLeast: 4) { (file: File) in file.spake2p })
    private func sharedRuns(run: File.Run) throws {
        let identities = SPAKE2PlusIdentities(prover: hex(run.idProver), verifier: hex(run.idVerifier))
        let secret = try SPAKE2PlusSecret(w0: SecretBytes(hex(run.w0)), w1: SecretBytes(hex(run.w1)))
        let data = try SPAKE2PlusVerifierData(w0: SecretBytes(hex(run.w0)), L: P256PublicKey(x963: hex(run.L)))
        #expect(try secret.verifierData() == data)
        var prover = try SPAKE2PlusProver(
            secret: secret, context: hex(run.context), identities: identities,
            random: ScriptedRandom([hex(run.x)]))
        #expect(hexString(prover.share) == run.X, "\(run.name)")
        var verifier = SPAKE2PlusVerifier(
            data: data, context: hex(run.context), identities: identities, random: ScriptedRandom([hex(run.y)]))
        let answer = try verifier.respond(pA: hex(run.X))
        #expect(hexString(answer.pB) == run.Y, "\(run.name)")
        #expect(hexString(answer.cB) == run.cB, "\(run.name)")
        var twin = prover
        #expect(try hexString(twin.keys(pB: hex(run.Y)).ka.copyBytes()) == run.Ka, "\(run.name)")
        let result = try prover.finish(pB: hex(run.Y), cB: hex(run.cB))
        #expect(hexString(result.cA) == run.cA, "\(run.name)")
        #expect(hexString(result.Ke.copyBytes()) == run.Ke, "\(run.name)")
        #expect(try hexString(verifier.finish(cA: hex(run.cA)).copyBytes()) == run.Ke, "\(run.name)")
    }

    @Test(
        "the shared passcode verifiers hold", .vectors, .enabled(if: Vectors.available),
        arguments: try Vectors.cases("spake2p.json", atLeast: 8) { (file: File) in file.verifiers })
    private func sharedVerifiers(vector: File.Verifier) throws {
        let secret = try SPAKE2PlusSecret(
            passcode: vector.passcode, salt: hex(vector.salt), iterations: vector.iterations)
        #expect(hexString(secret.w0.copyBytes()) == vector.w0)
        #expect(hexString(secret.w1.copyBytes()) == vector.w1)
        let data = try secret.verifierData()
        #expect(hexString(data.L.x963) == vector.L)
        #expect(hexString(data.serialized().copyBytes()) == vector.serialized)
        #expect(try SPAKE2PlusVerifierData(serialized: hex(vector.serialized)) == data)
    }

    @Test("of 20000 damaged verifiers those that are read keep every octet")
    func mutations() throws {
        let whole = try secret().verifierData().serialized().copyBytes()
        var mutator = Mutator(seed: 0x97, corpus: [whole])
        var (read, refused) = (0, 0)
        for _ in 0..<Effort.inputs(20_000) {
            let bytes = mutator.next()
            do {
                let data = try SPAKE2PlusVerifierData(serialized: bytes)
                #expect(data.serialized().copyBytes() == bytes)
                #expect(bytes[32...] == whole[32...])
                read += 1
            } catch {
                #expect([.invalidLength, .invalidScalar, .invalidPoint].contains(error.code))
                refused += 1
            }
        }
        #expect(read > Effort.inputs(100) && refused > Effort.inputs(10_000))
    }
}
