import Foundation
import Testing

@testable import HouseServer

@Suite struct WebPageTests {
    private func response(_ path: String, method: String = "GET", headers: [String: String] = [:]) throws
        -> PageResponse
    {
        try #require(
            WebPage.response(to: PageRequest(method: method, path: path, query: "", headers: headers, body: [])))
    }

    private static let paths = ["/", "/page.js", "/page.css"]

    @Test(
        "each file has its type, and is the one of the sources",
        arguments: [
            ("/", "index.html", "text/html; charset=utf-8"), ("/page.js", "page.js", "text/javascript; charset=utf-8"),
            ("/page.css", "page.css", "text/css; charset=utf-8"),
        ])
    func files(path: String, file: String, type: String) throws {
        let answer = try response(path)
        #expect(answer.status == 200)
        #expect(answer.contentType == type)
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/HouseServer/Web/page/\(file)")
        #expect(try Data(contentsOf: source) == Data(answer.body))
    }

    @Test("other paths are not its own", arguments: ["", "/house", "/page.jsx", "/index.html", "//", "/../page.js"])
    func others(path: String) {
        #expect(WebPage.response(to: PageRequest(method: "GET", path: path, query: "", headers: [:], body: [])) == nil)
    }

    @Test("each file forbids script and style in the markup, frames, forms, and other hosts", arguments: paths)
    func policy(path: String) throws {
        let headers = Dictionary(uniqueKeysWithValues: try response(path).headers.map { ($0.name, $0.value) })
        let policy = try #require(headers["Content-Security-Policy"])
        let parts = Set(policy.split(separator: ";").map { String($0.drop { $0 == " " }) })
        #expect(
            parts == [
                "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
                "img-src 'self' data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
                "require-trusted-types-for 'script'", "trusted-types 'none'",
            ])
        #expect(headers["X-Content-Type-Options"] == "nosniff")
        #expect(headers["Referrer-Policy"] == "no-referrer")
        #expect(headers["Cache-Control"] == "no-cache")
    }

    @Test("a file that the browser has is not sent again")
    func unchanged() throws {
        let tag = try #require(try response("/page.js").headers.first { $0.name == "ETag" }?.value)
        #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count == 34)
        for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
            let answer = try response("/page.js", headers: ["if-none-match": known])
            #expect(answer.status == 304 && answer.body.isEmpty)
            #expect(answer.headers.contains { $0.name == "ETag" && $0.value == tag })
        }
        for known in ["\"other\"", "", String(tag.dropLast())] {
            #expect(try response("/page.js", headers: ["if-none-match": known]).status == 200)
        }
        #expect(try response("/page.css").headers.first { $0.name == "ETag" }?.value != tag)
    }

    @Test("a file can be read, and nothing else be done with it")
    func methods() throws {
        let head = try response("/", method: "HEAD")
        #expect(head.status == 200 && head.body.isEmpty)
        let post = try response("/", method: "POST")
        #expect(post.status == 405)
        #expect(post.headers.contains { $0.name == "Allow" && $0.value == "GET, HEAD" })
    }
}
