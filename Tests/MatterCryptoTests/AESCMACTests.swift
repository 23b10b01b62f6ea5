import TestSupport
import Testing

@testable import MatterCrypto

@Suite struct AESCMACTests {
    private static let message = hex(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52ef"
            + "f69f2445df4f9b17ad2b417be66c3710")

    @Test(
        "AES-CMAC gives the codes of RFC 4493",
        arguments: [
            (0, "bb1d6929e95937287fa37d129b756746"), (16, "070a16b46b4d4144f79bdd9dd04a287c"),
            (40, "dfa66747de9ae63030ca32611497c827"), (64, "51f0bebf7e3b9d92fc49741779363cfe"),
        ])
    func codes(count: Int, code: String) throws {
        let cmac = try AESCMAC(key: SecretBytes(hex("2b7e151628aed2a6abf7158809cf4f3c")))
        #expect(hexString(try cmac.authenticate(Array(Self.message.prefix(count)))) == code)
        // One object serves for several messages.
        #expect(hexString(try cmac.authenticate(Array(Self.message.prefix(count)))) == code)
    }

    @Test(
        "PBKDF2 with AES-CMAC gives the PSKc of the Thread specification and of OpenThread",
        arguments: [
            ("12SECRETPASSWORD34", "0001020304050607", "Test Network", "c3f59368445a1b6106be420a706d4cc9"),
            ("123456", "0001020304050607", "OpenThread", "b783812789911eb4ea76596c9ced2a69"),
            ("J01NME", "dead00beef00cafe", "OpenThread", "104810e2315100afd6bc9215a6bfac53"),
        ])
    func keys(password: String, extendedPANID: String, name: String, key: String) throws {
        let derived = try PBKDF2.aesCMAC(
            password: SecretBytes(password.utf8),
            salt: Array("Thread".utf8) + hex(extendedPANID) + Array(name.utf8), iterations: 16_384)
        #expect(hexString(derived.copyBytes()) == key)
    }

    @Test("keys of a wrong length, empty passwords and no iterations are refused")
    func bounds() throws {
        #expect(throws: CryptoError.self) { try AESCMAC(key: SecretBytes([1, 2, 3])) }
        #expect(throws: CryptoError.self) {
            try PBKDF2.aesCMAC(password: SecretBytes([UInt8]()), salt: [], iterations: 1)
        }
        #expect(throws: CryptoError.self) { try PBKDF2.aesCMAC(password: SecretBytes([1]), salt: [], iterations: 0) }
    }
}
