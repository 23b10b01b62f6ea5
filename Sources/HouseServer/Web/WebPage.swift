/// The page of the house: three files, which are part of the program.
///
/// They are the same for everyone and tell nothing of the house, so no token is needed for them. The page asks for one.
enum WebPage {
    /// The Content-Security-Policy: no script or style within the markup, nothing from other hosts, in no frame, and no
    /// markup made of text (Trusted Types).
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'; trusted-types 'none'"

    /// Header fields that go with each file. A browser may keep a file, and has to ask each time.
    static let headers: [(name: String, value: String)] = [
        ("Content-Security-Policy", policy),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-cache"),
    ]

    /// The answer to a request for one of the files.
    ///
    /// - Returns: `nil` if the path is none of theirs.
    static func response(to request: PageRequest) -> PageResponse? {
        guard let file = PageFiles.file(request.path) else { return nil }
        guard request.method == "GET" || request.method == "HEAD" else {
            return PageResponse(
                status: 405, contentType: "text/plain; charset=utf-8", headers: headers + [("Allow", "GET, HEAD")],
                body: Array("GET or HEAD\n".utf8))
        }
        let tag = "\"\(file.digest)\""
        let tagged = headers + [("ETag", tag)]
        if let known = request.headers["if-none-match"], known.split(separator: ",").contains(where: { names($0, tag) })
        {
            return PageResponse(status: 304, contentType: file.contentType, headers: tagged, body: [])
        }
        return PageResponse(
            status: 200, contentType: file.contentType, headers: tagged,
            body: request.method == "HEAD" ? [] : Array(file.text.utf8))
    }

    /// Tells whether an entity tag of If-None-Match is ours (RFC 9110 section 13.1.2): a weak one counts.
    private static func names(_ given: Substring, _ tag: String) -> Bool {
        let text = given.filter { $0 != " " && $0 != "\t" }
        return text == tag || text == "W/\(tag)" || text == "*"
    }
}

/// A file of the page.
struct PageFile: Sendable {
    /// As in the header.
    var contentType: String
    /// The beginning of its SHA-256, in hexadecimal digits.
    var digest: String
    /// All of it.
    var text: String
}
