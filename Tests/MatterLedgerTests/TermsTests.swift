import Foundation
import MatterTestKit
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterLedger

/// The texts of manufacturers' terms.
@Suite("Terms of the ledger") struct TermsTests {
    private static let texts = #"""
        {"schemaVersion":1,"esfRevision":3,"defaultCountry":"US","more":[1],"countryEntries":{
        "US":{"defaultLanguage":"en","languageEntries":{"en":[
          {"ordinal":1,"required":false,"title":"Data use","text":"b"},
          {"ordinal":0,"required":true,"title":"<b>Terms</b>","text":"<p>a</p>"}]}},
        "DE":{"defaultLanguage":"de","languageEntries":{
          "de":[{"ordinal":0,"required":true,"title":"Bedingungen","text":"c"}],
          "en":[{"ordinal":0,"required":true,"title":"Conditions","text":"d"}]}}}}
        """#

    private static func document(_ text: String = texts, revision: UInt32 = 3) throws -> TermsDocument {
        try TermsDocument(Array(text.utf8), revision: revision)
    }

    @Test("a user gets the texts of the own country and language, else the defaults, in the order of their bits")
    func choice() throws {
        let document = try Self.document()
        let cases: [(String, String?, [String])] = [
            ("US", "en", ["<b>Terms</b>", "Data use"]), ("XX", nil, ["<b>Terms</b>", "Data use"]),
            ("DE", "en", ["Conditions"]), ("DE", "fr", ["Bedingungen"]), ("DE", nil, ["Bedingungen"]),
        ]
        for (country, language, titles) in cases {
            #expect(document.texts(country: country, language: language).map(\.title) == titles)
        }
        #expect(document.revision == 3)
        #expect(document.texts(country: "US", language: nil).map(\.ordinal) == [0, 1])
        #expect(document.texts(country: "US", language: nil).map(\.isRequired) == [true, false])
    }

    @Test(
        "a file that is not what the ledger says, or breaks a rule, is refused",
        arguments: [
            ("", ""), (#""schemaVersion":1"#, #""schemaVersion":2"#), (#""esfRevision":3"#, #""esfRevision":4"#),
            (#""ordinal":1"#, #""ordinal":0"#), (#""ordinal":1"#, #""ordinal":16"#),
            (#""ordinal":1"#, #""ordinal":-1"#), (#""defaultCountry":"US""#, #""defaultCountry":"FR""#),
            (#""defaultLanguage":"en""#, #""defaultLanguage":"fr""#), (#""title":"Data use","#, ""),
            (#""text":"b""#, #""text":7"#), (#""countryEntries":{"#, #""other":{"#),
        ])
    func rules(part: String, replacement: String) throws {
        let text = part.isEmpty ? "rubbish" : Self.texts.replacingOccurrences(of: part, with: replacement)
        #expect(text != Self.texts)
        let error = #expect(throws: LedgerError.self) { try Self.document(text) }
        #expect(error?.code == .malformed)
    }

    @Test("a revision that no acknowledgement can carry is refused", arguments: [0, 65_536] as [UInt32])
    func revision(_ revision: UInt32) throws {
        let text = Self.texts.replacingOccurrences(of: #""esfRevision":3"#, with: #""esfRevision":\#(revision)"#)
        #expect(throws: LedgerError.self) { try Self.document(text, revision: revision) }
    }

    @Test(
        "markup becomes lines of plain text, and what only looks like it stays",
        arguments: [
            ("<p>One</p><p>Two <b>bold</b></p>", ["One", "Two bold"]), ("a<br/>b<BR>c", ["a", "b", "c"]),
            ("<ol><li>x</li><li>y</li></ol>", ["- x", "- y"]),
            ("a &lt;b&gt; &amp;amp; &#65;&#x42;&nbsp;c", ["a <b> &amp; AB c"]),
            ("1 < 2 & 3", ["1 < 2 & 3"]), ("<script>x</script>", ["x"]), ("&nope; &#xD800;", ["&nope; &#xD800;"]),
            ("  a\r\n\n b\tc ", ["a", "b c"]), ("", []), ("a&#10;b&#x2028;&#13;&#10;c", ["a", "b", "c"]),
            ("<h1>T</h1>text", ["T", "text"]),
        ] as [(String, [String])])
    func markup(text: String, lines: [String]) {
        #expect(PlainMarkup.lines(text) == lines)
    }

    // MARK: Fetching

    private static func entry(
        url: String = "https://maker.example/a/terms.json?x=1", body: String = texts, digest: String? = nil,
        size: Int? = nil
    ) async throws -> LedgerModel.Terms {
        let sum = digest ?? Data(SHA256.hash(Array(body.utf8))).base64EncodedString()
        let model: LedgerModel = try await answer(
            .model(1, 2),
            #"""
            {"model":{"vid":1,"pid":2,"enhancedSetupFlowOptions":1,"enhancedSetupFlowTCUrl":"\#(url)",
            "enhancedSetupFlowTCRevision":3,"enhancedSetupFlowTCDigest":"\#(sum)",
            "enhancedSetupFlowTCFileSize":"\#(size ?? body.utf8.count)"}}
            """#)
        return try #require(model.terms)
    }

    private static func fetch(
        _ terms: LedgerModel.Terms, _ library: TermsLibrary, _ server: FakeLedger
    ) async throws -> TermsDocument {
        try await library.fetch(terms, deadline: .now + patience) { url in
            HTTPService(url: url, transport: server, retries: .none, logger: .silent)
        }
    }

    private static func server(_ body: String = texts, status: Int = 200) -> FakeLedger {
        FakeLedger(["/a/terms.json?x=1": HTTPResponse(status: status, body: Array(body.utf8))])
    }

    @Test("the file is fetched from its own server, checked, kept under its digest, and then known")
    func library() async throws {
        let state = try TemporaryState()
        let library = TermsLibrary(state.directory)
        let terms = try await Self.entry()
        #expect(library.known(terms) == nil)
        let server = Self.server()
        let document = try await Self.fetch(terms, library, server)
        #expect(document.revision == 3 && server.requests == ["/a/terms.json?x=1"])
        #expect(library.known(terms)?.texts(country: "DE", language: "en").map(\.title) == ["Conditions"])
        var newer = terms
        newer.revision = 4
        #expect(library.known(newer) == nil)
    }

    @Test("a file that is not the ledger's is not shown: its size, its digest, its server, its URL")
    func faults() async throws {
        let state = try TemporaryState()
        let library = TermsLibrary(state.directory)
        func code(_ terms: LedgerModel.Terms, _ server: FakeLedger = Self.server()) async -> LedgerError.Code? {
            do { _ = try await Self.fetch(terms, library, server) } catch let error as LedgerError {
                return error.code
            } catch { return nil }
            return nil
        }
        let sound = try await Self.entry()
        #expect(await code(sound, Self.server(Self.texts + " ")) == .malformed)
        #expect(
            await code(sound, Self.server(Self.texts.replacingOccurrences(of: "Terms", with: "terms"))) == .malformed)
        #expect(await code(sound, Self.server(status: 404)) == .unreachable)
        #expect(await code(sound, Self.server(status: 302)) == .unreachable)
        #expect(await code(try await Self.entry(digest: "AAAA")) == .malformed)
        #expect(await code(try await Self.entry(digest: " ")) == .malformed)
        #expect(await code(try await Self.entry(size: 2 << 20)) == .tooLarge)
        #expect(await code(try await Self.entry(size: 1)) == .malformed)
        for url in ["maker.example/terms", "ftp://maker.example/a", "http://maker.example/a/terms.json?x=1"] {
            #expect(await code(try await Self.entry(url: url)) != nil, "\(url)")
        }
        #expect(try state.files().isEmpty)
    }
}
