import Testing

@testable import HouseServer

@Suite("Limit of log-ins") struct LoginLimitTests {
    @Test("ten wrong tokens are looked at, then one every six seconds, for each address by itself")
    func burst() throws {
        var limit = LoginLimit()
        for _ in 0..<10 {
            #expect(limit.wait("a", now: .seconds(1)) == nil)
            limit.failed("a", now: .seconds(1))
        }
        let wait = try #require(limit.wait("a", now: .seconds(1)))
        #expect(wait == .seconds(6))
        #expect(limit.wait("b", now: .seconds(1)) == nil)
        #expect(limit.wait("a", now: .seconds(6)) != nil)
        #expect(limit.wait("a", now: .seconds(7)) == nil)
        limit.failed("a", now: .seconds(7))
        #expect(limit.wait("a", now: .seconds(8)) != nil)
        #expect(limit.wait("a", now: .seconds(13)) == nil)
    }

    @Test("what was forgiven after a while counts from the beginning")
    func forgiven() {
        var limit = LoginLimit()
        for _ in 0..<10 { limit.failed("a", now: .zero) }
        var looks = 0
        while limit.wait("a", now: .seconds(60)) == nil {
            limit.failed("a", now: .seconds(60))
            looks += 1
        }
        #expect(looks == 10)
    }

    @Test("a flood of addresses takes no more memory than the limit; the one that was heard last is remembered")
    func addresses() {
        var limit = LoginLimit(mostAddresses: 100)
        for number in 0..<10_000 { limit.failed("address \(number)", now: .milliseconds(number)) }
        #expect(limit.count == 100)
        for _ in 0..<10 { limit.failed("last", now: .seconds(10)) }
        limit.failed("another", now: .seconds(11))
        #expect(limit.wait("last", now: .seconds(11)) != nil)
    }
}

@Suite("Targets of requests") struct RequestTargetTests {
    @Test(
        "path, query and token",
        arguments: [
            ("/", "/", "", nil), ("/ws", "/ws", "", nil), ("/ws?x=1", "/ws", "x=1", nil), ("/ws/", "/ws", "", nil),
            ("/ws/mctl_a", "/ws", "", "mctl_a"), ("/ws/mctl_a?y", "/ws", "y", "mctl_a"),
            ("/ws/a/b", "/ws", "", "a/b"), ("/metrics?a?b", "/metrics", "a?b", nil), ("/wsx/y", "/wsx/y", "", nil),
        ] as [(String, String, String, String?)])
    func parts(text: String, path: String, query: String, token: String?) throws {
        let target = try #require(RequestTarget(text))
        #expect(target.path == path && target.query == query && target.token == token)
    }

    @Test(
        "what is not a path is refused",
        arguments: ["", "ws", "*", "http://a/ws", "//a/ws", "/a b", "/a#b", "/\u{7F}", "/é", "/a\r\nb", "a:80"])
    func refused(text: String) { #expect(RequestTarget(text) == nil) }
}

@Suite("Hosts and origins") struct HostRuleTests {
    private static func rule(_ change: (inout ListenerSettings) -> Void = { _ in }) -> HostRule {
        var settings = ListenerSettings(places: [])
        change(&settings)
        return HostRule(settings)
    }

    @Test(
        "loopback and the address of the connection are hosts of this machine; all else has to be given",
        arguments: [
            ("localhost", true), ("LOCALHOST:5580", true), ("localhost.", true), ("127.0.0.1:5580", true),
            ("127.8.9.1", true), ("[::1]:5580", true), ("[::1]", true), ("192.0.2.7:1", true), ("192.0.2.8", false),
            ("house.example:5580", true), ("House.Example.", true), ("evil.example", false), ("", false),
            (":80", false),
            ("localhost.evil.example", false), ("127.0.0.1.evil.example", false), ("localhost@evil", false),
            ("0.0.0.0", false), ("[::1", false), ("[::1]evil", false), ("localhost:80:80", false),
            ("localhost:x", false),
            ("127.1", false), ("[::ffff:127.0.0.1]", true), ("localhost:123456", false),
        ])
    func hosts(host: String, isAllowed: Bool) {
        let rule = Self.rule { $0.hosts = ["House.example"] }
        #expect(rule.allows(host: host, local: "192.0.2.7") == isAllowed)
    }

