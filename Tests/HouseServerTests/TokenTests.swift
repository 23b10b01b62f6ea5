import JSON
import Logging
import MatterController
import Synchronization
import Testing

@testable import HouseServer

/// Tokens that a test changes.
final class ListedTokens: TokenSource {
    private let state = Mutex<(version: Int, tokens: [AccessToken])>((0, []))
    /// Thrown instead of the tokens.
    struct Damaged: Error {}
    private let isDamaged = Mutex(false)

    var stamp: String? { state.withLock { "\($0.version)" } }

    func tokens() throws -> [AccessToken] {
        if isDamaged.withLock({ $0 }) { throw Damaged() }
        return state.withLock { $0.tokens }
    }

    func set(_ tokens: [AccessToken]) {
        state.withLock { state in
            state.version += 1
            state.tokens = tokens
        }
    }

    func damage() {
        isDamaged.withLock { $0 = true }
        state.withLock { $0.version += 1 }
    }

    static func token(_ text: String, _ name: String = "panel", _ roles: Set<HouseServer.Role> = [.control])
        -> AccessToken
    {
        AccessToken(
            id: "0000000\(name.utf8.count % 10)", name: name, roles: roles, created: 1,
            digest: TokenText.digest(Array(text.utf8)))
    }
}

@Suite("Tokens") struct TokenTests {
    @Test(
        "base64url is that of RFC 4648, without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func encoding(plain: String, coded: String) { #expect(TokenText.base64URL(Array(plain.utf8)) == coded) }

    @Test("base64url has - and _ for what base64 has + and / for")
    func alphabet() { #expect(TokenText.base64URL([0xFB, 0xFF, 0xFE]) == "-__-") }

    @Test("a token says where it comes from, has 43 characters of randomness, and is never the same")
    func text() throws {
        let texts = try (0..<100).map { _ in try TokenText.make(SystemRandom()) }
        #expect(Set(texts).count == 100)
        for text in texts {
            #expect(text.hasPrefix("mctl_") && text.utf8.count == 48 && RequestTarget("/ws/\(text)") != nil)
        }
    }

    @Test("tokens are the same after they are kept, and their texts are not among what is kept")
    func record() throws {
        let tokens = [
            ListedTokens.token("mctl_a", "panel", [.control]),
            ListedTokens.token("mctl_b", "öwner", [.administer, .read]),
        ]
        let contents = TokenStore.encode(tokens)
        #expect(try TokenStore.decode(contents) == tokens)
        #expect(!String(decoding: contents, as: UTF8.self).contains("mctl_"))
        #expect(try TokenStore.decode(nil).isEmpty)
    }

    @Test("a right that a later version may have gives none here")
    func laterRole() throws {
        let text = String(decoding: TokenStore.encode([ListedTokens.token("x")]), as: UTF8.self)
        let later = text.replacing("\"control\"", with: "\"everything\"")
        #expect(later != text)
        #expect(try TokenStore.decode(Array(later.utf8)).map(\.roles) == [[]])
    }

    @Test(
        "a record that is not one of tokens is refused as a whole",
        arguments: [
            "", "[]", "{}", #"{"tokens":{}}"#, #"{"tokens":[1]}"#, #"{"tokens":[{"id":"1"}]}"#,
            #"{"tokens":[{"id":"1","name":"a","roles":[],"created":1,"sha256":"00"}]}"#,
            #"{"tokens":[{"id":"1","name":"a","roles":"read","created":1,"sha256":"00"}]}"#,
        ])
    func malformed(text: String) {
        #expect { try TokenStore.decode(Array(text.utf8)) } throws: { ($0 as? ServerError)?.code == .tokensInvalid }
    }

    @Test(
        "names are short lines that no id looks like",
        arguments: [
            ("panel", true), ("Küche 2", true), ("", false), (" a", false), ("a\nb", false), ("a\u{202E}b", false),
            ("0123abcd", false), (String(repeating: "x", count: 64), true), (String(repeating: "x", count: 65), false),
        ])
    func names(name: String, isAllowed: Bool) { #expect(TokenStore.isName(name) == isAllowed) }
}

@Suite("Gatekeeper") struct GatekeeperTests {
    private let tokens = ListedTokens()
    private let gatekeeper: Gatekeeper

    init() {
        var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        gatekeeper = Gatekeeper(tokens, logger: logger)
    }

    private func found(_ text: String) -> String? { gatekeeper.token(Array(text.utf8))?.name }

    @Test("a token is known by its whole text, as soon as it is kept and as long as it is")
    func lookUp() {
        #expect(found("mctl_a") == nil)
        tokens.set([ListedTokens.token("mctl_a", "a"), ListedTokens.token("mctl_b", "bb")])
        #expect(found("mctl_a") == "a" && found("mctl_b") == "bb")
        for text in ["", "mctl_", "mctl_A", "mctl_ab", "mctl_a ", String(repeating: "a", count: 1000)] {
            #expect(found(text) == nil, "\(text)")
        }
        tokens.set([ListedTokens.token("mctl_b", "bb")])
        #expect(found("mctl_a") == nil && found("mctl_b") == "bb")
    }

    @Test("one who came in may stay as long as the token is there with the same rights")
    func stay() {
        let token = ListedTokens.token("mctl_a", "a")
        tokens.set([token])
        #expect(gatekeeper.isValid(token))
        tokens.set([ListedTokens.token("mctl_a", "a", [.read])])
        #expect(!gatekeeper.isValid(token))
        tokens.set([ListedTokens.token("mctl_z", "a")])
        #expect(!gatekeeper.isValid(token), "another token with the same id")
    }

    @Test("a record that cannot be read lets in no visitor")
    func damaged() {
        tokens.set([ListedTokens.token("mctl_a", "a")])
        #expect(found("mctl_a") == "a")
        tokens.damage()
        #expect(found("mctl_a") == nil)
    }
}
