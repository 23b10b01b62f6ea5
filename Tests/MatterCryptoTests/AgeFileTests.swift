import Foundation
import Testing

@testable import MatterCrypto

/// The files were made by the program `age` of Debian 13, and by `age-keygen`.
@Suite("Files in the age format") struct AgeFileTests {
    private static let key = """
        # created: 2026-11-28T13:28:33Z
        # public key: age1pulmx3f5fyegyjqh2r993pwcag87kza5vte4ly7fullxxshn7pgqzx6f39
        AGE-SECRET-KEY-1A3WZ9ZKY989AX6XHAC3LFEQNT07PJA3MJAP82JQSNX820RU8DY8SD64G6X
        """
    private static let forRecipient = """
        YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBUT2J3YjdVY0N0YkVNd1RqSmI1YjRuakdpem10TzI3UzFYN3I5TVRjdzFnCmliRlBJSnFw\
        NHBSS2VrMWhLWlQ3UUprK3dkQmFhNmJWc0VUUTRQQ3krM28KLS0tIGM1V2FxN0pOZnR1SnlZZU8yQW00TkRGTk1FQjQxSnp5cW16dDI0dnVtY3cK\
        1dQA8QTV/ymcz0Hw97DePA7qWn7WPJp3VxOHMkY0xzu77H8FZg==
        """
    private static let forPassphrase = """
        -----BEGIN AGE ENCRYPTED FILE-----
        YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCByWUYwU2pjUHdDTzhGZzV2
        ejd6RUF3IDE4CmF3aGFSaXJ3M0N3NCt0TndLRDN6aHhrV0dFZXNTM0RVbkZLZmhv
        YkFITjQKLS0tIGsrMUlnNkc0SjJlQVdDblZUWDBMRTJSelM4MlhKVlBhTmYzZFIr
        OGpNdTQKuuP24ivfzmlxYC7QByyRAFO8n2dCqlEOuHOunfcR6P0oAkt0Dg==
        -----END AGE ENCRYPTED FILE-----

        """