    @Test("pages elsewhere may not ask; our own may if there is one; others have to be given")
    func origins() {
        let closed = Self.rule()
        #expect(!closed.allows(origin: "http://localhost:5580", host: "localhost:5580"))
        #expect(!closed.allows(origin: "null", host: nil))
        let page = Self.rule { $0.servesPage = true }
        #expect(page.allows(origin: "http://localhost:5580", host: "LocalHost:5580"))
        #expect(page.allows(origin: "https://house.example", host: "house.example"))
        for origin in [
            "http://localhost:81", "http://evil.example", "null", "", "http://", "ftp://localhost:5580",
            "localhost:5580",
        ] {
            #expect(!page.allows(origin: origin, host: "localhost:5580"), "\(origin)")
        }
        let given = Self.rule { $0.origins = ["https://Panel.example"] }
        #expect(given.allows(origin: "https://panel.example", host: "localhost"))
        #expect(!given.allows(origin: "http://panel.example", host: "localhost"))
    }

    @Test("IPv4 is counted by the address, IPv6 by the network of the house")
    func counted() {
        #expect(IPAddress("192.0.2.1")?.counted == "192.0.2.1")
        #expect(IPAddress("::ffff:192.0.2.1")?.counted == "192.0.2.1")
        #expect(IPAddress("2001:db8::1")?.counted == IPAddress("2001:db8::ffff")?.counted)
        #expect(IPAddress("2001:db8::1")?.counted != IPAddress("2001:db8:0:1::1")?.counted)
        #expect(IPAddress("fe80::1%eth0") == IPAddress("fe80::1"))
        for text in ["", "localhost", "1.2.3", "1.2.3.4.5", "::g"] { #expect(IPAddress(text) == nil) }
    }
}

@Suite("Entrance") struct EntranceTests {
    private static let token = ListedTokens.token("mctl_good", "panel", [.control])

    private static func head(
        _ target: String = "/metrics", host: String? = "localhost", _ fields: [(String, String)] = []
    ) -> RequestHead {
        RequestHead(method: "GET", target: target, fields: (host.map { [("host", $0)] } ?? []) + fields)
    }

    private static func tcp(_ address: String = "127.0.0.1") -> RequestOrigin {
        RequestOrigin(isOwnUser: false, address: address, local: "127.0.0.1")
    }

    private static let unix = RequestOrigin(isOwnUser: true, address: "this machine", local: nil)

    /// The status, or 0 for one who is let in.
    private static func ask(
        _ entrance: inout Entrance, _ head: RequestHead, _ origin: RequestOrigin = tcp(), now: Duration = .zero
    ) -> (status: Int, visitor: Visitor?, target: RequestTarget?, refusal: Refusal?) {
        let entry = entrance.entry(head, from: origin, now: now) { $0 == "mctl_good" ? token : nil }
        return switch entry {
        case .admitted(let visitor, _, let target): (0, visitor, target, nil)
        case .refused(let refusal): (refusal.status, nil, nil, refusal)
        }
    }

    private var settings = ListenerSettings(places: [])

    @Test("over TCP a token is required, in the field or in the path; it goes no further")
    func token() {
        var entrance = Entrance(settings)
        #expect(Self.ask(&entrance, Self.head()).status == 401)
        #expect(Self.ask(&entrance, Self.head("/ws")).status == 401)
        let field = Self.ask(&entrance, Self.head("/metrics?a", [("authorization", "bearer  mctl_good")]))
        #expect(field.visitor == Visitor(name: "panel", roles: [.control]) && field.target?.query == "a")
        let path = Self.ask(&entrance, Self.head("/ws/mctl_good"))
        #expect(path.visitor?.name == "panel" && path.target?.path == "/ws" && path.target?.token == nil)
        for value in ["mctl_good", "Basic mctl_good", "Bearer", "Bearer a b", "Bearer mctl_wrong"] {
            #expect(Self.ask(&entrance, Self.head("/ws", [("authorization", value)])).status == 401, "\(value)")
        }
        // The field counts, if there are both.
        #expect(Self.ask(&entrance, Self.head("/ws/mctl_good", [("authorization", "Bearer x")])).status == 401)
        let two = [("authorization", "Bearer mctl_good"), ("authorization", "Bearer x")]
        #expect(Self.ask(&entrance, Self.head("/ws", two)).status == 401)
        // The path of a page has no token.
        #expect(Self.ask(&entrance, Self.head("/metrics/mctl_good")).status == 401)
    }

    @Test("our own user needs no token at the socket, and gets the rights of one that is shown")
    func own() {
        var entrance = Entrance(settings)
        #expect(Self.ask(&entrance, Self.head(host: "anything.example"), Self.unix).visitor == Entrance.ownUser)
        #expect(Self.ask(&entrance, Self.head(host: nil), Self.unix).visitor?.may(.administer) == true)
        #expect(Self.ask(&entrance, Self.head("/ws/mctl_good"), Self.unix).visitor?.may(.administer) == false)
        #expect(Self.ask(&entrance, Self.head("/ws/wrong"), Self.unix).status == 401)
    }

    @Test("a page elsewhere gets nothing, even with a token, and not at the socket")
    func browser() {
        var entrance = Entrance(settings)
        let fields = [("authorization", "Bearer mctl_good"), ("origin", "http://evil.example")]
        #expect(Self.ask(&entrance, Self.head("/ws", fields)).status == 403)
        #expect(Self.ask(&entrance, Self.head("/ws", [("origin", "null")]), Self.unix).status == 403)
        #expect(
            Self.ask(&entrance, Self.head(host: "evil.example", [("authorization", "Bearer mctl_good")])).status == 403)
        #expect(Self.ask(&entrance, Self.head(host: nil, [("authorization", "Bearer mctl_good")])).status == 400)
        #expect(Self.ask(&entrance, Self.head("/", [("host", "evil.example")])).status == 400)
    }

    @Test("open paths are shown to all who name this machine, without any right; the WebSocket is never open")
    func open() {
        var settings = settings
        settings.openPaths = ["/", "/page.js", "/ws"]
        var entrance = Entrance(settings)
        #expect(Self.ask(&entrance, Self.head("/")).visitor?.roles == [])
        #expect(Self.ask(&entrance, Self.head("/page.js?v=1")).visitor?.may(.read) == false)
        #expect(Self.ask(&entrance, Self.head("/page.css")).status == 401)
        #expect(Self.ask(&entrance, Self.head("/ws")).status == 401)
        #expect(Self.ask(&entrance, Self.head("/", host: "evil.example")).status == 403)
    }

    @Test("after ten wrong tokens an address waits, and is told how long; even a right one is not looked at")
    func limit() throws {
        var entrance = Entrance(settings)
        for _ in 0..<10 { #expect(Self.ask(&entrance, Self.head("/ws/wrong")).status == 401) }
        let refusal = try #require(Self.ask(&entrance, Self.head("/ws/wrong")).refusal)
        #expect(refusal.status == 429 && refusal.retryAfter == 7 && !refusal.isSuspicious)
        #expect(Self.ask(&entrance, Self.head("/ws/mctl_good")).status == 429)
        #expect(Self.ask(&entrance, Self.head("/ws/mctl_good"), Self.tcp("127.0.0.2")).status == 0)
        #expect(Self.ask(&entrance, Self.head("/ws/mctl_good"), now: .seconds(7)).status == 0)
        // One without a token is none that guesses.
        for _ in 0..<50 { #expect(Self.ask(&entrance, Self.head("/ws"), Self.tcp("127.0.0.3")).status == 401) }
    }

    @Test("a proxy's word for the address counts only if there is one, and only from it")
    func proxy() {
        let forwarded = Self.head("/", [("x-forwarded-for", "192.0.2.1, 192.0.2.9")])
        var settings = settings
        #expect(Entrance(settings).client(forwarded, Self.tcp()) == "127.0.0.1")
        settings.isBehindProxy = true
        settings.proxies = ["192.0.2.50"]
        let entrance = Entrance(settings)
        #expect(entrance.client(forwarded, Self.tcp()) == "192.0.2.9")
        #expect(entrance.client(forwarded, Self.tcp("192.0.2.50")) == "192.0.2.9")
        #expect(entrance.client(forwarded, Self.tcp("192.0.2.51")) == "192.0.2.51")
        #expect(entrance.client(Self.head("/", [("x-forwarded-for", "a\nb")]), Self.tcp()) == "127.0.0.1")
    }

    @Test("connections are bounded: all, those of an address, and those of our user by themselves")
    func tally() {
        var limits = ListenerLimits()
        (limits.connections, limits.connectionsOfAddress) = (4, 2)
        var tally = ConnectionTally(limits)
        #expect(
            tally.enter("a", isProxy: false) && tally.enter("a", isProxy: false) && !tally.enter("a", isProxy: false))
        #expect(
            tally.enter("a", isProxy: true) && tally.enter("b", isProxy: false) && !tally.enter("c", isProxy: false))
        #expect(tally.enter(nil, isProxy: false) && tally.count == 5)
        for _ in 0..<3 { tally.leave("a") }
        #expect(tally.enter("a", isProxy: false) && tally.count == 3)
    }
}