    private func identities() throws -> AgeKey { .identities(try AgeIdentity.parse(file: Self.key)) }
    private func passphrase(_ text: String) -> SecretBytes { SecretBytes(text.utf8) }
    private func binary() throws -> [UInt8] { Array(try #require(Data(base64Encoded: Self.forRecipient))) }

    private func code(_ operation: () throws -> Void) -> AgeError.Code? {
        do {
            try operation()
            return nil
        } catch {
            return (error as? AgeError)?.code
        }
    }

    @Test("a file that age made for a recipient is opened with its identity, and one of another is not")
    func recipient() throws {
        #expect(try AgeFile.open(try binary(), with: try identities()) == Array("hello".utf8))
        let other = try AgeIdentity(scalar: SecretBytes([UInt8](repeating: 7, count: 32)))
        #expect(code { _ = try AgeFile.open(try binary(), with: .identities([other])) } == .wrongKey)
        #expect(code { _ = try AgeFile.open(try binary(), with: .passphrase(passphrase("a"))) } == .otherKind)
        #expect(try AgeFile.isAge(binary()) && AgeFile.needsPassphrase(binary()) == false)
    }

    @Test("a file that age made with a passphrase, as text, is opened with that one only")
    func passphraseOfAge() throws {
        let file = Array(Self.forPassphrase.utf8)
        #expect(AgeFile.isAge(file) && AgeFile.needsPassphrase(file) == true)
        #expect(try AgeFile.open(file, with: .passphrase(passphrase("correct horse"))) == Array("hello".utf8))
        #expect(code { _ = try AgeFile.open(file, with: .passphrase(passphrase("correct horsf"))) } == .wrongKey)
        #expect(code { _ = try AgeFile.open(file, with: try identities()) } == .otherKind)
    }

    @Test(
        "what is sealed is opened again, at the borders of chunks", arguments: [0, 1, 65_535, 65_536, 65_537, 131_072])
    func roundTrip(count: Int) throws {
        let contents = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let secret = passphrase("words")
        let first = try AgeFile.seal(contents, for: .passphrase(secret), work: 2)
        #expect(try AgeFile.open(first, with: .passphrase(secret)) == contents)
        let recipients = try AgeIdentity.parse(file: Self.key).map(\.recipient)
        let other = try AgeIdentity(scalar: SecretBytes([UInt8](repeating: 7, count: 32)))
        let second = try AgeFile.seal(contents, for: .recipients([other.recipient] + recipients))
        #expect(try AgeFile.open(second, with: try identities()) == contents)
        #expect(try AgeFile.open(second, with: .identities([other])) == contents)
        // The same contents never give the same file.
        #expect(try AgeFile.seal(contents, for: .recipients(recipients)) != second)
    }

    @Test("a file of which a byte is missing or changed is refused, wherever that is")
    func damage() throws {
        let file = try binary()
        for end in file.indices {
            #expect(code { _ = try AgeFile.open(Array(file[..<end]), with: try identities()) } != nil, "\(end)")
            var changed = file
            changed[end] ^= 1
            let found = code { _ = try AgeFile.open(changed, with: try identities()) }
            #expect(
                found == .damaged || found == .wrongKey || found == .otherKind, "\(end): \(String(describing: found))")
        }
        #expect(code { _ = try AgeFile.open(file + [0], with: try identities()) } == .damaged)
    }

    @Test("chunks that change places, or end too early, are refused")
    func chunks() throws {
        let recipients = try AgeIdentity.parse(file: Self.key).map(\.recipient)
        let contents = [UInt8](repeating: 1, count: 3 * 65_536)
        let file = try AgeFile.seal(contents, for: .recipients(recipients))
        let chunk = 65_536 + 16
        let start = file.count - 3 * chunk
        let swapped =
            file[..<start] + file[(start + chunk)..<(start + 2 * chunk)] + file[start..<(start + chunk)]
            + file[(start + 2 * chunk)...]
        #expect(code { _ = try AgeFile.open(Array(swapped), with: try identities()) } == .damaged)
        #expect(code { _ = try AgeFile.open(Array(file.dropLast(chunk)), with: try identities()) } == .damaged)
    }

    @Test("a passphrase beside other keys, or of too much work, is refused without trying it")
    func header() throws {
        let secret = passphrase("words")
        let file = String(decoding: try AgeFile.seal([], for: .passphrase(secret), work: 2).prefix(120), as: UTF8.self)
        let lines = file.split(separator: "\n").map(String.init)
        func opened(_ header: [String]) -> AgeError.Code? {
            let text = header.joined(separator: "\n") + "\n--- \(String(repeating: "A", count: 43))\n"
            return code {
                _ = try AgeFile.open(Array(text.utf8) + [UInt8](repeating: 0, count: 32), with: .passphrase(secret))
            }
        }
        let stanza = [lines[1], lines[2]]
        #expect(opened([lines[0]] + stanza + stanza) == .damaged)
        let costly = lines[1].split(separator: " ").dropLast().joined(separator: " ") + " 40"
        #expect(opened([lines[0], costly, lines[2]]) == .tooCostly)
        #expect(opened([lines[0], lines[1] + "\u{1}", lines[2]]) == .damaged)
        #expect(opened([lines[0]]) == .damaged)
    }

    @Test("recipients and identities are read as they are written, and typing errors are found")
    func keys() throws {
        let text = "age1pulmx3f5fyegyjqh2r993pwcag87kza5vte4ly7fullxxshn7pgqzx6f39"
        #expect(try AgeRecipient(text).description == text)
        #expect(try AgeIdentity.parse(file: Self.key).map(\.recipient.description) == [text])
        for wrong in [
            "", "age1", String(text.dropLast()), text + "q", text.replacingOccurrences(of: "pulm", with: "puml"),
            text.uppercased().replacingOccurrences(of: "AGE", with: "age"),
            "AGE-SECRET-KEY-1A3WZ9ZKY989AX6XHAC3LFEQNT07PJA3MJAP82JQSNX820RU8DY8SD64G6X",
        ] {
            #expect(throws: AgeError.self, "\(wrong)") { try AgeRecipient(wrong) }
        }
        for wrong in ["", "# nothing", Self.key + "\nage1"] {
            #expect(throws: AgeError.self) { try AgeIdentity.parse(file: wrong) }
        }
    }
}
